import type { AnyRow, Value } from '../../world/table.ts'
import { listOrderColumns } from './plain-query.ts'
import { type AnyPlainQuery, type PlainName, plainTableByName } from './plain-tables.ts'

/** Answers a query of plain rows from all rows of the table, to compare engines with. */
export function selectedRows(
  name: PlainName,
  rows: Iterable<AnyRow>,
  { where = {}, sinceMs, after, limit }: AnyPlainQuery,
  keptSinceMs: number,
): AnyRow[] {
  const order = listOrderColumns(plainTableByName[name])
  const place = (row: AnyRow): Value[] => order.map(column => row[column] as Value)
  return [...rows]
    .filter(row => (row.at_ms as number) >= Math.max(sinceMs ?? keptSinceMs, keptSinceMs))
    .filter(row => Object.entries(where).every(([column, value]) => row[column] === value))
    .filter(row => after === undefined || compared(place(row), after) < 0)
    .sort((a, b) => compared(place(b), place(a)))
    .slice(0, limit)
}

function compared(a: readonly Value[], b: readonly Value[]): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] as Value
    if (value !== other) return (value as string) < (other as string) ? -1 : 1
  }
  return 0
}
