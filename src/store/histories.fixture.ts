import fc from 'fast-check'
import type { Change, RowOp } from '../world/change.ts'
import { type AnyRow, type Column, makeRowKey, type Table, type Value } from '../world/table.ts'
import { mirroredTables, type TableName } from '../world/tables.ts'

/** Random histories over every described table, as a store sees them: rows by key, no rules behind them. */

const tables = mirroredTables as readonly Table<TableName>[]

export type Rows = Map<TableName, Map<string, AnyRow>>

export const noRows = (): Rows => new Map(tables.map(table => [table.name, new Map()]))

/** What a store should hold, as plain data that compares well. */
export function plain(rows: Rows): Record<string, AnyRow[]> {
  const sorted = (table: Map<string, AnyRow>) =>
    [...table].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => ({ ...row }))
  return Object.fromEntries([...rows].map(([name, table]) => [name, sorted(table)]))
}

export function put(rows: Rows, op: RowOp, direction: 'apply' | 'undo' = 'apply'): void {
  const [from, to] = direction === 'apply' ? [op.before, op.after] : [op.after, op.before]
  const described = tables.find(table => table.name === op.table) as Table
  const table = rows.get(op.table) as Map<string, AnyRow>
  if (from !== null) table.delete(makeRowKey(described, from))
  if (to !== null) table.set(makeRowKey(described, to), to)
}

interface Step {
  readonly table: number
  readonly keys: readonly number[]
  readonly remove: boolean
  readonly numbers: readonly number[]
  readonly reals: readonly number[]
  readonly texts: readonly string[]
  readonly nulls: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  table: fc.nat(tables.length - 1),
  keys: fc.array(fc.nat(3), { minLength: 3, maxLength: 3 }),
  remove: fc.boolean(),
  numbers: fc.array(fc.maxSafeInteger(), { minLength: 9, maxLength: 9 }),
  reals: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }).map(unsigned), {
    minLength: 9,
    maxLength: 9,
  }),
  texts: fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { minLength: 9, maxLength: 9 }),
  nulls: fc.boolean(),
})

/** No column ever holds minus zero. */
function unsigned(value: number): number {
  return value === 0 ? 0 : value
}

/** Batches of changes; the ops of each fit the rows that earlier ones left. */
export const histories: fc.Arbitrary<Change[][]> = fc
  .array(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }), {
    maxLength: 10,
  })
  .map(batches => {
    const rows = noRows()
    return batches.map(batch => batch.map(steps => ({ ops: steps.flatMap(one => opOf(rows, one)) })))
  })
  .map(batches => batches.map(batch => batch.filter(change => change.ops.length > 0)))
  .map(batches => batches.filter(batch => batch.length > 0))

function opOf(rows: Rows, wanted: Step): RowOp[] {
  const described = tables[wanted.table] as Table<TableName>
  const row = rowOf(described, wanted)
  const before = rows.get(described.name)?.get(makeRowKey(described, row)) ?? null
  const after = before !== null && wanted.remove ? null : row
  const op = { table: described.name, before, after } as unknown as RowOp
  put(rows, op)
  return [op]
}

function rowOf(described: Table, wanted: Step): AnyRow {
  const key = described.key.map((_, at) => wanted.keys[at] as number)
  const unique = new Set(described.unique.flat())
  const value = (name: string, at: number): Value => {
    const place = described.key.indexOf(name)
    const column = described.columns[name] as Column
    if (place >= 0) return column.type === 'text' ? `key ${key[place]}` : (key[place] as number)
    if ('nullable' in column && wanted.nulls) return null
    if (column.type === 'integer') return wanted.numbers[at % 9] as number
    if (column.type === 'real') return wanted.reals[at % 9] as number
    const text = wanted.texts[at % 9] as string
    return unique.has(name) ? `${text}/${key.join(' ')}` : text
  }
  return Object.fromEntries(described.columnNames.map((name, at) => [name, value(name, at)]))
}
