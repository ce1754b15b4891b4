import { rowFromValues, rowValues, type Value } from './table.ts'
import { type Row, type TableName, tableByName } from './tables.ts'

/** One row before and after: an insert has no before, a delete no after. */
export type RowOp = {
  [N in TableName]: { readonly table: N; readonly before: Row<N> | null; readonly after: Row<N> | null }
}[TableName]

/** What one accepted command does. Before-images make it exactly undoable. */
export interface Change {
  readonly ops: readonly RowOp[]
}

export function insert<N extends TableName>(table: N, after: Row<N>): RowOp {
  return { table, before: null, after } as unknown as RowOp
}

export function update<N extends TableName>(table: N, before: Row<N>, after: Row<N>): RowOp {
  return { table, before, after } as unknown as RowOp
}

export function remove<N extends TableName>(table: N, before: Row<N>): RowOp {
  return { table, before, after: null } as unknown as RowOp
}

/** The form of an op in the `changes` table: table name, then the row's values in column order. */
export type EncodedOp = [table: TableName, before: Value[] | null, after: Value[] | null]

export function encodeOp(op: RowOp): EncodedOp {
  const described = tableByName[op.table]
  const { before, after } = op
  return [
    op.table,
    before === null ? null : rowValues(described, before),
    after === null ? null : rowValues(described, after),
  ]
}

export function decodeOp([name, before, after]: EncodedOp): RowOp {
  const described = tableByName[name]
  const row = (values: Value[] | null) => (values === null ? null : rowFromValues(described, values))
  return { table: name, before: row(before), after: row(after) } as unknown as RowOp
}
