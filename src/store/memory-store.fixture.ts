import type { RowOp } from '../world/change.ts'
import { type AnyRow, makeRowKey, type Value } from '../world/table.ts'
import { mirroredTables, type TableName, tableByName } from '../world/tables.ts'
import { computeHeads, describeHead, GENESIS, isSameHead } from './chain.ts'
import {
  type Batch,
  type Committed,
  type FillableStore,
  type Head,
  type History,
  PlainRowTaken,
  type Retention,
  type Snapshot,
  StoreDiverged,
  StoreRefused,
  StoreUnavailable,
} from './store.ts'
import { describeTable, type StoredChange, type StoredName } from './tables/described-tables.ts'
import { loadFrom, readEveryPage } from './tables/every-page.ts'
import { selectedRows } from './tables/plain-query.fixture.ts'
import { computeKeptSince } from './tables/plain-query.ts'
import {
  type PlainName,
  type PlainPut,
  type PlainQuery,
  type PlainRow,
  plainTableByName,
} from './tables/plain-tables.ts'
import { encodeStoredChange, parseStoredChange } from './tables/stored-change.ts'

type Rows = Map<TableName, Map<string, AnyRow>>

/** A store without a disk, for tests that need many. It keeps the same contract. */
export class MemoryStore implements FillableStore {
  #head: Head = GENESIS
  #rows: Rows = new Map(mirroredTables.map(table => [table.name, new Map()]))
  #changes: Committed[] = []
  readonly #plain = new Map<string, AnyRow>()
  readonly #retention: Retention
  isObstructed = false

  constructor(retention: Partial<Retention> = {}) {
    this.#retention = { changesAgeMsMax: 1e12, changesCountMax: 1e6, ...retention }
  }

  async head(): Promise<Head> {
    return this.#head
  }

  async load(onRows: (table: TableName, rows: readonly AnyRow[]) => void): Promise<Head> {
    return loadFrom(await this.snapshot(), onRows)
  }

