import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
} from 'react'
import { ownValue } from '../../../src/kernel/records.ts'
import styles from './data-table.module.css'
import { ExportButtons } from './export-buttons.tsx'
import type { ExportedValue } from './exported-rows.ts'
import { rowTabStop } from './row-tab-stop.ts'
import { Head, useSortedRows } from './table-sort.tsx'

export interface Column<Row> {
  readonly id: string
  readonly title: string
  /** As in CSS grid. */
  readonly width: string
  readonly right?: boolean
  cell(row: Row): ReactNode
  /** The sort key of rows; without it the column cannot be sorted. */
  readonly by?: (row: Row) => string | number
  /** In exports; without it the sort key. */
  readonly exported?: (row: Row) => ExportedValue
}

interface TableParts<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  keyOf(row: Row): string
  /** The initial sort column, with a minus for descending order. */
  readonly sortedBy?: string
  /** Of the sort order in the address, where a page has several tables. */
  readonly sortName?: string
  /** For rows that change in place: a number that changes when a row must be rendered again. */
  readonly versionOf?: (row: Row) => number
  readonly isSelected?: (row: Row) => boolean
  readonly height?: string
}

/**
 * A grid of any number of rows that draws only the visible ones. The sort order is in the address. Arrow keys move
 * from row to row, Enter follows the first link of the row. Below it, the whole table can be exported.
 */
export function DataTable<Row>({
  cut = null,
  ...parts
}: TableParts<Row> & {
  /** What the rows are not all of, such as `the first 200 decisions`. */
  readonly cut?: string | null
}) {
  const { columns, sortedBy, sortName = 'sort' } = parts
  const order = useSortedRows(parts.rows, columns, sortedBy ?? (columns[0] as Column<Row>).id, sortName)
  const inOrder = () => (order.sort.down ? order.upwards.toReversed() : order.upwards)
  return (
    <div className={styles.whole}>
      <Grid {...parts} order={order} />
      <ExportButtons label={parts.label} rows={inOrder} columns={exportedColumns(columns)} cut={cut} />
    </div>
  )
}

const exportedColumns = <Row,>(columns: readonly Column<Row>[]) =>
  columns.flatMap(({ id, title, by, exported = by }) =>
    exported === undefined ? [] : [{ id, title, value: exported }],
  )

