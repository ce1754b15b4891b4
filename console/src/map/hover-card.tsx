import { useSyncExternalStore } from 'react'
import { Chip, type Tone } from '../controls/page.tsx'
import { type Fleet, shareOf } from '../fleet/fleet.ts'
import { byImportance, className, ofClass, percent, ratio } from '../formats.ts'
import styles from './capacity-map.module.css'
import { type Mark, markWords, type Surroundings, type Tile } from './tiles.ts'

interface Hovered {
  readonly tile: Tile
  readonly x: number
  readonly y: number
}

/** Kept outside of the map's state: hovering must not render ten thousand hosts again. */
export class Hover {
  #hovered: Hovered | null = null
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly hovered = (): Hovered | null => this.#hovered

  readonly show = (tile: Tile, { right, left, top }: Box): void => {
    const isRight = right + CARD_PX < window.innerWidth
    const y = Math.max(8, Math.min(top, window.innerHeight - 260))
    this.#set({ tile, x: isRight ? right + 8 : Math.max(8, left - CARD_PX), y })
  }

  readonly hide = (): void => this.#set(null)

  #set(hovered: Hovered | null): void {
    if (hovered?.tile === this.#hovered?.tile) return
    this.#hovered = hovered
    for (const listener of this.#listeners) listener()
  }
}

interface Box {
  readonly right: number
  readonly left: number
  readonly top: number
}

const CARD_PX = 312

export const toneOf = (mark: Mark): Tone =>
  mark === 'low' ? 'good' : mark === 'warm' ? 'warm' : mark === 'none' ? 'plain' : 'hot'

/** The details of one host. Its page has the same, for devices without hover. */
export function HoverCard({
  hover,
  fleet,
  around,
}: {
  readonly hover: Hover
  readonly fleet: Fleet
  readonly around: Surroundings
}) {
  const hovered = useSyncExternalStore(hover.subscribe, hover.hovered)
  if (hovered === null) return null
  const { tile, x, y } = hovered
  const host = around.hosts.get(tile.uuid)
  const root = fleet.providers.get(tile.uuid)
  const sums = [...(root === undefined ? [] : fleet.sums(root))].sort(([one], [other]) =>
    byImportance(one, other),
  )
  return (
    <div className={styles.card} style={{ left: x, top: y }} aria-hidden="true">
      <h3>
        {tile.name} <Chip tone={toneOf(tile.mark)}>{markWords[tile.mark]}</Chip>
      </h3>
      {host?.disabled_reason && <p>Disabled: {host.disabled_reason}</p>}
      <dl>
        {sums.slice(0, 8).map(([name, figures]) => (
          <Row key={name} name={name}>
            {ofClass(name, figures.used)} of {ofClass(name, figures.capacity)} · {percent(shareOf(figures))} ·{' '}
            {ratio(figures)}
            {figures.reserved > 0 && <> · {ofClass(name, figures.reserved)} reserved</>}
          </Row>
        ))}
      </dl>
      {host !== undefined && (
        <p>
          {host.zone}
          {host.aggregates.length > 0 && <> · {host.aggregates.join(', ')}</>}
        </p>
      )}
    </div>
  )
}

function Row({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <>
      <dt>{className(name)}</dt>
      <dd>{children}</dd>
    </>
  )
}