  async snapshot(): Promise<Snapshot> {
    const mirrored = this.#rows
    const changes = this.#changes.map(encodeStoredChange)
    const plain = [...this.#plain]
    const rowsOf = (table: StoredName): readonly AnyRow[] => {
      if (table === 'changes') return changes
      const rows = mirrored.get(table as TableName)?.values()
      return [...(rows ?? plain.filter(([key]) => tableOf(key) === table).map(([, row]) => row))]
    }
    return {
      head: this.#head,
      async *rows(table: StoredName, rowsMax = 10_000) {
        const all = rowsOf(table).toSorted((a, b) => byKey(table, a, b))
        // Whole changes may be large.
        const step = table === 'changes' ? 1 : rowsMax
        for (let at = 0; at < all.length; at += step) yield all.slice(at, at + step)
      },
      close: async () => {},
    }
  }

  async fill(source: Snapshot, took: (rows: number) => void = () => {}): Promise<Head> {
    if (!isSameHead(this.#head, GENESIS) || this.#plain.size > 0) throw new StoreRefused('it is not empty')
    const filled = new MemoryStore()
    for await (const { table, rows } of readEveryPage(source)) {
      for (const row of rows) filled.#take(table, row)
      took(rows.length)
    }
    if (this.isObstructed) throw new StoreUnavailable('obstructed')
    this.#rows = filled.#rows
    this.#changes = filled.#changes
    for (const [key, row] of filled.#plain) this.#plain.set(key, row)
    this.#head = source.head
    return source.head
  }

  #take(name: StoredName, row: AnyRow): void {
    const mirrored = this.#rows.get(name as TableName)
    if (name === 'changes') this.#changes.push(parseStoredChange(row as StoredChange))
    else if (mirrored !== undefined) mirrored.set(makeRowKey(describeTable(name), row), row)
    else this.#plain.set(keyOfPut({ table: name, row } as PlainPut), row)
  }

  async write(from: Head, decide: (missed: readonly Committed[]) => Batch | null): Promise<Head> {
    if (!isSameHead(from, this.#head))
      throw new StoreDiverged(`memory is at ${describeHead(from)}, the store at ${describeHead(this.#head)}`)
    const batch = decide([])
    if (batch === null) return from
    await Promise.resolve()
    if (this.isObstructed) throw new StoreUnavailable('obstructed')
    for (const put of batch.plain ?? []) this.#checkNew(put, batch.atMs)
    const rows: Rows = new Map([...this.#rows].map(([name, table]) => [name, new Map(table)]))
    const heads = computeHeads(from, batch.id, batch.changes.length)
    const committed = batch.changes.map(({ change, names }, at): Committed => {
      for (const op of change.ops) put(rows, op)
      return { ...(heads[at] as Head), batchId: batch.id, atMs: batch.atMs, change, names }
    })
    this.#rows = rows
    this.#changes.push(...structuredClone(committed))
    this.#head = heads.at(-1) ?? from
    for (const put of batch.plain ?? []) this.#plain.set(keyOfPut(put), put.row)
    this.#trim(batch.atMs)
    return this.#head
  }

  async changesAfter(revision: number, limit: number): Promise<History> {
    const oldestKept = this.#changes[0]?.revision ?? this.#head.revision + 1
    if (revision + 1 < oldestKept) return { kept: false, oldestKept }
    const from = revision + 1 - oldestKept
    return { kept: true, changes: this.#changes.slice(from, from + limit) }
  }

  async plainRow<N extends PlainName>(
    table: N,
    key: readonly Value[],
    nowMs: number,
  ): Promise<PlainRow<N> | null> {
    const row = this.#plain.get(plainKey(table, key))
    const isKept = row !== undefined && (row.at_ms as number) >= nowMs - plainTableByName[table].keepMsMax
    return isKept ? (row as PlainRow<N>) : null
  }

  async plainRows<N extends PlainName>(
    table: N,
    query: PlainQuery<N>,
    nowMs: number,
  ): Promise<PlainRow<N>[]> {
    const rows = [...this.#plain].filter(([key]) => tableOf(key) === table).map(([, row]) => row)
    return selectedRows(table, rows, query, computeKeptSince(table, nowMs)) as PlainRow<N>[]
  }

  async close(): Promise<void> {}

  #checkNew(put: PlainPut, nowMs: number): void {
    const there = put.isNew === true ? this.#plain.get(keyOfPut(put)) : undefined
    if (there !== undefined && (there.at_ms as number) >= nowMs - plainTableByName[put.table].keepMsMax)
      throw new PlainRowTaken(keyOfPut(put))
  }

  #trim(nowMs: number): void {
    const { changesCountMax, changesAgeMsMax } = this.#retention
    const isOver = (change: Committed) =>
      change.revision <= this.#head.revision - changesCountMax || change.atMs < nowMs - changesAgeMsMax
    const kept = this.#changes.findIndex(change => !isOver(change))
    if (kept > 0) this.#changes = this.#changes.slice(kept)
    for (const [key, row] of this.#plain) {
      const { keepMsMax } = plainTableByName[tableOf(key)]
      if ((row.at_ms as number) < nowMs - keepMsMax) this.#plain.delete(key)
    }
  }
}

const plainKey = (table: PlainName, key: readonly Value[]) => `${table}\n${JSON.stringify(key)}`

const tableOf = (key: string) => key.split('\n')[0] as PlainName

const keyOfPut = ({ table, row }: PlainPut) =>
  plainKey(
    table,
    plainTableByName[table].key.map(name => (row as AnyRow)[name] as Value),
  )

function byKey(name: StoredName, a: AnyRow, b: AnyRow): number {
  for (const column of describeTable(name).key) {
    const [x, y] = [a[column] as number | string, b[column] as number | string]
    if (x !== y) return x < y ? -1 : 1
  }
  return 0
}

function put(rows: Rows, op: RowOp): void {
  const described = tableByName[op.table]
  const table = rows.get(op.table) as Map<string, AnyRow>
  const key = makeRowKey(described, (op.after ?? op.before) as AnyRow)
  if (op.before === null && table.has(key)) throw new Error(`${op.table} ${key} is there already`)
  if (op.before !== null && JSON.stringify(table.get(key)) !== JSON.stringify(op.before))
    throw new StoreDiverged(`${op.table} ${key} is not stored as memory has it`)
  if (op.after === null) table.delete(key)
  else table.set(key, op.after)
}
