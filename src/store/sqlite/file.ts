import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyRow, Value } from '../../world/table.ts'
import { describeHead, headsAfter, sameHead } from '../chain.ts'
import { type Head, type Retention, StoreDiverged, StoreUnavailable } from '../store.ts'
import type { AnyPlainQuery, PlainName } from '../tables/plain-tables.ts'
import { copyFile } from './backup.ts'
import { Connection } from './connection.ts'
import { syncDirectory, syncFile } from './directory.ts'
import { BUSY, FULL, resultCode, whileUsing } from './failure.ts'
import { Filling } from './filling.ts'
import { HeldDatabase, type HeldFile } from './held-files.ts'
import type { LedgerMarker } from './ledger-mark.ts'
import {
  type BackupFile,
  type FillRequest,
  type Page,
  type PageRequest,
  putsIn,
  type StoredHistory,
  type WriteRequest,
} from './messages.ts'
import { TableSnapshot } from './snapshot.ts'

const SETTLE_PAUSE_MS = 100

/** After so many pages the log is copied into the file: pages that change with every commit are then copied once for many. */
const LOGGED_PAGES_MAX = 4_000
/** How long the log is is looked at after so many commits, or so much in them. */
const COMMITS_PER_LOOK = 64
const OPS_LENGTH_PER_LOOK = 1_000_000

interface FileLimits extends Retention {
  readonly settleMsMax: number
  readonly mayCommit: () => boolean
  /** The lock of the data directory. */
  readonly lock?: HeldFile
  readonly marker?: LedgerMarker
}

/** The database file, with its one writing connection and what to do when it fails. Lives in the worker. */
export class SqliteFile {
  readonly #name: string
  readonly #connect: () => DatabaseSync
  readonly #retention: Retention
  readonly #settleMsMax: number
  readonly #mayCommit: () => boolean
  readonly #lock: HeldFile | null
  readonly #marker: LedgerMarker | null
  #connection: Connection | null = null
  /** Why the files cannot be used any more, once they are not ours. */
  #parted: StoreDiverged | null = null
  #sourceHolder: DatabaseSync | null = null
  #held: HeldDatabase | null = null
  #settling = false
  #commits = 0
  #opsLength = 0
  /** The last head that was acknowledged. */
  #written: Head | null = null
  readonly #snapshots = new Map<number, TableSnapshot>()
  #lastSnapshot = 0
  #filling: Filling | null = null
  readonly #backups = new Set<Promise<BackupFile>>()
  #closing = false

  constructor(name: string, connect: () => DatabaseSync, limits: FileLimits) {
    this.#name = name
    this.#connect = connect
    this.#retention = limits
    this.#settleMsMax = limits.settleMsMax
    this.#mayCommit = limits.mayCommit
    this.#lock = limits.lock ?? null
    this.#marker = limits.marker ?? null
    this.#open()
  }

  head(): Head {
    return this.#guard(() => this.#open().head())
  }

  changesAfter(revision: number, limit: number): StoredHistory {
    return this.#guard(() => this.#open().changesAfter(revision, limit))
  }

  beginLoad(): { load: number; head: Head } {
    return this.#guard(() => {
      this.checkFiles()
      const snapshot = new TableSnapshot(this.#connect())
      this.#snapshots.set(++this.#lastSnapshot, snapshot)
      return { load: this.#lastSnapshot, head: snapshot.head }
    })
  }

  nextPage(request: PageRequest): Page | null {
    const snapshot = this.#snapshots.get(request.load)
    if (snapshot === undefined) throw new StoreUnavailable(`reading ${this.#name} was interrupted`)
    return this.#guard(() => snapshot.next(request))
  }

  endLoad(load: number): void {
    this.#snapshots.get(load)?.close()
    this.#snapshots.delete(load)
  }

  plainRow(table: PlainName, key: readonly Value[]): AnyRow | null {
    return this.#guard(() => this.#open().plain.find(table, key))
  }

  plainRows(table: PlainName, query: AnyPlainQuery, sinceMs: number): AnyRow[] {
    return this.#guard(() => this.#open().plain.select(table, query, sinceMs))
  }

