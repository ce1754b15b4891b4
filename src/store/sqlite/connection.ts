import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { EncodedOp } from '../../world/change.ts'
import { computeHeads, describeHead, isSameHead } from '../chain.ts'
import { createPrivateFile } from '../files/file-modes.ts'
import { type Head, type Retention, StoreDiverged } from '../store.ts'
import type { StoredChange } from '../tables/described-tables.ts'
import { parseHead, SELECT_HEAD } from './head-row.ts'
import { type StoredHistory, unpackPuts, type WriteRequest } from './messages.ts'
import { PlainRows } from './plain-rows.ts'
import { RowWriter } from './rows.ts'

/** Old changes dropped per write. */
const TRIMMED_PER_WRITE_MAX = 1000

/** A page of history ends when its ops are this long. */
const HISTORY_LENGTH_MAX = 8_000_000

interface ConnectionSettings {
  readonly busyTimeoutMs: number
  readonly pagesMax: number | null
}

type LogState = {
  readonly busy: number
  /** In pages: the length of the log, and how much of it is in the database file. */
  readonly log: number
  readonly checkpointed: number
}

type OldestChange = Pick<StoredChange, 'revision' | 'at_ms'>

/**
 * A commit is on disk before it returns (FULL), and the log shrinks after a large one. The cache is small: SQLite
 * searches all of it when an index page is split, and the system caches the rest.
 */
export function connect(file: string, settings: ConnectionSettings): DatabaseSync {
  // The log and its index get the mode of the file.
  createPrivateFile(file)
  const db = new DatabaseSync(file, { timeout: settings.busyTimeoutMs })
  db.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -16384; PRAGMA journal_size_limit = 67108864')
  // The log is copied into the file between commits, and only there: see file.ts.
  db.exec('PRAGMA wal_autocheckpoint = 0')
  if (settings.pagesMax !== null) db.exec(`PRAGMA max_page_count = ${settings.pagesMax}`)
  return db
}

/** Head, changes and rows through one open connection. Errors are handled in file.ts. */
export class Connection {
  readonly db: DatabaseSync
  readonly plain: PlainRows
  readonly #file: string
  readonly #rows: RowWriter
  readonly #readHead: StatementSync
  readonly #readChain: StatementSync
  readonly #readLogState: StatementSync
  readonly #moveHead: StatementSync
  readonly #addChange: StatementSync
  readonly #changesAfter: StatementSync
  readonly #readOldest: StatementSync
  readonly #firstToKeep: StatementSync
  readonly #dropBefore: StatementSync
  /** The oldest kept change, if it was looked up: no other process drops any. */
  #oldest: OldestChange | null = null

