import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyRow, Value } from '../../world/table.ts'
import { computeHeads, describeHead, isSameHead } from '../chain.ts'
import { type Head, type Retention, StoreDiverged, StoreUnavailable } from '../store.ts'
import type { AnyPlainQuery, PlainName } from '../tables/plain-tables.ts'
import { copyFile } from './backup.ts'
import { Connection, LogLength } from './connection.ts'
import { syncDirectory, syncFile } from './directory.ts'
import { BUSY, FULL, findResultCode, toUseError } from './failure.ts'
import { Filling } from './filling.ts'
import { HeldDatabase, type HeldFile } from './held-files.ts'
import type { LedgerMarker } from './ledger-mark.ts'
import {
  type BackupFile,
  type FillRequest,
  type Page,
  type PageRequest,
  type StoredHistory,
  unpackPuts,
  type WriteRequest,
} from './messages.ts'
import { OpenSnapshots } from './snapshot.ts'

const SETTLE_PAUSE_MS = 100

interface FileLimits extends Retention {
  readonly settleMsMax: number
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
  readonly #lock: HeldFile | null
  readonly #marker: LedgerMarker | null
  #connection: Connection | null = null
  /** Why the files can no longer be used, once they are not ours. */
  #parted: StoreDiverged | null = null
  #sourceHolder: DatabaseSync | null = null
  #held: HeldDatabase | null = null
  #settling = false
  readonly #logLength = new LogLength()
  /** The last acknowledged head. */
  #written: Head | null = null
  readonly #snapshots: OpenSnapshots
  #filling: Filling | null = null
  readonly #backups = new Set<Promise<BackupFile>>()
  #closing = false

