import { Fragment } from 'react'
import { Chip, type Tone } from '../controls/page.tsx'
import { amount } from '../formats.ts'
import styles from './why.module.css'

interface Step {
  readonly key: string
  readonly text: string
  readonly before: number
  readonly after: number
  readonly verdict: string
  readonly tone: Tone
}

/** Long names may be broken between their words. */
function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?<=[a-z])(?=[A-Z])|(?<=_)/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}

/** Each constraint, and how many are left after it. */
export function Funnel({ steps, what }: { readonly steps: readonly Step[]; readonly what: string }) {
  const most = Math.max(1, ...steps.map(({ before }) => before))
  return (
    <ol className={styles.funnel} aria-label={`Funnel of ${what}`}>
      {steps.map(({ key, text, before, after, verdict, tone }) => (
        <li key={key} className={styles.step}>
          <span>
            <Breakable text={text} />
          </span>
          <div className={styles.pipe} aria-hidden="true">
            <b style={{ width: `${(before / most) * 100}%` }} />
            <i style={{ width: `${(after / most) * 100}%` }} />
          </div>
          <span className={styles.counts}>
            {amount(before)} → <strong>{amount(after)}</strong> {what}
          </span>
          <span>
            <Chip tone={tone}>{verdict}</Chip>
          </span>
        </li>
      ))}
    </ol>
  )
}
