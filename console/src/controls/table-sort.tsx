import { useMemo } from 'react'
import { orderKey } from '../formats.ts'
import { useUrlState } from '../url-state.ts'
import styles from './data-table.module.css'
import type { Column } from './data-table.tsx'
import { sorted, useSliced } from './slices.ts'

interface Sort {
  readonly id: string
  readonly down: boolean
}

/** The titles, each with a button that sorts by it. */
export function Head<Row>({
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

export function useSortedRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sortedBy: string,
  sortName: string,
) {
  const [sort, setSort] = useSort(sortedBy, sortName)
  const by = columns.find(column => column.id === sort.id)?.by
  const { result, isBusy } = useSliced(
    () => sorted(rows, by === undefined ? () => 0 : row => keyOfValue(by(row))),
    [rows, by],
  )
  return { sort, setSort, upwards: result ?? NO_ROWS, isBusy }
}

function useSort(first: string, name: string): [Sort, (sort: Sort) => void] {
  const [params, change] = useUrlState()
  const text = params.get(name) ?? first
  const sort = useMemo(() => ({ id: text.replace(/^-/, ''), down: text.startsWith('-') }), [text])
  const textOf = ({ id, down }: Sort) => `${down ? '-' : ''}${id}`
  return [sort, next => change({ [name]: textOf(next) === first ? null : textOf(next) })]
}

const NO_ROWS: readonly never[] = []

const keyOfValue = (value: string | number): string | number =>
  typeof value === 'number' ? value : orderKey(value)
