import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeHead, headsAfter, sameHead } from '../chain.ts'
import { type Head, type Retention, StoreDiverged, StoreUnavailable } from '../store.ts'
import { Connection } from './connection.ts'
import { BUSY, FULL, resultCode, whileUsing } from './failure.ts'
import type { Page, StoredHistory, WriteRequest } from './messages.ts'
import { Snapshot } from './snapshot.ts'

const SETTLE_PAUSE_MS = 100

/** The database file, with its one writing connection and what to do when it fails. Lives in the worker. */
export class SqliteFile {
  readonly #name: string
  readonly #connect: () => DatabaseSync
  readonly #retention: Retention
  readonly #settleMsMax: number
  #connection: Connection | null
  readonly #snapshots = new Map<number, Snapshot>()
  #lastSnapshot = 0

  constructor(
    name: string,
    connect: () => DatabaseSync,
    limits: Retention & { readonly settleMsMax: number },
  ) {
    this.#name = name
    this.#connect = connect
    this.#retention = limits
    this.#settleMsMax = limits.settleMsMax
    this.#connection = new Connection(connect())
  }

  head(): Head {
    return this.#guard(() => this.#open().head())
  }

  changesAfter(revision: number, limit: number): StoredHistory {
    return this.#guard(() => this.#open().changesAfter(revision, limit))
  }

  beginLoad(): { load: number; head: Head } {
    return this.#guard(() => {
      const snapshot = new Snapshot(this.#connect())
      this.#snapshots.set(++this.#lastSnapshot, snapshot)
      return { load: this.#lastSnapshot, head: snapshot.head }
    })
  }

  nextPage(load: number): Page | null {
    const snapshot = this.#snapshots.get(load)
    if (snapshot === undefined) throw new StoreUnavailable(`reading ${this.#name} was interrupted`)
    return this.#guard(() => snapshot.next())
  }

  endLoad(load: number): void {
    this.#snapshots.get(load)?.close()
    this.#snapshots.delete(load)
  }

  /** Returns once the batch is durable. StoreUnavailable means that nothing of it was stored. */
  async write(request: WriteRequest): Promise<Head> {
    let committing = false
    try {
      const connection = this.#open()
      connection.db.exec('BEGIN IMMEDIATE')
      const head = connection.write(request)
      connection.trim(this.#retention, head, request.atMs)
      committing = true
      connection.db.exec('COMMIT')
      return head
    } catch (error) {
      if (this.#takenBack(request.from, committing, error)) throw whileUsing(error, this.#name)
      return await this.#settle(request, error)
    }
  }

  close(): void {
    for (const load of [...this.#snapshots.keys()]) this.endLoad(load)
    this.#connection?.db.close()
    this.#connection = null
  }

  /** After a failed settling there is no connection; the next use tries again. */
  #open(): Connection {
    this.#connection ??= new Connection(this.#connect())
    return this.#connection
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
  async #settle({ from, batchId, changes }: WriteRequest, error: unknown): Promise<Head> {
    const next = headsAfter(from, batchId, changes.length).at(-1) as Head
    const tries = Math.ceil(this.#settleMsMax / SETTLE_PAUSE_MS)
    for (let left = tries; left > 0; left--) {
      const head = this.#reopened(next)
      if (head !== null && sameHead(head, next)) return next
      if (head !== null && sameHead(head, from)) throw whileUsing(error, this.#name)
      if (head !== null)
        throw new StoreDiverged(
          `${this.#name} is at ${describeHead(head)}, neither before nor after the batch`,
        )
      await sleep(SETTLE_PAUSE_MS)
    }
    const why = error instanceof Error ? error.message : String(error)
    throw new StoreDiverged(`${this.#name} does not tell whether a commit that failed (${why}) is in it`)
  }

  /** The head after recovery, or null while the file cannot be read. */
  #reopened(next: Head): Head | null {
    try {
      this.close()
      const connection = this.#open()
      const head = connection.head()
      // A failed sync may have dropped the log's pages: only a copy into the main file makes the batch durable.
      if (sameHead(head, next)) checkpoint(connection.db)
      return head
    } catch {
      return null
    }
  }
}

function checkpoint(db: DatabaseSync): void {
  const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
  if (busy !== 0) throw new StoreUnavailable('the log is in use')
}
