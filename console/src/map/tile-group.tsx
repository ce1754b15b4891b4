import { type KeyboardEvent, memo } from 'react'
import { Link } from 'wouter'
import { ownValue } from '../../../src/kernel/records.ts'
import { ShortHost } from '../controls/short-host.tsx'
import { ofClass, percent } from '../formats.ts'
import styles from './capacity-map.module.css'
import { type Choice, type Chosen, checkbox } from './choice.ts'
import { GroupHead } from './group-head.tsx'
import type { Hover } from './hover-card.tsx'
import { MARK_FILLS } from './legend.tsx'
import { type Group, markWords, type Tile } from './tiles.ts'

export interface GroupParts {
  readonly group: Group
  /** The resource class. */
  readonly name: string
  readonly hover: Hover
  readonly onChoose: () => void
  /** The address that asks whether all its hosts can be taken down; null: not asked here. */
  readonly takeDown: string | null
  readonly choice: Choice
}

/** Hosts as readable tiles. Arrow keys move between them. */
export function TileGroup({
  group,
  name,
  hover,
  onChoose,
  takeDown,
  choice,
  domain,
}: GroupParts & {
  /** The common suffix of host names. */
  readonly domain: string
}) {
  return (
    <section className={styles.group} aria-label={group.name}>
      <GroupHead group={group} name={name} onChoose={onChoose} takeDown={takeDown} />
      <ul className={styles.tiles} onKeyDown={moveFocus}>
        {group.tiles.map((tile, index) => (
          <li key={tile.uuid}>
            <TileLink
              tile={tile}
              name={name}
              hover={hover}
              isFirst={index === 0}
              domain={domain}
              chosen={choice.isOn && !tile.isSharing ? (choice.names.has(tile.name) ? 'all' : 'none') : null}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

const TileLink = memo(
  function TileLink({
    tile,
    name,
    hover,
    isFirst,
    domain,
    chosen,
  }: {
    readonly tile: Tile
    readonly name: string
    readonly hover: Hover
    readonly isFirst: boolean
    readonly domain: string
    /** Null: a click opens it. */
    readonly chosen: Chosen | null
  }) {
    const { figures, share, mark } = tile
    const reserved =
      figures === null || figures.total === 0 ? 0 : Math.min(1, figures.reserved / figures.total)
    return (
      <Link
        href={`/providers/${tile.uuid}`}
        className={styles.tile ?? ''}
        data-mark={mark}
        data-tile
        {...(tile.isSharing ? {} : { 'data-host': tile.name })}
        {...(chosen === null ? {} : checkbox(chosen))}
        tabIndex={isFirst ? 0 : -1}
        onMouseEnter={event => hover.show(tile, event.currentTarget.getBoundingClientRect())}
        onMouseLeave={hover.hide}
        onFocus={event => hover.show(tile, event.currentTarget.getBoundingClientRect())}
        onBlur={hover.hide}
      >
        <b>
          <ShortHost name={tile.name} domain={domain} />
        </b>{' '}
        <span>
          {mark === 'over' && <span aria-hidden="true">!</span>}
          {mark === 'disabled' ? 'off' : mark === 'down' ? 'down' : figures === null ? '–' : percent(share)}
        </span>
        <span className="hidden">{words(tile, name)}</span>
        <em>
          <i
            style={{
              width: `${Math.min(1, share) * (1 - reserved) * 100}%`,
              background: MARK_FILLS[fillOf(tile)],
            }}
          />
          <i style={{ flex: 1 }} />
          {reserved > 0 && (
            <i
              style={{
                flex: 'none',
                width: `${reserved * 100}%`,
                minWidth: 4,
                background: MARK_FILLS.disabled,
              }}
            />
          )}
        </em>
      </Link>
    )
  },
  (before, after) =>
    before.name === after.name &&
    before.domain === after.domain &&
    before.isFirst === after.isFirst &&
    before.chosen === after.chosen &&
    before.tile.mark === after.tile.mark &&
    before.tile.name === after.tile.name &&
    before.tile.figures?.used === after.tile.figures?.used &&
    before.tile.figures?.capacity === after.tile.figures?.capacity &&
    before.tile.figures?.reserved === after.tile.figures?.reserved,
)

/** The tile in words, for screen readers. */
function words({ figures, share, mark }: Tile, name: string): string {
  if (figures === null) return ` has no ${name}`
  const how = mark === 'disabled' || mark === 'down' ? ` ${percent(share)}` : ''
  return `${how} of ${name}, ${ofClass(name, figures.used)} of ${ofClass(name, figures.capacity)}, ${markWords[mark]}`
}

/** A disabled host still shows how full it is. */
const fillOf = ({ mark, share }: Tile) =>
  mark === 'disabled' || mark === 'down' ? (share >= 0.95 ? 'hot' : share >= 0.8 ? 'warm' : 'low') : mark

function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const tiles = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-tile]')]
  const at = tiles.indexOf(document.activeElement as HTMLElement)
  if (at < 0) return
  const top = tiles[0]?.getBoundingClientRect().top
  const perRow = Math.max(1, tiles.filter(tile => tile.getBoundingClientRect().top === top).length)
  const moves: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + perRow,
    ArrowUp: at - perRow,
    Home: 0,
    End: tiles.length - 1,
  }
  const next = tiles[ownValue(moves, event.key) ?? -1]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
