import { Link } from 'wouter'
import type { Fits } from '../../../src/wire/simulation.ts'
import { domainOf } from '../controls/host-name.ts'
import { ShortHost } from '../controls/short-host.tsx'
import { amount, plural } from '../formats.ts'
import { useNames } from '../why/funnels.tsx'
import why from '../why/why.module.css'
import type { FitRow } from './rows.ts'
import styles from './what-if.module.css'

/** Bars; with assumed changes, a hatched one for before and a solid one for after. */
export function FitBars({ label, rows }: { readonly label: string; readonly rows: readonly FitRow[] }) {
  const most = Math.max(1, ...rows.flatMap(({ before, after }) => [before ?? 0, after ?? 0]))
  const domain = domainOf(rows.filter(({ to }) => to !== undefined).map(({ name }) => name))
  if (rows.length === 0) return <p className={styles.bars}>No host takes any.</p>
  return (
    <>
      {rows.some(({ after }) => after !== null) && (
        <p className={styles.key}>
          <span className={styles.pair} aria-hidden="true">
            <i />
            <i />
          </span>
          hatched: as it is; full: as it would be
        </p>
      )}
      <ul className={styles.bars} aria-label={label}>
        {rows.map(({ name, to, before, after }) => (
          <li key={name}>
            <span>
              {to === undefined ? (
                name
              ) : (
                <Link href={to}>
                  <ShortHost name={name} domain={domain} />
                </Link>
              )}
            </span>
            <span className={styles.pair} aria-hidden="true">
              <i style={{ width: `${((before ?? 0) / most) * 100}%` }} />
              {after !== null && <i style={{ width: `${(after / most) * 100}%` }} />}
            </span>
            <span className={styles.counts}>
              {after === null ? fitsText(before) : `${fitsText(before)} → ${fitsText(after)}`}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

const fitsText = (fits: number | null): string => (fits === null ? 'unknown' : amount(fits))

/** Why hosts take no more, the reason with most hosts first. */
export function Ends({ ends }: { readonly ends: Fits['ends'] }) {
  const named = useNames()
  return (
    <ul className={why.list} aria-label="What limits it">
      {ends.map(({ by, name, code, hosts, text }) => (
        <li key={`${by}/${name}/${code}`}>
          <strong className="number">{plural(hosts, 'host')}</strong> {named(text)}
          {by === 'filter' && <span className="soft"> ({name})</span>}
        </li>
      ))}
      {ends.length === 0 && <li className="soft">Nothing: no host was asked.</li>}
    </ul>
  )
}