  constructor(name: string, connect: () => DatabaseSync, limits: FileLimits) {
    this.#name = name
    this.#connect = connect
    this.#snapshots = new OpenSnapshots(name)
    this.#retention = limits
    this.#settleMsMax = limits.settleMsMax
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
      return this.#snapshots.open(this.#connect())
    })
  }

  nextPage(request: PageRequest): Page | null {
    return this.#guard(() => this.#snapshots.next(request))
  }

  endLoad(load: number): void {
    this.#snapshots.close(load)
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
    this.#logLength.noteMuch()
    return head
  }

  cancelFill(): void {
    this.#filling?.cancel()
    this.#filling = null
  }

  /** Other calls do not wait for it. */
  async backup(): Promise<BackupFile> {
    let copying: Promise<BackupFile> | null = null
    try {
      this.checkFiles()
      const isUnwanted = () => this.#closing || this.#settling
      copying = copyFile(this.#connect(), dirname(this.#name), isUnwanted)
      this.#backups.add(copying)
      return await copying
    } catch (error) {
      throw toUseError(error, this.#name)
    } finally {
      if (copying !== null) this.#backups.delete(copying)
    }
  }

  /**
   * Returns when the batch is durable, in files that can be found again. StoreUnavailable means that nothing of it was
   * stored.
   */
  async write(request: WriteRequest): Promise<Head> {
    // Otherwise more changes would stay, up to the number between two marks.
    const firstWithin = request.from.revision + request.ops.length - this.#retention.changesCountMax
    if (this.#marker !== null && this.#marker.neededFrom < firstWithin) this.#marker.tryMarkHead(request.from)
    const head = await this.#commit(request)
    this.checkFiles()
    this.#written = head
    this.#logLength.note(request)
    return head
  }

  /** Throws StoreDiverged unless the open files are those that a restart would find. Then the store is unusable. */
  checkFiles(everyName = false): void {
    if (this.#parted !== null) throw this.#parted
    try {
      if (this.#connection === null) return
      if (everyName) this.#held?.checkNames()
      // Another program has copied from the log.
      if (this.#held?.check() === true)
        this.#marker?.tryMarkCopied(this.#written as Head, this.#held.revisionAlone)
    } catch (error) {
      if (!(error instanceof StoreDiverged)) throw error
      this.#parted = new StoreDiverged(`${error.message}${this.#rescueLog()}`)
      this.#abandon()
      throw this.#parted
    }
  }

  /** If only the log has lost its name. Returns a text if it worked. */
  #rescueLog(): string {
    if (this.#connection === null || this.#held?.isOnlyLogGone !== true) return ''
    try {
      this.#marker?.markCopying()
      const isAll = this.#connection.copyLog('TRUNCATE')
      return isAll ? `; its content was copied into ${this.#name} first` : ''
    } catch {
      return ''
    }
  }

  /**
   * The last connection to close copies the log into the file, which may belong to another program by now. A read-only
   * one that is still open prevents that.
   */
  #abandon(): void {
    try {
      this.#sourceHolder = new DatabaseSync(this.#name, { readOnly: true })
      this.#sourceHolder.exec('BEGIN')
      this.#sourceHolder.prepare('SELECT count(*) FROM sqlite_master').get()
    } catch {
      // What is no database cannot be damaged.
    }
    this.close()
  }

  /** Housekeeping after a write was answered. */
  tidy(): void {
    const connection = this.#connection
    const head = this.#written
    if (connection === null || head === null) return
    try {
      if (this.#logLength.isLong(connection)) this.#copyLog(connection, head)
      else if (this.#marker?.isDue(head.revision) === true) this.#marker.tryMarkHead(head)
    } catch {
      // The next write meets the same error, and reports it.
    }
  }

  /** At the start: throws if the mark cannot be written. */
  markStart(): void {
    this.#guard(() => {
      const connection = this.#open()
      const head = connection.head()
      this.#written = head
      this.#copyLog(connection, head)
    })
  }

  #copyLog(connection: Connection, head: Head): void {
    this.checkFiles()
    if (connection.logState.log > 0) this.#marker?.markCopying()
    let isAll = false
    let alone: Head | undefined
    try {
      isAll = connection.copyLog('PASSIVE')
    } finally {
      // Even a copy that failed half way has written to the file.
      alone = this.#held?.trust(isAll ? head : null)
    }
    if (alone !== undefined) this.#marker?.markCopied(head, alone.revision)
  }

  async #commit(request: WriteRequest): Promise<Head> {
    let committing = false
    try {
      const connection = this.#open()
      connection.db.exec('BEGIN IMMEDIATE')
      const head = connection.write(request)
      const neededFrom = this.#marker?.neededFrom ?? Number.POSITIVE_INFINITY
      connection.trim(this.#retention, head, request.atMs, neededFrom)
      committing = true
      connection.db.exec('COMMIT')
      return head
    } catch (error) {
      if (this.#isRolledBack(request.from, committing, error)) throw toUseError(error, this.#name)
      return await this.#settle(request, error)
    }
  }

  /** Cancels backups, and closes. */
  async end(): Promise<void> {
    this.#closing = true
    await Promise.allSettled(this.#backups)
    this.#copyLogAtEnd()
    this.close()
  }

  #copyLogAtEnd(): void {
    const connection = this.#connection
    if (connection === null || this.#written === null) return
    try {
      this.#copyLog(connection, this.#written)
    } catch {
      // The log keeps its contents.
    }
  }

  close(): void {
    this.#snapshots.closeAll()
    this.cancelFill()
    this.#connection?.db.close()
    this.#connection = null
  }

  /** After a failed settling there is no connection; the next use tries again. */
  #open(): Connection {
    if (this.#parted !== null) throw this.#parted
    if (this.#connection !== null) return this.#connection
    // The name may lead to another file by then, or to none: opening it would create one.
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
      throw toUseError(error, this.#name)
    }
  }

  /**
   * Rolls back. True only if it is certain that nothing of the batch will ever show: before the COMMIT, or if it ran
   * out of space or never got the lock. A COMMIT that met another error may have left a whole commit record in the log,
   * which a later recovery would apply.
   */
  #isRolledBack(from: Head, committing: boolean, error: unknown): boolean {
    const code = findResultCode(error)
    if (committing && code !== FULL && code !== BUSY) return false
    try {
      const connection = this.#connection
      if (connection?.db.isTransaction) connection.db.exec('ROLLBACK')
      connection?.forget()
      return !committing || (connection !== null && isSameHead(connection.head(), from))
    } catch {
      this.#drop()
      return !committing
    }
  }

  /** Closes a connection in doubt, and so drops what it had not committed. */
  #drop(): void {
    const connection = this.#connection
    this.#connection = null
    try {
      connection?.db.close()
    } catch {
      // It is out of use either way.
    }
  }

  /** Reopens the file, which recovers its log, and reads the outcome of the batch. */
  async #settle(request: WriteRequest, error: unknown): Promise<Head> {
    const tries = Math.ceil(this.#settleMsMax / SETTLE_PAUSE_MS)
    // The log is removed only with its last reader.
    this.#settling = true
    await Promise.allSettled(this.#backups)
    this.#settling = false
    for (let left = tries; left > 0; left--) {
      const outcome = this.#reopen(request)
      if (outcome?.stored === true) return outcome.head
      if (outcome !== null && isSameHead(outcome.head, request.from)) throw toUseError(error, this.#name)
      if (outcome !== null)
        throw new StoreDiverged(
          `${this.#name} is at ${describeHead(outcome.head)}, neither before nor after the batch`,
        )
      await sleep(SETTLE_PAUSE_MS)
    }
    const why = error instanceof Error ? error.message : String(error)
    throw new StoreDiverged(`${this.#name} does not show whether it has a commit that failed (${why})`)
  }

  /** The head after recovery and whether it includes the batch, or null while the file cannot be read. */
  #reopen({ from, batchId, ops, plain }: WriteRequest): { head: Head; stored: boolean } | null {
    try {
      // The last connection copies the log into the file when it is closed.
      this.#marker?.markCopying()
      this.close()
      const connection = this.#open()
      const head = connection.head()
      const next = computeHeads(from, batchId, ops.length).at(-1)
      // Without changes the head does not show it: the plain rows do.
      const stored =
        next === undefined
          ? unpackPuts(plain).every(put => connection.plain.holds(put))
          : isSameHead(head, next)
      // A failed sync may have dropped the log's pages: only a copy into the main file makes the batch durable. And
      // what is not stored must not come back after a power cut: neither in the log, nor with a log whose removal was
      // lost.
      if (!connection.copyLog('TRUNCATE')) return null
      this.#held?.trust(head)
      this.#marker?.markCopied(head, head.revision)
      syncFile(`${this.#name}-wal`)
      syncDirectory(dirname(this.#name))
      return { head, stored }
    } catch (error) {
      if (error instanceof StoreDiverged) throw error
      return null
    }
  }
}
