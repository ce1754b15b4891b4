import { useComputedColorScheme } from '@mantine/core'
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useLocation } from 'wouter'
import { ownValue } from '../../../src/kernel/records.ts'
import { percent } from '../formats.ts'
import styles from './capacity-map.module.css'
import { cellAt, type Layout, layoutOf, Painting } from './dense-paint.ts'
import { GroupHead } from './group-head.tsx'
import type { GroupParts } from './tile-group.tsx'
import { markWords, type Tile } from './tiles.ts'

interface DenseParts extends GroupParts {
  readonly zoom: number
  readonly onZoom: (by: number) => void
}

/** Thousands of hosts as small squares on one canvas. Arrow keys move a cursor, which is read out. */
export const DenseGroup = memo(
  Dense,
  (before, after) => before.group === after.group && before.name === after.name && before.zoom === after.zoom,
)

function Dense({ group, name, hover, onChoose, zoom, onZoom }: DenseParts) {
  const frame = useRef<HTMLDivElement>(null)
  const board = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [cursor, setCursor] = useState<number | null>(null)
  const [, navigate] = useLocation()
  const scheme = useComputedColorScheme('light')
  const spoken = useId()
  const painting = useRef<Painting>(null)
  const count = group.tiles.length
  const layout = useMemo(() => layoutOf(count, width, zoom), [count, width, zoom])
  useLayoutEffect(() => {
    const element = frame.current as HTMLDivElement
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    painting.current ??= new Painting(board.current as HTMLDivElement)
    if (width > 0) painting.current.paint(group.tiles, layout, scheme)
    return () => painting.current?.stop()
  }, [group.tiles, layout, scheme, width])
  const showCard = (index: number) => {
    const tile = group.tiles[index] as Tile
    const box = (board.current as HTMLDivElement).getBoundingClientRect()
    const left = box.left + (index % layout.columns) * layout.step
    const top = box.top + Math.floor(index / layout.columns) * layout.step
    hover.show(tile, { left, right: left + layout.step, top })
  }
  const onMove = (event: MouseEvent) => {
    const index = cellAt(event, board.current as HTMLDivElement, layout, group.tiles.length)
    if (index === null) hover.hide()
    else showCard(index)
  }
  const onClick = (event: MouseEvent) => {
    const index = cellAt(event, board.current as HTMLDivElement, layout, group.tiles.length)
    if (index !== null) navigate(`/providers/${group.tiles[index]?.uuid}`)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = cursorAfter(event.key, cursor, layout, group.tiles.length)
    if (event.key === 'Enter' && cursor !== null) navigate(`/providers/${group.tiles[cursor]?.uuid}`)
    if (event.key === '+' || event.key === '-') onZoom(event.key === '+' ? 1 : -1)
    if (next === null) return
    event.preventDefault()
    setCursor(next)
    showCard(next)
  }
  const current = cursor === null ? undefined : group.tiles[cursor]
  return (
    <section className={styles.group} aria-label={group.name}>
      <GroupHead group={group} name={name} onChoose={onChoose} />
      <div
        ref={frame}
        className={styles.dense}
        tabIndex={0}
        role="application"
        aria-label={`Hosts of ${group.name}: arrow keys move, Enter opens, + and - zoom`}
        aria-describedby={spoken}
        onKeyDown={onKeyDown}
        onMouseMove={onMove}
        onMouseLeave={hover.hide}
        onBlur={() => {
          setCursor(null)
          hover.hide()
        }}
        onClick={onClick}
      >
        <div className={styles.board}>
          <div ref={board} />
          {cursor !== null && <i className={styles.cursor} style={cursorStyle(cursor, layout)} />}
        </div>
        <span id={spoken} className="hidden" aria-live="polite">
          {current !== undefined && `${current.name}, ${percent(current.share)}, ${markWords[current.mark]}`}
        </span>
      </div>
    </section>
  )
}

const cursorStyle = (at: number, { columns, step }: Layout) => ({
  left: (at % columns) * step - 1,
  top: Math.floor(at / columns) * step - 1,
  width: step - 2,
  height: step - 2,
})

function cursorAfter(key: string, at: number | null, { columns }: Layout, count: number): number | null {
  const from = at ?? -1
  const moves: Readonly<Record<string, number>> = {
    ArrowRight: from + 1,
    ArrowLeft: from - 1,
    ArrowDown: at === null ? 0 : from + columns,
    ArrowUp: from - columns,
    Home: 0,
    End: count - 1,
  }
  const next = ownValue(moves, key)
  if (next === undefined) return null
  return next < 0 || next >= count ? at : next
}