  beginFill(): void {
    this.#guard(() => {
      this.#filling = new Filling(this.#connect(), this.#name)
    })
  }

  addToFill({ table, rows }: FillRequest): void {
    this.#guard(() => this.#openFilling().add(table, rows))
  }

  endFill(head: Head): Head {
    this.#guard(() => this.#openFilling().end(head))
    this.checkFiles()
    this.#filling = null
    this.#written = head
    this.#commits = COMMITS_PER_LOOK
    return head
  }

  cancelFill(): void {
    this.#filling?.cancel()
    this.#filling = null
  }

  /** Goes on beside other calls: they must not wait for it. */
  async backup(): Promise<BackupFile> {
    let copying: Promise<BackupFile> | null = null
    try {
      this.checkFiles()
      const isUnwanted = () => this.#closing || this.#settling
      copying = copyFile(this.#connect(), dirname(this.#name), isUnwanted)
      this.#backups.add(copying)
      return await copying
    } catch (error) {
      throw whileUsing(error, this.#name)
    } finally {
      if (copying !== null) this.#backups.delete(copying)
    }
  }

  /**
   * Returns once the batch is durable, in files that can be found again. StoreUnavailable means that nothing of it was
   * stored.
   */
  async write(request: WriteRequest): Promise<Head> {
    // Else as many changes would stay as come between two marks.
    const firstWithin = request.from.revision + request.ops.length - this.#retention.changesCountMax
    if (this.#marker !== null && this.#marker.neededFrom < firstWithin) this.#mark(request.from)
    const head = await this.#commit(request)
    this.checkFiles()
    this.#written = head
    this.#commits++
    for (const text of request.ops) this.#opsLength += text.length
    return head
  }

  /** Throws StoreDiverged unless the files that are open are those that a restart would find. Then it is over. */
  checkFiles(everyName = false): void {
    if (this.#parted !== null) throw this.#parted
    try {
      if (this.#connection === null) return
      if (everyName) this.#held?.checkNames()
      if (this.#held?.check() === true) this.#markCopied(this.#held.revisionAlone)
    } catch (error) {
      if (!(error instanceof StoreDiverged)) throw error
      this.#parted = new StoreDiverged(`${error.message}${this.#rescueLog()}`)
      this.#abandon()
      throw this.#parted
    }
  }

  /** Where only the log is gone by name. Says so where it worked. */
  #rescueLog(): string {
    if (this.#connection === null || this.#held?.isOnlyLogGone !== true) return ''
    try {
      this.#marker?.copying()
      const isAll = this.#connection.copyLog('TRUNCATE')
      return isAll ? `; all that it held was copied into ${this.#name} in time` : ''
    } catch {
      return ''
    }
  }

  /**
   * The last connection to go copies the log into the file, which may be somebody else's by now. One that cannot write and
   * still reads when the others go keeps them from it.
   */
  #abandon(): void {
    try {
      this.#sourceHolder = new DatabaseSync(this.#name, { readOnly: true })
      this.#sourceHolder.exec('BEGIN')
      this.#sourceHolder.prepare('SELECT count(*) FROM sqlite_master').get()
    } catch {
      // What is no database cannot be spoilt.
    }
    this.close()
  }

  /** What is worth doing after a write was answered. */
  tidy(): void {
    const connection = this.#connection
    const head = this.#written
    if (connection === null || head === null) return
    try {
      if (this.#isLogLong(connection)) this.#copyLog(connection, head)
      else if (this.#marker?.isDue(head.revision) === true) this.#mark(head)
    } catch {
      // The next write meets the same, and tells.
    }
  }

  /** At the start: throws where the mark cannot be written. */
  markStart(): void {
    this.#guard(() => {
      const connection = this.#open()
      const head = connection.head()
      this.#written = head
      this.#copyLog(connection, head)
    })
  }

  #mark(head: Head): void {
    try {
      this.#marker?.moved(head)
    } catch {
      // The mark that is there stays true.
    }
  }

  /** Another program has copied from the log. */
  #markCopied(revisionAlone: number): void {
    try {
      this.#marker?.copied(this.#written as Head, revisionAlone)
    } catch {
      // The next start would refuse the file beside its log, and say what to do.
    }
  }

  #isLogLong(connection: Connection): boolean {
    if (this.#commits < COMMITS_PER_LOOK && this.#opsLength < OPS_LENGTH_PER_LOOK) return false
    this.#commits = 0
    this.#opsLength = 0
    const { log, checkpointed } = connection.logState
    return log - checkpointed >= LOGGED_PAGES_MAX
  }

  /** Copies the log into the database file. */
  #copyLog(connection: Connection, head: Head): void {
    this.checkFiles()
    if (connection.logState.log > 0) this.#marker?.copying()
    let isAll = false
    let alone: Head | undefined
    try {
      isAll = connection.copyLog('PASSIVE')
    } finally {
      // Also what failed half way has written to the file.
      alone = this.#held?.trust(isAll ? head : null)
    }
    if (alone !== undefined) this.#marker?.copied(head, alone.revision)
  }

  async #commit(request: WriteRequest): Promise<Head> {
    let committing = false
    try {
      const connection = this.#open()
      connection.db.exec('BEGIN IMMEDIATE')
      const head = connection.write(request)
      const neededFrom = this.#marker?.neededFrom ?? Number.POSITIVE_INFINITY
      connection.trim(this.#retention, head, request.atMs, neededFrom)
      if (!this.#mayCommit()) throw new StoreUnavailable('the batch was given up')
      committing = true
      connection.db.exec('COMMIT')
      return head
    } catch (error) {
      if (this.#takenBack(request.from, committing, error)) throw whileUsing(error, this.#name)
      return await this.#settle(request, error)
    }
  }

  /** Gives up what is still being copied, and closes. */
  async end(): Promise<void> {
    this.#closing = true
    await Promise.allSettled(this.#backups)
    this.#tidyUp()
    this.close()
  }

  #tidyUp(): void {
    const connection = this.#connection
    if (connection === null || this.#written === null) return
    try {
      this.#copyLog(connection, this.#written)
    } catch {
      // What is in the log stays there.
    }
  }

  close(): void {
    for (const load of [...this.#snapshots.keys()]) this.endLoad(load)
    this.cancelFill()
    this.#connection?.db.close()
    this.#connection = null
  }

  /** After a failed settling there is no connection; the next use tries again. */
  #open(): Connection {
    if (this.#parted !== null) throw this.#parted
    if (this.#connection !== null) return this.#connection
    // By then the name may be that of another file, or of none: opening it would make one.
    this.#held?.checkName()
    const db = this.#connect()
    try {
      const connection = new Connection(db)
      connection.head()
      this.#held = new HeldDatabase(this.#name, this.#lock, connection)
      this.#connection = connection
      return connection
    } catch (error) {
      db.close()
      throw error
    }
  }

  #openFilling(): Filling {
    if (this.#filling === null) throw new StoreUnavailable(`filling ${this.#name} was interrupted`)
    return this.#filling
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw whileUsing(error, this.#name)
    }
  }

  /**
   * Rolls back, and is true only when it is certain that nothing of the batch will ever show. That is so
   * before the COMMIT, and for one that ran out of space or never got the lock; but a COMMIT that met another
   * error may have left a whole commit record in the log, which a later recovery would take for good.
   */
  #takenBack(from: Head, committing: boolean, error: unknown): boolean {
    const code = resultCode(error)
    if (committing && code !== FULL && code !== BUSY) return false
    try {
      const connection = this.#connection
      if (connection?.db.isTransaction) connection.db.exec('ROLLBACK')
      connection?.forget()
      return !committing || (connection !== null && sameHead(connection.head(), from))
    } catch {
      this.#drop()
      return !committing
    }
  }

  /** Gives up a connection that is in doubt; with it goes whatever it had not committed. */
  #drop(): void {
    const connection = this.#connection
    this.#connection = null
    try {
      connection?.db.close()
    } catch {
      // It is out of use either way.
    }
  }

  /** Opens the file anew, which recovers its log, and reads there what became of the batch. */
  async #settle(request: WriteRequest, error: unknown): Promise<Head> {
    const tries = Math.ceil(this.#settleMsMax / SETTLE_PAUSE_MS)
    // The log goes away only with its last reader.
    this.#settling = true
    await Promise.allSettled(this.#backups)
    this.#settling = false
    for (let left = tries; left > 0; left--) {
      const outcome = this.#reopened(request)
      if (outcome?.stored === true) return outcome.head
      if (outcome !== null && sameHead(outcome.head, request.from)) throw whileUsing(error, this.#name)
      if (outcome !== null)
        throw new StoreDiverged(
          `${this.#name} is at ${describeHead(outcome.head)}, neither before nor after the batch`,
        )
      await sleep(SETTLE_PAUSE_MS)
    }
    const why = error instanceof Error ? error.message : String(error)
    throw new StoreDiverged(`${this.#name} does not tell whether a commit that failed (${why}) is in it`)
  }

  /** The head after recovery and whether the batch is in it, or null while the file cannot be read. */
  #reopened({ from, batchId, ops, plain }: WriteRequest): { head: Head; stored: boolean } | null {
    try {
      // The last connection copies the log into the file when it is closed.
      this.#marker?.copying()
      this.close()
      const connection = this.#open()
      const head = connection.head()
      const next = headsAfter(from, batchId, ops.length).at(-1)
      // Without changes the head does not tell: the plain rows do.
      const stored =
        next === undefined ? putsIn(plain).every(put => connection.plain.holds(put)) : sameHead(head, next)
      // A failed sync may have dropped the log's pages: only a copy into the main file makes the batch durable. And what
      // is not stored must not come back after a power cut: neither in the log, nor with a log whose removal was lost.
      if (!connection.copyLog('TRUNCATE')) return null
      this.#held?.trust(head)
      this.#marker?.copied(head, head.revision)
      syncFile(`${this.#name}-wal`)
      syncDirectory(dirname(this.#name))
      return { head, stored }
    } catch (error) {
      if (error instanceof StoreDiverged) throw error
      return null
    }
  }
}
