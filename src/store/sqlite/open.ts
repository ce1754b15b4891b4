import { assert } from '../../kernel/assert.ts'
import { encodeOps } from '../../world/change.ts'
import { type AnyRow, listValues, type Value } from '../../world/table.ts'
import type { TableName } from '../../world/tables.ts'
import { describeHead, isSameHead } from '../chain.ts'
import {
  type Backup,
  type Batch,
  type Committed,
  type FillableStore,
  type Head,
  type History,
  type Snapshot,
  StoreDiverged,
} from '../store.ts'
import { describeTable } from '../tables/described-tables.ts'
import { loadFrom, readEveryPage } from '../tables/every-page.ts'
import { computeKeptSince } from '../tables/plain-query.ts'
import type { PlainName, PlainQuery, PlainRow } from '../tables/plain-tables.ts'
import { parseStoredChange } from '../tables/stored-change.ts'
import { type OpenRequest, packPuts } from './messages.ts'
import { ReadSnapshot } from './read-snapshot.ts'
import { TemporaryFile } from './temporary-file.ts'
import { SqliteThread } from './thread.ts'

export type SqliteOptions = Pick<OpenRequest, 'directory'> & Partial<OpenRequest>

const DEFAULTS = {
  changesAgeMsMax: 7 * 24 * 60 * 60 * 1000,
  changesCountMax: 1_000_000,
  busyTimeoutMs: 2_000,
  settleMsMax: 30_000,
  pagesMax: null,
  mustExist: false,
  newLedger: false,
}

/** Reads that wait longer fail: the disk does not answer. */
const READ_MS_MAX = 5_000

/** Opens the store in a data directory, creating both if necessary. Rejects with StoreRefused in one line. */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const request = { ...DEFAULTS, ...options }
  assert(request.changesCountMax >= 1, 'at least the last change is kept')
  const thread = new SqliteThread()
  try {
    const { head, warnings } = await thread.call('open', request)
    return new SqliteStore(thread, head, warnings)
  } catch (refused) {
    await thread.end()
    throw refused
  }
}

/** The store as the main thread sees it: nothing here touches the disk. */
export class SqliteStore implements FillableStore {
  /** Warnings from opening it, one line each. */
  readonly warnings: readonly string[]
  readonly #thread: SqliteThread
  #head: Head
  #writing = false
  #closed: Promise<void> | null = null

  constructor(thread: SqliteThread, head: Head, warnings: readonly string[]) {
    this.warnings = warnings
    this.#thread = thread
    this.#head = head
  }

  async load(onRows: (table: TableName, rows: readonly AnyRow[]) => void): Promise<Head> {
    return loadFrom(await this.snapshot(), onRows)
  }

  snapshot(): Promise<Snapshot> {
    return ReadSnapshot.begin(this.#thread)
  }

  head(): Promise<Head> {
    return this.#thread.call('head', null)
  }

  async check(): Promise<void> {
    await this.#thread.call('check', null)
  }

  owedMs(): number {
    this.#thread.giveUpReads(READ_MS_MAX)
    return this.#thread.owedMs()
  }

  async write(from: Head, decide: (missed: readonly Committed[]) => Batch | null): Promise<Head> {
    assert(!this.#writing, 'one write at a time')
    if (!isSameHead(from, this.#head))
      throw new StoreDiverged(`memory is at ${describeHead(from)}, the store at ${describeHead(this.#head)}`)
    // The file has one owner, so no other process can have committed.
    const batch = decide([])
    if (batch === null) return from
    assert(batch.changes.length > 0 || (batch.plain ?? []).length > 0, 'a batch has something to write')
    const ops = batch.changes.map(({ change }) => encodeOps(change.ops))
    const names = batch.changes.map(one => JSON.stringify(one.names))
    const plain = packPuts(batch.plain ?? [])
    this.#writing = true
    try {
      const request = { from, batchId: batch.id, atMs: batch.atMs, ops, names, plain }
      this.#head = await this.#thread.call('write', request)
      return this.#head
    } finally {
      this.#writing = false
    }
  }

  async changesAfter(revision: number, limit: number): Promise<History> {
    const found = await this.#thread.call('changes-after', { revision, limit })
    return found.kept ? { kept: true, changes: found.changes.map(parseStoredChange) } : found
  }

  async plainRow<N extends PlainName>(
    table: N,
    key: readonly Value[],
    nowMs: number,
  ): Promise<PlainRow<N> | null> {
    const row = await this.#thread.call('plain-row', { table, key })
    if (row === null || (row.at_ms as number) < computeKeptSince(table, nowMs)) return null
    return row as PlainRow<N>
  }

  async plainRows<N extends PlainName>(
    table: N,
    query: PlainQuery<N>,
    nowMs: number,
  ): Promise<PlainRow<N>[]> {
    return (await this.#thread.call('plain-rows', {
      table,
      query,
      sinceMs: computeKeptSince(table, nowMs),
    })) as PlainRow<N>[]
  }

  async fill(source: Snapshot, took: (rows: number) => void = () => {}): Promise<Head> {
    assert(!this.#writing, 'one write at a time')
    this.#writing = true
    try {
      await this.#thread.call('fill-begin', null)
      for await (const { table, rows } of readEveryPage(source)) {
        const described = describeTable(table)
        await this.#thread.call('fill-rows', { table, rows: rows.map(row => listValues(described, row)) })
        took(rows.length)
      }
      this.#head = await this.#thread.call('fill-end', source.head)
      return this.#head
    } catch (reason) {
      await this.#thread.call('fill-cancel', null).catch(() => undefined)
      throw reason
    } finally {
      this.#writing = false
    }
  }

  async backup(): Promise<Backup> {
    const { head, path } = await this.#thread.call('backup', null)
    return TemporaryFile.open(path, head)
  }

  close(): Promise<void> {
    this.#closed ??= this.#thread.end()
    return this.#closed
  }
}
