import { assert } from '../../kernel/assert.ts'
import { decodeOp, type EncodedOp, encodeOp } from '../../world/change.ts'
import type { AnyRow, Value } from '../../world/table.ts'
import { type TableName, tableByName } from '../../world/tables.ts'
import { describeHead, sameHead } from '../chain.ts'
import { type Batch, type Committed, type Head, type History, type Store, StoreDiverged } from '../store.ts'
import type { OpenRequest, Page, StoredChange } from './messages.ts'
import { SqliteThread } from './thread.ts'

export type SqliteOptions = Pick<OpenRequest, 'directory'> & Partial<OpenRequest>

const DEFAULTS = {
  changesAgeMsMax: 7 * 24 * 60 * 60 * 1000,
  changesCountMax: 1_000_000,
  busyTimeoutMs: 2_000,
  settleMsMax: 30_000,
  pagesMax: null,
}

/** Opens the store in a data directory, making both if need be. Rejects with StoreRefused in one plain line. */
export async function openSqlite(options: SqliteOptions): Promise<Store> {
  const request: OpenRequest = { ...DEFAULTS, ...options }
  assert(request.changesCountMax >= 1, 'at least the last change is kept')
  const thread = new SqliteThread()
  try {
    return new SqliteStore(thread, await thread.call('open', request))
  } catch (refused) {
    await thread.end()
    throw refused
  }
}

/** The store as the thread that answers HTTP sees it: nothing here touches the disk. */
class SqliteStore implements Store {
  readonly #thread: SqliteThread
  #head: Head
  #writing = false
  #closed: Promise<void> | null = null

  constructor(thread: SqliteThread, head: Head) {
    this.#thread = thread
    this.#head = head
  }

  async load(onRows: (table: TableName, rows: readonly AnyRow[]) => void): Promise<Head> {
    const { load, head } = await this.#thread.call('load-begin', null)
    try {
      // The worker reads the next page while this thread takes in the last one.
      let coming = this.#thread.call('load-next', { load })
      for (;;) {
        const page = await coming
        if (page === null) return head
        coming = this.#thread.call('load-next', { load })
        // The failure of a page that nobody waits for any more is not news.
        coming.catch(() => undefined)
        onRows(page.table, rowsOf(page))
      }
    } finally {
      await this.#thread.call('load-end', { load })
    }
  }

  head(): Promise<Head> {
    return this.#thread.call('head', null)
  }

  async write(from: Head, decide: (missed: readonly Committed[]) => Batch | null): Promise<Head> {
    assert(!this.#writing, 'one write at a time')
    if (!sameHead(from, this.#head))
      throw new StoreDiverged(`memory is at ${describeHead(from)}, the store at ${describeHead(this.#head)}`)
    // The file has one owner, so nobody else can have committed anything.
    const batch = decide([])
    if (batch === null) return from
    assert(batch.changes.length > 0, 'a batch has changes')
    const changes = batch.changes.map(change => JSON.stringify(change.ops.map(encodeOp)))
    this.#writing = true
    try {
      this.#head = await this.#thread.call('write', { from, batchId: batch.id, atMs: batch.atMs, changes })
      return this.#head
    } finally {
      this.#writing = false
    }
  }

  async changesAfter(revision: number, limit: number): Promise<History> {
    const found = await this.#thread.call('changes-after', { revision, limit })
    return found.kept ? { kept: true, changes: found.changes.map(committedOf) } : found
  }

  close(): Promise<void> {
    this.#closed ??= this.#thread.end()
    return this.#closed
  }
}

function rowsOf({ table, rows: length, columns }: Page): AnyRow[] {
  const names = tableByName[table].columnNames
  const values = columns.map(column => JSON.parse(column) as Value[])
  const rows: AnyRow[] = []
  for (let at = 0; at < length; at++) {
    const row: Record<string, Value> = {}
    for (let column = 0; column < names.length; column++)
      row[names[column] as string] = (values[column] as Value[])[at] as Value
    rows.push(row)
  }
  return rows
}

function committedOf({ revision, chain, batch_id, at_ms, ops }: StoredChange): Committed {
  const change = { ops: (JSON.parse(ops) as EncodedOp[]).map(decodeOp) }
  return { revision, chain, batchId: batch_id, atMs: at_ms, change }
}
