import type { RowOp } from '../../world/change.ts'
import type { NamedChange } from '../../world/naming.ts'
import type { AnyRow, Table, Value } from '../../world/table.ts'
import { tableByName } from '../../world/tables.ts'
import { StoreDiverged, StoreRejected } from '../store.ts'

/** The net effect of a batch on one table, in an order that violates no unique column: as listed here. */
export interface TableEffect {
  readonly table: Table
  readonly deleted: AnyRow[]
  /** By the columns that change, none of them unique. */
  readonly updated: Map<string, Updated>
  readonly inserted: AnyRow[]
}

interface Updated {
  readonly columns: readonly string[]
  readonly before: AnyRow[]
  readonly after: AnyRow[]
}

interface RowEffect {
  readonly before: AnyRow | null
  after: AnyRow | null
}

/** The changes of a batch combined: of each row only its first and last state. */
export function computeNetEffect(changes: readonly NamedChange[]): TableEffect[] {
  const tables = new Map<Table, Map<string, RowEffect>>()
  for (const { change } of changes)
    for (const op of change.ops) {
      const table = tableByName[op.table]
      const rows = tables.get(table) ?? new Map<string, RowEffect>()
      tables.set(table, rows)
      take(table, rows, op)
    }
  return [...tables].map(([table, rows]) => combineRows(table, [...rows.values()]))
}

export const renderKey = (table: Table, row: AnyRow): string =>
  table.key.length === 1
    ? String(row[table.key[0] as string])
    : JSON.stringify(table.key.map(name => row[name]))

function take(table: Table, rows: Map<string, RowEffect>, { before, after }: RowOp): void {
  const key = renderKey(table, (before ?? after) as AnyRow)
  if (before !== null && after !== null && renderKey(table, after) !== key)
    throw new StoreDiverged(`an update of ${table.name} would change its key`)
  const row = rows.get(key)
  if (row === undefined) {
    rows.set(key, { before, after })
    return
  }
  if (before === null && row.after !== null)
    throw new StoreRejected(`a batch inserts a row of ${table.name} twice`)
  if (before !== null && (row.after === null || listChangedColumns(table, row.after, before).length > 0))
    throw new StoreDiverged(`a row of ${table.name} is not stored as memory has it`)
  row.after = after
}

function listChangedColumns(table: Table, before: AnyRow, after: AnyRow): string[] {
  return table.columnNames.filter(name => (before[name] as Value) !== (after[name] as Value))
}

function combineRows(table: Table, rows: readonly RowEffect[]): TableEffect {
  const effect: TableEffect = { table, deleted: [], updated: new Map(), inserted: [] }
  const unique = new Set(table.unique.flat())
  for (const { before, after } of rows) {
    if (before !== null && after !== null) {
      const columns = listChangedColumns(table, before, after)
      if (!columns.some(name => unique.has(name))) {
        if (columns.length > 0) update(effect, columns, before, after)
        continue
      }
    }
    // Two rows may swap a unique value: so delete first, insert later.
    if (before !== null) effect.deleted.push(before)
    if (after !== null) effect.inserted.push(after)
  }
  return effect
}

function update({ updated }: TableEffect, columns: readonly string[], before: AnyRow, after: AnyRow): void {
  const name = columns.join(' ')
  const same = updated.get(name) ?? { columns, before: [], after: [] }
  updated.set(name, same)
  same.before.push(before)
  same.after.push(after)
}
