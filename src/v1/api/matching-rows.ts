import type { Store } from '../../store/store.ts'
import { listOrderColumns } from '../../store/tables/plain-query.ts'
import { type PlainName, type PlainRow, plainTableByName } from '../../store/tables/plain-tables.ts'
import type { Value } from '../../world/table.ts'

export interface RowsQuestion<N extends PlainName> {
  /** Only rows older than this place: a time and a key. */
  readonly after: readonly Value[] | null
  readonly sinceMs: number
  readonly limit: number
  /** At most this many rows are read; those that do not match count. */
  readonly readMax: number
  /** Called once for each row, in order. */
  matches(row: PlainRow<N>): boolean
}

interface FoundRows<N extends PlainName> {
  readonly rows: readonly PlainRow<N>[]
  /** After which row to read on; null if nothing older can match. */
  readonly last: PlainRow<N> | null
}

const BATCH_ROWS = 1_000

/**
 * Rows of a plain table that match, the newest first. It reads by time and filters here: a store that filters may have to look at
 * millions of rows in one statement, and commits would wait for it.
 */
export async function readMatchingRows<N extends PlainName>(
  store: Pick<Store, 'plainRows'>,
  table: N,
  question: RowsQuestion<N>,
  nowMs: number,
): Promise<FoundRows<N>> {
  const { limit, sinceMs, readMax, matches } = question
  const order = listOrderColumns(plainTableByName[table])
  const placeOf = (row: PlainRow<N>) => order.map(column => Reflect.get(row, column) as Value)
  const rows: PlainRow<N>[] = []
  let last: PlainRow<N> | null = null as PlainRow<N> | null
  // If all match, one batch is enough.
  let size = Math.min(limit + 1, BATCH_ROWS)
  for (let read = 0; read < readMax; size = BATCH_ROWS) {
    const wanted = Math.min(size, readMax - read)
    const after: readonly Value[] | null = last === null ? question.after : placeOf(last)
    const query = { limit: wanted, ...(after === null ? {} : { after }) }
    const batch: PlainRow<N>[] = await store.plainRows(table, query, nowMs)
    for (const row of batch) {
      if ((row.at_ms as number) < sinceMs) return { rows, last: null }
      const isWanted = matches(row)
      // One more than wanted shows that there is a next page.
      if (isWanted && rows.length === limit) return { rows, last }
      if (isWanted) rows.push(row)
      last = row
    }
    read += batch.length
    if (batch.length < wanted) return { rows, last: null }
  }
  return { rows, last }
}