function Grid<Row>({
  label,
  columns,
  keyOf,
  versionOf,
  isSelected,
  height,
  order: { sort, setSort, upwards, isBusy },
}: TableParts<Row> & { readonly order: ReturnType<typeof useSortedRows<Row>> }) {
  const count = upwards.length
  const rowAt = (index: number) => upwards[sort.down ? count - 1 - index : index] as Row
  const frame = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const focus = useRowFocus(frame)
  const virtual = useVirtualizer({ ...FIXED_ROWS, count, getScrollElement: () => frame.current })
  const onKeyDown = (event: KeyboardEvent) => {
    const row = focusedRow(event)
    if (row === null) return
    if (event.key === 'Enter') focus.follow(row)
    const next = rowAfter(event.key, active, count)
    if (next === null) return
    event.preventDefault()
    setActive(next)
    scrollTo(frame.current as HTMLDivElement, next)
    focus.move(next)
  }
  const items = virtual.getVirtualItems()
  const isReused = count > MANY
  const { drawn, slotOf } = useSlots(items, isReused)
  const id = useId()
  const whole = useWholeLines(items, isReused, upwards, sort.down)
  const stop = useTabStop(items, Math.min(active, count - 1))
  return (
    <div className={styles.frame} ref={frame} style={styleOf(columns, height)}>
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-busy={isBusy}
        aria-colcount={columns.length}
        className={styles.table}
        onKeyDown={onKeyDown}
      >
        <Head columns={columns} sort={sort} onSort={setSort} />
        <div
          className={styles.body}
          role="rowgroup"
          style={{ height: virtual.getTotalSize() }}
          {...(isReused ? { 'aria-owns': items.map(({ index }) => `${id}${index}`).join(' ') } : {})}
        >
          {drawn.map(({ index, start }) => {
            const row = rowAt(index)
            return (
              <Line
                key={isReused ? slotOf(index) : keyOf(row)}
                id={`${id}${index}`}
                row={row}
                index={index}
                start={start}
                columns={columns as readonly Column<unknown>[]}
                isSelected={isSelected === undefined ? null : isSelected(row)}
                version={versionOf?.(row) ?? 0}
                isWhole={index - (items[0]?.index ?? 0) < whole}
                isActive={index === Math.min(active, count - 1)}
                isStop={index === stop}
                onFocus={setActive}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** The row that a key is for; null if it is for something inside of a row. */
function focusedRow({ target }: KeyboardEvent): HTMLElement | null {
  if (!(target instanceof HTMLElement) || target.role !== 'row') return null
  return target === target.ownerDocument.activeElement ? target : null
}

/** Drawn once while it is visible. A line that scrolls out on one side is reused for one that comes in. */
const Line = memo(function Line({
  id,
  row,
  index,
  start,
  columns,
  isSelected,
  version,
  isWhole,
  isActive,
  isStop,
  onFocus,
}: {
  readonly id: string
  readonly row: unknown
  readonly index: number
  readonly start: number
  readonly columns: readonly Column<unknown>[]
  readonly isSelected: boolean | null
  readonly version: number
  readonly isWhole: boolean
  readonly isActive: boolean
  /** It is the tab stop. */
  readonly isStop: boolean
  readonly onFocus: (index: number) => void
}) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // It shows another row now, which is not selected.
    const { activeElement } = document
    if (activeElement instanceof HTMLElement && element.current?.contains(activeElement) && !isActive)
      activeElement.blur()
  }, [index])
  const drawn = useRef<{ readonly row: unknown; readonly version: number }>(null)
  if (isWhole && (drawn.current?.row !== row || drawn.current?.version !== version))
    drawn.current = { row, version }
  return (
    <div
      ref={element}
      id={id}
      role="row"
      aria-rowindex={index + 2}
      {...(isSelected === null ? {} : { 'aria-selected': isSelected })}
      tabIndex={isStop ? 0 : -1}
      data-row={index}
      data-bare={!isWhole}
      className={`${styles.row} ${styles.line}`}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={() => onFocus(index)}
    >
      <Cells columns={columns} from={0} row={row} version={version} />
      <Cells columns={columns} from={1} row={drawn.current?.row} version={drawn.current?.version ?? -1} />
    </div>
  )
})

/** The first cell, or those after it, which are hidden while their row is not drawn. */
const Cells = memo(function Cells({
  columns,
  from,
  row,
}: {
  readonly columns: readonly Column<unknown>[]
  readonly from: 0 | 1
  /** Undefined: none yet. */
  readonly row: unknown
  readonly version: number
}) {
  return (from === 0 ? columns.slice(0, 1) : columns.slice(1)).map(column => (
    <div key={column.id} role="gridcell" className={styles.cell} data-right={column.right === true}>
      {row !== undefined && column.cell(row)}
    </div>
  ))
})

const styleOf = (columns: readonly { readonly width: string }[], height: string | undefined) =>
  ({
    '--columns': columns.map(column => column.width).join(' '),
    ...(height === undefined ? {} : { '--table-height': height }),
  }) as CSSProperties

/** All rows have the same height, so none needs to be measured. */
function scrollTo(frame: HTMLDivElement, index: number): void {
  const top = index * ROW_PX
  // The sticky head is as high as a row.
  const bottom = top + 2 * ROW_PX - frame.clientHeight
  if (frame.scrollTop > top) frame.scrollTop = top
  else if (frame.scrollTop < bottom) frame.scrollTop = bottom
}

/**
 * Focuses a row, at the latest when it is drawn. Until then the row before it has the focus, but Enter
 * opens the new one.
 */
function useRowFocus(frame: RefObject<HTMLDivElement | null>) {
  const wanted = useRef<{ readonly index: number; isFollowed: boolean } | null>(null)
  const followLink = (row: HTMLElement) => row.querySelector('a')?.click()
  const tryNow = () => {
    if (wanted.current === null) return
    const { index, isFollowed } = wanted.current
    const { activeElement } = document
    const isElsewhere = activeElement !== document.body && !frame.current?.contains(activeElement)
    const row = frame.current?.querySelector<HTMLElement>(`[data-row="${index}"]`) ?? null
    if (isElsewhere || row !== null) wanted.current = null
    if (isElsewhere || row === null) return
    row.focus({ preventScroll: true })
    if (isFollowed) followLink(row)
  }
  useLayoutEffect(tryNow)
  return {
    move(index: number): void {
      wanted.current = { index, isFollowed: false }
      tryNow()
    },
    follow(row: HTMLElement): void {
      if (wanted.current === null) followLink(row)
      else wanted.current.isFollowed = true
    },
  }
}

function useTabStop(items: readonly { readonly index: number }[], active: number): number {
  const stop = useRef(0)
  stop.current = rowTabStop(items, active, stop.current, OVERSCAN)
  return stop.current
}

/**
 * Reused lines keep their place in the document, so it lists them in the order of places; screen readers
 * get the order of the rows.
 */
function useSlots<Item extends { readonly index: number }>(items: readonly Item[], isReused: boolean) {
  const slots = useRef(0)
  slots.current = Math.max(slots.current, items.length)
  const slotOf = (index: number) => index % slots.current
  const bySlot = (one: Item, other: Item) => slotOf(one.index) - slotOf(other.index)
  return { drawn: isReused ? items.toSorted(bySlot) : items, slotOf }
}

/** How many lines are rendered completely in each frame after a jump. */
const WHOLE_STEP = 6
const WHOLE_MS = 17

/**
 * How many lines, from the first, are drawn with all their cells. After a jump to other rows all lines are new at once:
 * then each shows its first cell, and the others in the next frames.
 */
function useWholeLines(
  items: readonly { readonly index: number }[],
  isReused: boolean,
  rows: unknown,
  down: boolean,
): number {
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const seen = useRef({ first: 0, rows, down, whole: 0 })
  const first = items[0]?.index ?? 0
  const last = seen.current
  const isLeap =
    last.rows !== rows || last.down !== down || Math.abs(first - last.first) > items.length - WHOLE_STEP
  const whole = isLeap ? 0 : last.whole
  seen.current = { first, rows, down, whole }
  const isBehind = isReused && whole < items.length
  useEffect(() => {
    if (!isBehind) return
    // In the next frame: a request during this render still belongs to this render.
    const timer = setTimeout(() => {
      seen.current.whole += WHOLE_STEP
      redraw()
    }, WHOLE_MS)
    return () => clearTimeout(timer)
  })
  return isBehind ? whole : Number.POSITIVE_INFINITY
}

const ROW_PX = 34
/** Rows rendered beyond the visible ones, on each side. */
const OVERSCAN = 3
const FIXED_ROWS = { estimateSize: () => ROW_PX, overscan: OVERSCAN }
/** Above this number of rows, lines on the screen are recycled. */
const MANY = 200

function rowAfter(key: string, at: number, count: number): number | null {
  const page = 15
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  }
  const next = ownValue(moves, key)
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next))
}
