import { useComputedColorScheme } from '@mantine/core'
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
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
import type { Boards } from './chooser.tsx'
import { cellAt, hostsInBox, type Layout, layoutOf, Painting } from './dense-paint.ts'
import { GroupHead } from './group-head.tsx'
import type { GroupParts } from './tile-group.tsx'
import { markWords, type Tile } from './tiles.ts'

interface DenseParts extends GroupParts {
  readonly zoom: number
  readonly onZoom: (by: number) => void
  readonly boards: Boards
}

/** Thousands of hosts as small squares on one canvas. Arrow keys move a cursor, which is read out. */
const DenseGroup = memo(
  Dense,
  (before, after) =>
    before.group === after.group &&
    before.name === after.name &&
    before.zoom === after.zoom &&
    before.takeDown === after.takeDown &&
    before.choice === after.choice,
)

function Dense({ group, name, hover, onChoose, takeDown, choice, boards, zoom, onZoom }: DenseParts) {
  const frame = useRef<HTMLDivElement>(null)
  const board = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const [cursor, setCursor] = useState<number | null>(null)
  const [, navigate] = useLocation()
  const spoken = useId()
  const count = group.tiles.length
  const layout = useMemo(() => layoutOf(count, width, zoom), [count, width, zoom])
  usePainting(board, group.tiles, layout, width > 0)
  const showCard = (index: number) => {
    hover.show(group.tiles[index] as Tile, placeOf(index, board.current as HTMLDivElement, layout))
  }
  const cellUnder = (event: MouseEvent) =>
    cellAt(event, board.current as HTMLDivElement, layout, group.tiles.length)
  useBoard(boards, board, layout, group.tiles)
  const open = (index: number | null) => {
    const tile = index === null ? undefined : group.tiles[index]
    if (tile === undefined) return
    if (!choice.isOn) navigate(`/providers/${tile.uuid}`)
    else if (!tile.isSharing) choice.toggle([tile.name])
  }
  const onMove = (event: MouseEvent) => {
    const index = cellUnder(event)
    if (index === null) hover.hide()
    else showCard(index)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = cursorAfter(event.key, cursor, layout, group.tiles.length)
    if (event.key === 'Enter' || (event.key === ' ' && choice.isOn)) {
      event.preventDefault()
      open(cursor)
    }
    if (event.key === '+' || event.key === '-') onZoom(event.key === '+' ? 1 : -1)
    if (next === null) return
    event.preventDefault()
    setCursor(next)
    showCard(next)
  }
  return (
    <section className={styles.group} aria-label={group.name}>
      <GroupHead group={group} name={name} onChoose={onChoose} takeDown={takeDown} />
      <div
        ref={frame}
        className={styles.dense}
        tabIndex={0}
        role="application"
        aria-label={`Hosts of ${group.name}: arrow keys move, Enter ${choice.isOn ? 'chooses' : 'opens'}, + and - zoom`}
        aria-describedby={spoken}
        onKeyDown={onKeyDown}
        onMouseMove={onMove}
        onMouseLeave={hover.hide}
        onBlur={() => {
          setCursor(null)
          hover.hide()
        }}
        onClick={event => open(cellUnder(event))}
      >
        <Board
          board={board}
          tiles={group.tiles}
          layout={layout}
          cursor={cursor}
          choice={choice}
          spoken={spoken}
        />
      </div>
    </section>
  )
}

/** Of a square, in pixels of the window. */
function placeOf(index: number, board: HTMLElement, { columns, step }: Layout) {
  const box = board.getBoundingClientRect()
  const left = box.left + (index % columns) * step
  return { left, right: left + step, top: box.top + Math.floor(index / columns) * step }
}

/** A box that is drawn with the mouse finds the hosts of this canvas. */
function useBoard(
  boards: Boards,
  board: RefObject<HTMLDivElement | null>,
  layout: Layout,
  tiles: readonly Tile[],
): void {
  useEffect(
    () => boards.add(box => hostsInBox(box, board.current, layout, tiles)),
    [boards, board, layout, tiles],
  )
}

/** The squares, what is chosen of them, the cursor, and the words for what it is on. */
function Board({
  board,
  tiles,
  layout,
  cursor,
  choice,
  spoken,
}: Pick<DenseParts, 'choice'> & {
  readonly board: RefObject<HTMLDivElement | null>
  readonly tiles: readonly Tile[]
  readonly layout: Layout
  readonly cursor: number | null
  readonly spoken: string
}) {
  const current = cursor === null ? undefined : tiles[cursor]
  const isChosen = current !== undefined && choice.isOn && choice.names.has(current.name)
  return (
    <>
      <div className={styles.board}>
        <div ref={board} />
        {choice.isOn &&
          chosenCells(tiles, choice.names).map(at => (
            <i key={at} className={styles.chosen} style={cursorStyle(at, layout)} />
          ))}
        {cursor !== null && <i className={styles.cursor} style={cursorStyle(cursor, layout)} />}
      </div>
      <span id={spoken} className="hidden" aria-live="polite">
        {current !== undefined && `${current.name}, ${percent(current.share)}, ${markWords[current.mark]}`}
        {isChosen && ', chosen'}
      </span>
    </>
  )
}

/** Where chosen hosts are: at most as many as can be changed at once. */
const chosenCells = (tiles: readonly Tile[], names: ReadonlySet<string>): number[] =>
  names.size === 0
    ? []
    : tiles.flatMap(({ name, isSharing }, at) => (!isSharing && names.has(name) ? [at] : []))

function useWidth(frame: RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(frame.current as HTMLDivElement)
    return () => observer.disconnect()
  }, [])
  return width
}

function usePainting(
  board: RefObject<HTMLDivElement | null>,
  tiles: readonly Tile[],
  layout: Layout,
  hasRoom: boolean,
): void {
  const scheme = useComputedColorScheme('light')
  const painting = useRef<Painting>(null)
  useEffect(() => {
    painting.current ??= new Painting(board.current as HTMLDivElement)
    if (hasRoom) painting.current.paint(tiles, layout, scheme)
    return () => painting.current?.stop()
  }, [tiles, layout, scheme, hasRoom])
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

export default DenseGroup
