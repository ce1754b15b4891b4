import type { History, HistorySeries } from '../../../src/wire/history.ts'
import { Sideways } from '../controls/sideways.tsx'
import { className, ofClass, percent } from '../formats.ts'
import tables from '../providers/provider-page.module.css'
import { bandPath, linePath, topOf } from './chart-path.ts'
import styles from './usage.module.css'

const WIDTH = 600
const HEIGHT = 140
const ROWS_MAX = 24

/** One class over time: used between its lowest and highest, and the capacity; as a picture and as a table. */
export function UsageChart({
  series,
  history,
  place,
}: {
  readonly series: HistorySeries
  readonly history: History
  readonly place: string
}) {
  const { used, used_min, used_max, capacity, resource_class } = series
  const top = topOf(capacity, used_max)
  const show = (value: number) => showAmount(resource_class, value)
  const name = resource_class === null ? 'Tightest class' : className(resource_class)
  const known = used.filter(value => value !== null)
  const [first, last] = [known[0], known.at(-1)]
  const words =
    first === undefined || last === undefined
      ? 'nothing was recorded'
      : `from ${show(first)} to ${show(last)}, capacity ${show(capacity.findLast(value => value !== null) ?? 0)}`
  return (
    <figure className={styles.chart}>
      <figcaption>
        <b>{name}</b> <span className="soft">{words}</span>
      </figcaption>
      <div className={styles.plot}>
        <span className={styles.top} aria-hidden="true">
          {show(top)}
        </span>
        <svg
          viewBox={`0 -3 ${WIDTH} ${HEIGHT + 6}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${name} of ${place}, the last ${history.span}: ${words}`}
        >
          <path className={styles.band} d={bandPath(used_min, used_max, top, WIDTH, HEIGHT)} />
          <path className={styles.capacity} d={linePath(capacity, top, WIDTH, HEIGHT)} />
          <path className={styles.used} d={linePath(used, top, WIDTH, HEIGHT)} />
        </svg>
        <div className={styles.times} aria-hidden="true">
          <span>{showTime(history, 0)}</span>
          <span>{showTime(history, Math.floor(history.steps / 2))}</span>
          <span>now</span>
        </div>
      </div>
      <details className={styles.rows}>
        <summary>
          As a table<span className="hidden"> of {name}</span>
        </summary>
        <Rows series={series} history={history} name={name} />
      </details>
    </figure>
  )
}

const showAmount = (resource_class: string | null, value: number): string =>
  resource_class === null ? percent(value / 100) : ofClass(resource_class, Math.round(value))

function showTime({ from, step_s, span }: History, at: number): string {
  const time = new Date(Date.parse(from) + at * step_s * 1_000)
  const options: Intl.DateTimeFormatOptions =
    span === 'day'
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
      : { day: 'numeric', month: 'short' }
  return new Intl.DateTimeFormat('en', options).format(time)
}

function Rows({
  series,
  history,
  name,
}: {
  readonly series: HistorySeries
  readonly history: History
  readonly name: string
}) {
  const every = Math.max(1, Math.ceil(history.steps / ROWS_MAX))
  const steps = Array.from({ length: Math.ceil(history.steps / every) }, (_, nth) => nth * every)
  const show = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : showAmount(series.resource_class, value)
  return (
    <Sideways label={`${name} over time`}>
      <table className={tables.table}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Used</th>
            <th scope="col">Lowest</th>
            <th scope="col">Highest</th>
            <th scope="col">Capacity</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(at => (
            <tr key={at}>
              <td>{showTime(history, at)}</td>
              <td>{show(series.used[at])}</td>
              <td>{show(series.used_min[at])}</td>
              <td>{show(series.used_max[at])}</td>
              <td>{show(series.capacity[at])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Sideways>
  )
}
