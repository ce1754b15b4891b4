import { computeHeads } from '../../src/store/chain.ts'
import {
  type Batch,
  type Committed,
  type Head,
  type History,
  PlainRowTaken,
  type Retention,
  StoreDiverged,
  StoreRejected,
} from '../../src/store/store.ts'
import { type PlainName, type PlainPut, plainTableByName } from '../../src/store/tables/plain-tables.ts'
import type { RowOp } from '../../src/world/change.ts'
import { type AnyRow, makeRowKey, type Table, type Value } from '../../src/world/table.ts'
import { mirroredTables, type TableName, tableByName } from '../../src/world/tables.ts'

/** The rows of each table by key. Immutable: a write makes new maps for the tables that it touches. */
export type Rows = ReadonlyMap<TableName, ReadonlyMap<string, AnyRow>>

/** The content of a database as of one commit. */
export interface State {
  readonly head: Head
  readonly rows: Rows
  readonly changes: readonly Committed[]
  readonly plain: ReadonlyMap<string, AnyRow>
}

/** The rows after each change of a batch. */
export interface Passed {
  readonly committed: Committed
  readonly rows: Rows
}

export const noRows = (): Rows => new Map(mirroredTables.map(table => [table.name, new Map()]))

const findTable = (name: TableName): Table => tableByName[name]

/** The state after a batch, or why it is refused. */
export function withBatch(
  state: State,
  batch: Batch,
  retention: Retention,
): { readonly state: State; readonly passed: readonly Passed[] } {
  const heads = computeHeads(state.head, batch.id, batch.changes.length)
  let { rows } = state
  const passed = batch.changes.map(({ change, names }, at): Passed => {
    rows = withOps(rows, change.ops)
    const committed = { ...(heads[at] as Head), batchId: batch.id, atMs: batch.atMs, change, names }
    return { committed, rows }
  })
  const head = heads.at(-1) ?? state.head
  const all = [...state.changes, ...passed.map(({ committed }) => committed)]
  return {
    state: {
      head,
      rows,
      changes: trimmed(all, head, retention, batch.atMs),
      plain: withPuts(state.plain, batch.plain ?? [], batch.atMs),
    },
    passed,
  }
}

function withOps(rows: Rows, ops: readonly RowOp[]): Rows {
  const after = new Map(rows)
  const copied = new Set<TableName>()
  for (const op of ops) {
    if (!copied.has(op.table)) after.set(op.table, new Map(after.get(op.table)))
    copied.add(op.table)
    put(findTable(op.table), after.get(op.table) as Map<string, AnyRow>, op.before, op.after)
  }
  return after
}

function put(table: Table, rows: Map<string, AnyRow>, before: AnyRow | null, after: AnyRow | null): void {
  const key = makeRowKey(table, (after ?? before) as AnyRow)
  const held = rows.get(key)
  if (before === null && held !== undefined) throw new StoreRejected(`${table.name} ${key} is there already`)
  if (before !== null && (held === undefined || !sameRow(table, held, before)))
    throw new StoreDiverged(`${table.name} ${key} is not stored as memory has it`)
  if (after === null) {
    rows.delete(key)
    return
  }
  for (const columns of table.unique)
    if (before === null || columns.some(name => before[name] !== after[name]))
      for (const [other, row] of rows)
        if (other !== key && columns.every(name => row[name] === after[name]))
          throw new StoreRejected(`${table.name} has ${columns.map(name => after[name])} already`)
  rows.set(key, after)
}

export function sameRow(table: Table, a: AnyRow, b: AnyRow): boolean {
  for (const name of table.columnNames) if (a[name] !== b[name]) return false
  return true
}

function trimmed(
  all: readonly Committed[],
  head: Head,
  { changesCountMax, changesAgeMsMax }: Retention,
  nowMs: number,
): readonly Committed[] {
  const isKept = (change: Committed) =>
    change.revision > head.revision - changesCountMax && change.atMs >= nowMs - changesAgeMsMax
  const first = all.findIndex(isKept)
  return first < 0 ? [] : all.slice(first)
}

export function changesAfter(state: State, revision: number, limit: number): History {
  const oldestKept = state.changes[0]?.revision ?? state.head.revision + 1
  if (revision + 1 < oldestKept) return { kept: false, oldestKept }
  const from = revision + 1 - oldestKept
  return { kept: true, changes: state.changes.slice(from, from + limit) }
}

const plainKey = (table: PlainName, key: readonly Value[]): string => `${table} ${JSON.stringify(key)}`

const keyOf = ({ table, row }: PlainPut): string =>
  plainKey(
    table,
    plainTableByName[table].key.map(name => (row as AnyRow)[name] as Value),
  )

function withPuts(
  plain: ReadonlyMap<string, AnyRow>,
  puts: readonly PlainPut[],
  nowMs: number,
): ReadonlyMap<string, AnyRow> {
  if (puts.length === 0) return plain
  const after = new Map(plain)
  for (const one of puts) {
    const there = after.get(keyOf(one))
    const isThere =
      there !== undefined && (there.at_ms as number) >= nowMs - plainTableByName[one.table].keepMsMax
    if (one.isNew === true && isThere) throw new PlainRowTaken(`${keyOf(one)} is there already`)
    after.set(keyOf(one), one.row)
  }
  return after
}

export function plainRow(state: State, table: PlainName, key: readonly Value[]): AnyRow | null {
  return state.plain.get(plainKey(table, key)) ?? null
}

export function holds(state: State, puts: readonly PlainPut[]): boolean {
  return puts.every(one => {
    const row = state.plain.get(keyOf(one))
    return row !== undefined && sameRow(plainTableByName[one.table], row, one.row)
  })
}
