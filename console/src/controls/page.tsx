import { Loader } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Failure } from '../api/http.ts'
import { Icon } from './icons.tsx'
import styles from './page.module.css'

export type Tone = 'plain' | 'accent' | 'good' | 'warm' | 'hot'

export function Page({
  title,
  text,
  trail = [],
  actions,
  children,
}: {
  readonly title: string
  readonly text?: ReactNode
  readonly trail?: readonly (readonly [label: string, to: string])[]
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  const { heading, said } = useArrival(title)
  return (
    <div className={styles.page}>
      <div className="hidden" aria-live="polite">
        {said}
      </div>
      <div className={styles.head}>
        <div className={styles.words}>
          {trail.length > 0 && (
            <nav aria-label="Above this page" className={styles.trail}>
              {trail.map(([label, to]) => (
                <span key={to}>
                  <Link href={to}>{label}</Link> <span aria-hidden="true">/</span>
                </span>
              ))}
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {text !== undefined && <p>{text}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  )
}

/** Where the focus was moved last, or was at the start. */
let arrivedAt: string | null = null

/**
 * After a change of page, moves the focus to the heading, so that screen readers announce the page. If the focus is on
 * an element that stayed, such as a tree, it stays there, and the page is announced.
 */
function useArrival(title: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [path] = useLocation()
  const [said, setSaid] = useState('')
  useEffect(() => {
    document.title = `${title} · Berth`
  }, [title])
  useEffect(() => {
    const isAnother = arrivedAt !== null && arrivedAt !== path
    arrivedAt = path
    if (!isAnother) return
    const main = heading.current?.closest('main')
    if (document.activeElement !== main && main?.contains(document.activeElement)) setSaid(title)
    else heading.current?.focus()
  }, [path, title])
  return { heading, said }
}

export function Panel({
  title,
  aside,
  flush = false,
  children,
}: {
  readonly title?: string
  readonly aside?: ReactNode
  readonly flush?: boolean
  readonly children: ReactNode
}) {
  return (
    <section className={styles.panel} {...(title === undefined ? {} : { 'aria-label': title })}>
      {title !== undefined && (
        <div className={styles.panelHead}>
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      <div className={flush ? styles.flush : styles.panelBody}>{children}</div>
    </section>
  )
}

/** An empty state: what would be here, and how to create it. */
export function Empty({
  title,
  children,
  command,
  action,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly command?: string
  readonly action?: ReactNode
}) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      <p>{children}</p>
      {command !== undefined && <pre>{command}</pre>}
      {action}
    </div>
  )
}

export function Note({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <div className={styles.note} data-tone={tone} role={tone === 'hot' ? 'alert' : 'status'}>
      <Icon name={tone === 'good' ? 'check' : tone === 'plain' ? 'question' : 'warning'} />
      <div>{children}</div>
    </div>
  )
}

const ADVICE: Readonly<Record<number, string>> = {
  0: 'It may be restarting, or the network is down. What is shown stays; nothing you typed is lost.',
  401: 'The token is no longer good. Sign in again.',
  403: 'This needs another role. Yours are in the menu at the top right.',
  404: 'It may have been removed meanwhile.',
  503: 'The server could not reach its store, or has too much to do. Trying again is safe.',
}

/** An error, its remedy, and the request id in the log. */
export function FailureNote({ error }: { readonly error: unknown }) {
  const failure = error instanceof Failure ? error : null
  return (
    <Note tone="hot">
      <strong>{failure?.message ?? String(error)}</strong>
      {failure !== null && ADVICE[failure.status] !== undefined && <p>{ADVICE[failure.status]}</p>}
      {failure !== null && failure.requestId !== null && (
        <p className="soft">
          HTTP {failure.status}, request <code>{failure.requestId}</code>
        </p>
      )}
    </Note>
  )
}

export function Chip({
  tone = 'plain',
  title,
  children,
}: {
  readonly tone?: Tone
  readonly title?: string
  readonly children: ReactNode
}) {
  return (
    <span className={styles.chip} data-tone={tone} title={title}>
      {children}
    </span>
  )
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className={styles.loading} role="status">
      <Loader size="xs" /> Reading {what} …
    </div>
  )
}

/** A view while its data is loading, or the error. */
export function Waiting({
  query,
  what,
}: {
  readonly query: { readonly error: unknown }
  readonly what: string
}) {
  return query.error === null ? <Loading what={what} /> : <FailureNote error={query.error} />
}

export const codeStyle = styles.code as string
