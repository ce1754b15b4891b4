import { Link } from 'wouter'
import type { Fits } from '../api/scheduling.ts'
import { amount, plural } from '../formats.ts'
import why from '../why/why.module.css'
import styles from './what-if.module.css'

export interface FitRow {
  readonly name: string
  readonly to?: string
  readonly before: number
  /** Null: nothing is to be otherwise. */
  readonly after: number | null
}

/** Bars; where something is to be otherwise, a hatched one for before and a full one for after. */
export function FitBars({ label, rows }: { readonly label: string; readonly rows: readonly FitRow[] }) {
  const most = Math.max(1, ...rows.flatMap(({ before, after }) => [before, after ?? 0]))
  if (rows.length === 0) return <p className={styles.bars}>No host takes any.</p>
  return (
    <ul className={styles.bars} aria-label={label}>
      {rows.map(({ name, to, before, after }) => (
        <li key={name}>
          <span>{to === undefined ? name : <Link href={to}>{name}</Link>}</span>
          <span className={styles.pair} aria-hidden="true">
            <i style={{ width: `${(before / most) * 100}%` }} />
            {after !== null && <i style={{ width: `${(after / most) * 100}%` }} />}
          </span>
          <span className={styles.counts}>
            {after === null ? amount(before) : `${amount(before)} → ${amount(after)}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

const WORDS: Readonly<Record<string, string>> = {
  resource: 'have no more of',
  trait: 'lack the trait',
  aggregate: 'are not in',
  tree: 'are another tree than',
  combination: 'cannot combine',
  filter: 'are refused by',
  booking: 'cannot be booked:',
  'left-out': 'were left out:',
  limit: 'met the limit',
}

const ONE: Readonly<Record<string, string>> = { have: 'has', lack: 'lacks', are: 'is', were: 'was' }

/** The words begin with a verb, which is for several. */
const said = (words: string, hosts: number): string =>
  hosts === 1 ? words.replace(/^(have|lack|are|were)\b/, verb => ONE[verb] ?? verb) : words

/** Why hosts take no more, the reason with most hosts first. */
export function Ends({ ends }: { readonly ends: Fits['ends'] }) {
  return (
    <ul className={why.list} aria-label="What ends it">
      {ends.map(({ by, name, code, hosts }) => (
        <li key={`${by}/${name}/${code}`}>
          <strong className="number">{plural(hosts, 'host')}</strong>{' '}
          {said(code.includes('forbidden') ? 'have, and must not have,' : (WORDS[by] ?? by), hosts)} {name}{' '}
          <span className="soft">{code}</span>
        </li>
      ))}
      {ends.length === 0 && <li className="soft">Nothing: no host was asked.</li>}
    </ul>
  )
}
