import type { Simulation } from '../../../src/wire/simulation.ts'
import { ConsumerLink } from '../consumers/consumer-link.tsx'
import { cutMiddle, domainOf, withoutDomain } from '../controls/host-name.ts'
import { plural } from '../formats.ts'
import why from '../why/why.module.css'
import styles from './what-if.module.css'

const ROW_PX = 26
const WIDTH_PX = 520
/** As many as fit into a box. */
const NAME_CHARS_MAX = 14
const NOWHERE = 'no place'

interface Stream {
  readonly from: string
  readonly to: string
  readonly count: number
}

/** Servers from the hosts that are drained, on the left, to where they would go. The table below says the same. */
export function DrainFlow({ drained }: { readonly drained: Simulation['drained'] }) {
  const streams = streamsOf(drained)
  const left = [...new Set(streams.map(({ from }) => from))]
  const right = [...new Set(streams.map(({ to }) => to))]
  const domain = domainOf([...left, ...right])
  const height = Math.max(left.length, right.length) * ROW_PX + 8
  const at = (names: readonly string[], name: string) =>
    ((names.indexOf(name) + 0.5) * height) / Math.max(1, names.length)
  return (
    <>
      <svg
        className={styles.flow}
        viewBox={`0 0 ${WIDTH_PX} ${height}`}
        role="img"
        aria-label="Where servers would go"
      >
        {streams.map(({ from, to, count }) => {
          const [y1, y2] = [at(left, from), at(right, to)]
          return (
            <path
              key={`${from}/${to}`}
              data-stuck={to === NOWHERE}
              strokeWidth={Math.min(18, 2 + count * 1.5)}
              d={`M120 ${y1} C 240 ${y1}, 280 ${y2}, ${WIDTH_PX - 130} ${y2}`}
            />
          )
        })}
        {left.map(name => (
          <g key={name}>
            <rect x="0" y={at(left, name) - 11} width="120" height="22" rx="4" />
            <text x="8" y={at(left, name) + 4}>
              {cutMiddle(withoutDomain(name, domain), NAME_CHARS_MAX)}
            </text>
          </g>
        ))}
        {right.map(name => (
          <g key={name}>
            <rect x={WIDTH_PX - 130} y={at(right, name) - 11} width="130" height="22" rx="4" />
            <text x={WIDTH_PX - 122} y={at(right, name) + 4}>
              {cutMiddle(withoutDomain(name, domain), NAME_CHARS_MAX)}
            </text>
          </g>
        ))}
      </svg>
      <ul className={why.list} aria-label="Servers and their places">
        {streams.map(({ from, to, count }) => (
          <li key={`${from}/${to}`}>
            {plural(count, 'server')} of {from}: {to === NOWHERE ? 'no place' : `to ${to}`}
          </li>
        ))}
        {drained
          .filter(({ text }) => text !== null)
          .slice(0, 20)
          .map(({ instance, name, text }) => (
            <li key={instance}>
              <ConsumerLink uuid={instance} name={name} /> {text}
            </li>
          ))}
      </ul>
    </>
  )
}

function streamsOf(drained: Simulation['drained']): Stream[] {
  const streams = new Map<string, Stream>()
  for (const { from, to } of drained) {
    const target = to ?? NOWHERE
    const known = streams.get(`${from}/${target}`)
    streams.set(`${from}/${target}`, { from, to: target, count: (known?.count ?? 0) + 1 })
  }
  return [...streams.values()].sort((one, other) => other.count - one.count)
}
