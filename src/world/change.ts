import { type AnyRow, makeRow, type Value } from './table.ts'
import { type Row, type TableName, tableByName } from './tables.ts'

/** One row before and after: an insert has no before, a delete no after. */
export type RowOp = {
  [N in TableName]: { readonly table: N; readonly before: Row<N> | null; readonly after: Row<N> | null }
}[TableName]

/** The effect of one accepted command. Before-images make it exactly undoable. */
export interface Change {
  readonly ops: readonly RowOp[]
}

export function insert<N extends TableName>(table: N, after: Row<N>): RowOp {
  return makeRowOp(table, null, after)
}

export function update<N extends TableName>(table: N, before: Row<N>, after: Row<N>): RowOp {
  return makeRowOp(table, before, after)
}

export function remove<N extends TableName>(table: N, before: Row<N>): RowOp {
  return makeRowOp(table, before, null)
}

/** For callers that know that the rows belong to the table. */
export const makeRowOp = (table: TableName, before: AnyRow | null, after: AnyRow | null): RowOp =>
  ({ table, before, after }) as RowOp

/** An op in the `changes` table: table name, then the row's values in column order. */
export type EncodedOp = [table: TableName, before: Value[] | null, after: Value[] | null]

export function encodeOps(ops: readonly RowOp[]): string {
  return JSON.stringify(
    ops.map(({ table, before, after }) => {
      const { columnNames } = tableByName[table]
      const values = (row: AnyRow | null) => row && columnNames.map(name => row[name])
      return [table, values(before), values(after)]
    }),
  )
}

export function decodeOp([name, before, after]: EncodedOp): RowOp {
  const described = tableByName[name]
  const row = (values: Value[] | null) => (values === null ? null : makeRow(described, values))
  return makeRowOp(name, row(before), row(after))
}
