import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { Chip, Panel } from '../controls/page.tsx'
import { ShortHost } from '../controls/short-host.tsx'
import { UsageBar } from '../controls/usage-bar.tsx'
import { amount, className, percent, plural } from '../formats.ts'
import { checkbox } from './choice.ts'
import { toneOf } from './hover-card.tsx'
import { worstHosts } from './racks.ts'
import { markWords, type Tile } from './tiles.ts'
import styles from './worst-list.module.css'

const ROWS_AT_FIRST = 8
const ROWS_AT_ONCE = 20

/** Hosts one below the other, the worst first: on a phone the answer is at the top. */
export default function WorstList({
  tiles,
  name,
  domain,
  chosen,
}: {
  readonly tiles: readonly Tile[]
  /** The resource class. */
  readonly name: string
  readonly domain: string
  /** Names of chosen hosts; null: nothing is chosen now. */
  readonly chosen: ReadonlySet<string> | null
}) {
  const [count, setCount] = useState(ROWS_AT_FIRST)
  const shown = useMemo(() => worstHosts(tiles), [tiles]).slice(0, count)
  return (
    <Panel
      title="Worst first"
      aside={
        <span className="soft">
          {className(name)}, {amount(shown.length)} of {plural(tiles.length, 'host')}
        </span>
      }
      flush
    >
      <ol className={styles.list} aria-label="Hosts, the worst first">
        {shown.map(tile => (
          <li key={tile.uuid}>
            <Link
              href={`/providers/${tile.uuid}`}
              className={styles.row ?? ''}
              data-tile
              data-host={tile.name}
              {...(chosen === null ? {} : checkbox(chosen.has(tile.name) ? 'all' : 'none'))}
            >
              <b>
                <ShortHost name={tile.name} domain={domain} />
              </b>
              <Chip tone={toneOf(tile.mark)}>{markWords[tile.mark]}</Chip>
              <span className="number">{tile.figures === null ? '–' : percent(tile.share)}</span>
              {tile.figures !== null && <UsageBar name={name} figures={tile.figures} />}
            </Link>
          </li>
        ))}
      </ol>
      {tiles.length > count && (
        <button type="button" className={styles.more} onClick={() => setCount(count + ROWS_AT_ONCE)}>
          Show {amount(Math.min(ROWS_AT_ONCE, tiles.length - count))} more
        </button>
      )}
    </Panel>
  )
}
