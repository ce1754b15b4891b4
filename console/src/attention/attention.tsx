import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Attention as AttentionAnswer, AttentionFinding, Severity } from '../../../src/wire/attention.ts'
import { countSeverities } from '../../../src/words/attention-words.ts'
import { readAttention } from '../api/berth.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { FailureNote } from '../controls/page.tsx'
import { amount, plural } from '../formats.ts'
import { useIsNarrow } from '../map/use-is-narrow.ts'
import { useSession } from '../session/session.tsx'
import styles from './attention.module.css'

/** Refusals and ends come with time, not with a change. As often as the server looks for refusals. */
const AGAIN_MS = 5_000
/** More would push the map off the screen. On a phone they wait behind a line that counts them: hosts come first. */
const ROWS_AT_FIRST = 4

const severityWords: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  warning: 'Warning',
  note: 'Note',
}

/** What is wrong right now, above everything else. */
export function Attention() {
  const { may } = useSession()
  const query = useQuery({
    queryKey: ['attention'],
    queryFn: readAttention,
    enabled: may('berth:attention'),
    refetchInterval: AGAIN_MS,
  })
  if (!may('berth:attention')) return null
  if (query.data === undefined)
    return query.error === null ? (
      <section className={styles.block} aria-label="Attention">
        <p className={styles.calm}>Looking for what needs attention …</p>
      </section>
    ) : (
      <FailureNote error={query.error} />
    )
  return <Findings attention={query.data} />
}

function Findings({ attention }: { readonly attention: AttentionAnswer }) {
  const { findings, passed, failed } = attention
  const [isWhole, setWhole] = useState(false)
  const isNarrow = useIsNarrow()
  if (isNarrow && findings.length > 0)
    return (
      <section className={styles.block} aria-label="Attention">
        <details className={styles.fold}>
          <summary>
            <span className={styles.dot} data-severity={attention.worst} aria-hidden="true" />{' '}
            {countSeverities(findings)}
          </summary>
          <ul className={styles.list}>
            {findings.map(finding => (
              <Finding key={finding.code} finding={finding} />
            ))}
            <Failed failed={failed} />
          </ul>
        </details>
      </section>
    )
  const shown = isWhole ? findings : findings.slice(0, ROWS_AT_FIRST)
  return (
    <section className={styles.block} aria-label="Attention">
      {findings.length === 0 && (
        <p className={styles.calm}>
          <span className={styles.dot} data-severity="none" aria-hidden="true" />
          Nothing needs attention: {plural(passed.length, 'check')} found nothing.
        </p>
      )}
      <ul className={styles.list}>
        {shown.map(finding => (
          <Finding key={finding.code} finding={finding} />
        ))}
        <Failed failed={failed} />
      </ul>
      {findings.length > ROWS_AT_FIRST && (
        <button
          type="button"
          className={styles.more}
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Show fewer' : `Show ${amount(findings.length - ROWS_AT_FIRST)} more`}
        </button>
      )}
    </section>
  )
}

/** Checks that could not be made. */
function Failed({ failed }: Pick<AttentionAnswer, 'failed'>) {
  return failed.map(({ code, text }) => (
    <li key={code} className={styles.row}>
      <span className={styles.dot} data-severity="warning" aria-hidden="true" />
      <span className={styles.text}>
        Unknown: the check {code} failed <span className="soft">{text}</span>
      </span>
    </li>
  ))
}

function Finding({ finding }: { readonly finding: AttentionFinding }) {
  const { severity, text, items, total, link, command } = finding
  const [isOpen, setOpen] = useState(false)
  const [first] = items
  return (
    <li>
      <div className={styles.row}>
        <span className={styles.dot} data-severity={severity} aria-hidden="true" />
        <span className={styles.text}>
          <span className="hidden">{severityWords[severity]}: </span>
          {link === null ? text : <Link href={link}>{text}</Link>}
          {first !== undefined && (
            <span className={styles.first}>
              {first.name}: {first.text}
            </span>
          )}
        </span>
        <span className={styles.acts}>
          {items.length > 1 && (
            <button
              type="button"
              className={styles.more}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'Hide' : `All ${amount(total)}`}
              <span className="hidden"> of: {text}</span>
            </button>
          )}
          <CopyButton text={command} label={shortCommand(command)} />
        </span>
      </div>
      {isOpen && (
        <ul className={styles.items}>
          {items.map((item, at) => (
            <li key={at}>
              {item.link === null ? item.name : <Link href={item.link}>{item.name}</Link>}{' '}
              <span className="soft">{item.text}</span>
            </li>
          ))}
          {total > items.length && <li className="soft">and {amount(total - items.length)} more</li>}
        </ul>
      )}
    </li>
  )
}

/** Ids are cut: what is copied is whole. */
const shortCommand = (command: string): string =>
  command.replace(/\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/, '$1…')
