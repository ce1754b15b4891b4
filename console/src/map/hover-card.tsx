import { useCallback, useState } from 'react'
import { Chip } from '../controls/page.tsx'
import { type Fleet, shareOf } from '../fleet/fleet.ts'
import { byImportance, className, ofClass, percent, ratio } from '../formats.ts'
import styles from './capacity-map.module.css'
import { markWords, type Surroundings, type Tile } from './tiles.ts'

export interface Hovered {
  readonly tile: Tile
  readonly x: number
  readonly y: number
}

export interface Hover {
  readonly hovered: Hovered | null
  show(tile: Tile, box: { readonly right: number; readonly left: number; readonly top: number }): void
  hide(): void
}

export function useHover(): Hover {
  const [hovered, setHovered] = useState<Hovered | null>(null)
  const show = useCallback<Hover['show']>((tile, { right, left, top }) => {
    const isRight = right + CARD_PX < window.innerWidth
    const y = Math.max(8, Math.min(top, window.innerHeight - 260))
    setHovered({ tile, x: isRight ? right + 8 : Math.max(8, left - CARD_PX), y })
  }, [])
  const hide = useCallback(() => setHovered(null), [])
  return { hovered, show, hide }
}

const CARD_PX = 312

/** All that one host has. It repeats what the host's page says, so nobody who cannot hover misses anything. */
export function HoverCard({
  hovered,
  fleet,
  around,
}: {
  readonly hovered: Hovered | null
  readonly fleet: Fleet
  readonly around: Surroundings
}) {
  if (hovered === null) return null
  const { tile, x, y } = hovered
  const host = around.hosts.get(tile.uuid)
  const sums = [...fleet.sums(tile.uuid)].sort(([one], [other]) => byImportance(one, other))
  return (
    <div className={styles.card} style={{ left: x, top: y }} aria-hidden="true">
      <h3>
        {tile.name}{' '}
        <Chip
          tone={
            tile.mark === 'low'
              ? 'good'
              : tile.mark === 'warm'
                ? 'warm'
                : tile.mark === 'none'
                  ? 'plain'
                  : 'hot'
          }
        >
          {markWords[tile.mark]}
        </Chip>
      </h3>
      {tile.disabledReason !== null && <p>Disabled: {tile.disabledReason}</p>}
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