  constructor(db: DatabaseSync) {
    this.db = db
    this.#file = db.location() ?? ''
    this.plain = new PlainRows(db)
    this.#rows = new RowWriter(db)
    this.#readHead = db.prepare(SELECT_HEAD)
    this.#readChain = db.prepare('SELECT chain FROM changes WHERE revision = ?')
    this.#readLogState = db.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#moveHead = db.prepare('UPDATE head SET revision = ?, chain = ?')
    this.#addChange = db.prepare(
      'INSERT INTO changes (revision, batch_id, chain, at_ms, ops, names) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#changesAfter = db.prepare('SELECT * FROM changes WHERE revision > ? ORDER BY revision LIMIT ?')
    this.#readOldest = db.prepare('SELECT revision, at_ms FROM changes ORDER BY revision LIMIT 1')
    this.#firstToKeep = db.prepare(
      'SELECT revision, at_ms FROM changes WHERE revision > ? AND revision < ? AND at_ms >= ? ORDER BY revision LIMIT 1',
    )
    this.#dropBefore = db.prepare('DELETE FROM changes WHERE revision < ?')
  }

  get logState(): LogState {
    return this.#readLogState.get() as LogState
  }

  /** Copies what it can of the log into the file, durably; returns whether that is all. */
  copyLog(mode: 'PASSIVE' | 'TRUNCATE'): boolean {
    const { busy, log, checkpointed } = this.db.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as LogState
    return busy === 0 && log === checkpointed
  }

  head(): Head {
    return parseHead(this.#readHead.get(), this.#file)
  }

  hasPassed(head: Head): boolean {
    const at = this.#readChain.get(head.revision) as Pick<Head, 'chain'> | undefined
    return at?.chain === head.chain || isSameHead(this.head(), head)
  }

  /** Writes a batch inside the open transaction, and returns its head. */
  write({ from, batchId, atMs, ops, names, plain }: WriteRequest): Head {
    const stored = this.head()
    if (!isSameHead(stored, from))
      throw new StoreDiverged(`memory is at ${describeHead(from)}, the store at ${describeHead(stored)}`)
    const heads = computeHeads(from, batchId, ops.length)
    this.#rows.write(ops.flatMap(text => JSON.parse(text) as EncodedOp[]))
    for (const [at, { revision, chain }] of heads.entries())
      this.#addChange.run(revision, batchId, chain, atMs, ops[at] as string, names[at] as string)
    for (const put of unpackPuts(plain)) this.plain.put(put, atMs)
    const head = heads.at(-1) ?? from
    if (heads.length > 0) this.#moveHead.run(head.revision, head.chain)
    return head
  }

  /** Drops some of the oldest changes that are too old or too many, but none from `neededFrom` on. */
  trim({ changesAgeMsMax, changesCountMax }: Retention, head: Head, nowMs: number, neededFrom: number): void {
    this.plain.trim(nowMs)
    this.#oldest ??= this.#findOldest()
    if (this.#oldest === null) return
    const tooMany = head.revision - changesCountMax
    const tooOldMs = nowMs - changesAgeMsMax
    if (this.#oldest.revision > tooMany && this.#oldest.at_ms >= tooOldMs) return
    const end = this.#oldest.revision + TRIMMED_PER_WRITE_MAX
    const kept = this.#firstToKeep.get(tooMany, end, tooOldMs) as OldestChange | undefined
    const first = kept?.revision ?? end
    this.#dropBefore.run(Math.min(first, neededFrom))
    this.#oldest = first > neededFrom ? null : (kept ?? null)
  }

  /** After a rollback. */
  forget(): void {
    this.#oldest = null
    this.plain.forgetAges()
  }

  changesAfter(revision: number, limit: number): StoredHistory {
    const oldestKept = this.#findOldest()?.revision ?? this.head().revision + 1
    if (revision + 1 < oldestKept) return { kept: false, oldestKept }
    const changes: StoredChange[] = []
    let length = 0
    for (const row of this.#changesAfter.iterate(revision, limit) as Iterable<unknown>) {
      const change = row as StoredChange
      changes.push(change)
      length += change.ops.length + change.names.length
      if (length >= HISTORY_LENGTH_MAX) break
    }
    return { kept: true, changes }
  }

  #findOldest(): OldestChange | null {
    return (this.#readOldest.get() as OldestChange | undefined) ?? null
  }
}

/**
 * After this many pages the log is copied into the file: pages that change with every commit are then copied once for
 * many.
 */
const LOGGED_PAGES_MAX = 4_000
/** The length of the log is read after this many commits, or this much in them. */
const COMMITS_PER_LOOK = 64
const OPS_LENGTH_PER_LOOK = 1_000_000

/** Says when the log has grown long. */
export class LogLength {
  #commits = 0
  #opsLength = 0

  note({ ops }: WriteRequest): void {
    this.#commits++
    for (const text of ops) this.#opsLength += text.length
  }

  /** After a filling. */
  noteMuch(): void {
    this.#commits = COMMITS_PER_LOOK
  }

  isLong(connection: Connection): boolean {
    if (this.#commits < COMMITS_PER_LOOK && this.#opsLength < OPS_LENGTH_PER_LOOK) return false
    this.#commits = 0
    this.#opsLength = 0
    const { log, checkpointed } = connection.logState
    return log - checkpointed >= LOGGED_PAGES_MAX
  }
}
