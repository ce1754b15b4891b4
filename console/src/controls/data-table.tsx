import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useUrlState } from '../url-state.ts'
import styles from './data-table.module.css'

export interface Column<Row> {
  readonly id: string
  readonly title: string
  /** As in CSS grid. */
  readonly width: string
  readonly right?: boolean
  cell(row: Row): ReactNode
  /** What rows are sorted by; without it they cannot be. */
  readonly by?: (row: Row) => string | number
}

interface Sort {
  readonly id: string
  readonly down: boolean
}

/**
 * A grid of any number of rows, of which only those in sight are drawn. The order is in the address. Arrow keys go from
 * row to row, Enter follows the first link of the row.
 */
export function DataTable<Row>({
  label,
  rows,
  columns,
  keyOf,
  sortedBy,
  isSelected,
  height,
}: {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  keyOf(row: Row): string
  /** The column that it is sorted by at first. */
  readonly sortedBy?: string
  readonly isSelected?: (row: Row) => boolean
  readonly height?: string
}) {
  const [sort, setSort] = useSort(sortedBy ?? (columns[0] as Column<Row>).id)
  const sorted = useMemo(() => sortedRows(rows, columns, sort), [rows, columns, sort])
  const frame = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const next = rowAfter(event.key, active, sorted.length)
    if (event.target !== event.currentTarget.ownerDocument.activeElement) return
    if (event.key === 'Enter' && event.target instanceof HTMLElement && event.target.role === 'row')
      event.target.querySelector('a')?.click()
    if (next === null || !(event.target instanceof HTMLElement) || event.target.role !== 'row') return
    event.preventDefault()
    setActive(next)
    virtual.scrollToIndex(next)
    requestAnimationFrame(() =>
      frame.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus({ preventScroll: true }),
    )
  }
  const style = {
    '--columns': columns.map(column => column.width).join(' '),
    ...(height === undefined ? {} : { '--table-height': height }),
  } as CSSProperties
  return (
    <div className={styles.frame} ref={frame} style={style}>
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={sorted.length + 1}
        aria-colcount={columns.length}
        className={styles.table}
        onKeyDown={onKeyDown}
      >
        <Head columns={columns} sort={sort} onSort={setSort} />
        <div className={styles.body} role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = sorted[index] as Row
            return (
              <Line
                key={keyOf(row)}
                row={row}
                index={index}
                start={start}
                columns={columns as readonly Column<unknown>[]}
                isSelected={isSelected === undefined ? null : isSelected(row)}
                isActive={index === Math.min(active, sorted.length - 1)}
                onFocus={setActive}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Drawn once for as long as it is in sight: scrolling draws only what comes in. */
const Line = memo(function Line({
  row,
  index,
  start,
  columns,
  isSelected,
  isActive,
  onFocus,
}: {
  readonly row: unknown
  readonly index: number
  readonly start: number
  readonly columns: readonly Column<unknown>[]
  readonly isSelected: boolean | null
  readonly isActive: boolean
  readonly onFocus: (index: number) => void
}) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      {...(isSelected === null ? {} : { 'aria-selected': isSelected })}
      tabIndex={isActive ? 0 : -1}
      data-row={index}
      className={`${styles.row} ${styles.line}`}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={() => onFocus(index)}
    >
      {columns.map(column => (
        <div key={column.id} role="gridcell" className={styles.cell} data-right={column.right === true}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  )
})

const ROW_PX = 34

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
  const next = moves[key]
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next))
}

function Head<Row>({
  columns,
  sort,
  onSort,
}: {
  readonly columns: readonly Column<Row>[]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}) {
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" aria-rowindex={1} className={styles.row}>
        {columns.map(({ id, title, by, right }) => (
          <div
            key={id}
            role="columnheader"
            className={styles.cell}
            data-right={right === true}
            aria-sort={sort.id !== id ? 'none' : sort.down ? 'descending' : 'ascending'}
          >
            {by === undefined ? (
              title
            ) : (
              <button
                type="button"
                className={styles.sort}
                onClick={() => onSort({ id, down: sort.id === id && !sort.down })}
              >
                {title}
                {sort.id === id && <span aria-hidden="true">{sort.down ? '↓' : '↑'}</span>}
              </button>
            )}
          </div>
        ))}
      </div>
    </div>
  )
}

function useSort(first: string): [Sort, (sort: Sort) => void] {
  const [params, change] = useUrlState()
  const text = params.get('sort') ?? first
  const sort = useMemo(() => ({ id: text.replace(/^-/, ''), down: text.startsWith('-') }), [text])
  return [sort, ({ id, down }) => change({ sort: id === first && !down ? null : `${down ? '-' : ''}${id}` })]
}

const collator = new Intl.Collator('en', { numeric: true })

export function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { id, down }: Sort,
): readonly Row[] {
  const by = columns.find(column => column.id === id)?.by
  if (by === undefined) return rows
  const keyed = rows.map(row => ({ row, key: by(row) }))
  keyed.sort(({ key: one }, { key: other }) =>
    typeof one === 'number' && typeof other === 'number'
      ? one - other
      : collator.compare(String(one), String(other)),
  )
  if (down) keyed.reverse()
  return keyed.map(({ row }) => row)
}
