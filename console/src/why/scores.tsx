import { Fragment } from 'react'
import { Link } from 'wouter'
import type { Choice } from '../../../src/wire/scheduling.ts'
import { marginText } from '../../../src/words/decision-words.ts'
import { domainOf } from '../controls/host-name.ts'
import { Chip } from '../controls/page.tsx'
import { ShortHost } from '../controls/short-host.tsx'
import { plural } from '../formats.ts'
import styles from './why.module.css'

/** The best hosts with what each weigher gave them, and by how much the first was ahead. */
export function Scores({ top, chosen }: { readonly top: Choice['top']; readonly chosen: readonly string[] }) {
  const domain = domainOf(top.map(({ host }) => host))
  const most = Math.max(1e-9, ...top.map(({ weight }) => Math.abs(weight)))
  const most1 = Math.max(
    1e-9,
    ...top.flatMap(({ weighers }) => weighers.map(({ weight }) => Math.abs(weight))),
  )
  const idle = findIdle(top)
  return (
    <>
      <p className={styles.rest}>
        {marginText(top)}
        {idle.size > 0 && (
          <span className="soft">
            {' '}
            {plural(idle.size, 'weigher')} gave 0 to each: {[...idle].join(', ')}.
          </span>
        )}
      </p>
      <ul className={styles.list} aria-label="Hosts by weight">
        {top.map(one => (
          <li key={one.provider}>
            <div className={styles.weights}>
              <span>
                <Link href={`/providers/${one.provider}`}>
                  <ShortHost name={one.host} domain={domain} />
                </Link>{' '}
                {chosen.includes(one.host) && <Chip tone="good">chosen</Chip>}
              </span>
              <i style={{ width: `${(Math.abs(one.weight) / most) * 100}%` }} />
              <span>{one.weight.toFixed(3)}</span>
            </div>
            {one.weighers.length > 0 && (
              <div className={`${styles.weights} ${styles.parts}`}>
                {one.weighers
                  .filter(({ weigher }) => !idle.has(weigher))
                  .map(({ weigher, weight, text }) => (
                    <Fragment key={weigher}>
                      <span title={text}>{text === undefined ? weigher : `${weigher}: ${text}`}</span>
                      <i
                        style={{ width: `${(Math.abs(weight) / most1) * 100}%` }}
                        data-negative={weight < 0}
                      />
                      <span>{weight.toFixed(3)}</span>
                    </Fragment>
                  ))}
              </div>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Weighers that gave nothing to any host and have nothing to say of one. */
function findIdle(top: Choice['top']): ReadonlySet<string> {
  const all = top.flatMap(({ weighers }) => weighers)
  const busy = new Set(
    all.filter(({ weight, text }) => weight !== 0 || text !== undefined).map(({ weigher }) => weigher),
  )
  return new Set(all.map(({ weigher }) => weigher)).difference(busy)
}
