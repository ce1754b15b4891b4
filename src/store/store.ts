import type { NamedChange } from '../world/naming.ts'
import type { AnyRow, Value } from '../world/table.ts'
import type { TableName } from '../world/tables.ts'
import type { StoredName } from './tables/described-tables.ts'
import type { PlainName, PlainPut, PlainQuery, PlainRow } from './tables/plain-tables.ts'

/** A point of the history: revisions are contiguous, and the chain value identifies the history they belong to. */
export interface Head {
  readonly revision: number
  readonly chain: string
}

export interface Batch {
  readonly id: string
  readonly atMs: number
  /** One revision each, in this order. */
  readonly changes: readonly NamedChange[]
  /** Put in the same transaction; there may be some without changes. */
  readonly plain?: readonly PlainPut[]
}

export interface Committed extends Head, NamedChange {
  readonly batchId: string
  readonly atMs: number
}

/** The changes after a revision; or that it is older than the oldest kept change, so that only a load helps. */
export type History =
  | { readonly kept: true; readonly changes: readonly Committed[] }
  | { readonly kept: false; readonly oldestKept: number }

/** How long changes are kept: beyond either limit the oldest are dropped, some with every write. */
export interface Retention {
  readonly changesAgeMsMax: number
  readonly changesCountMax: number
}

/** Nothing of the batch was stored; the same write may be retried later. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** No space left; nothing of the batch was stored. */
export class StoreFull extends StoreUnavailable {
  override name = 'StoreFull'
}

/** No answer for too long; nothing of the batch was stored. */
export class StoreSilent extends StoreUnavailable {
  override name = 'StoreSilent'

  constructor(ms: number) {
    super(describeSilence(ms))
  }
}

export const describeSilence = (ms: number): string =>
  `the store has not answered for ${Math.floor(ms / 1_000)} s`

/** The store does not accept the batch, which is a bug of ours; nothing of it was stored. */
export class StoreRejected extends Error {
  override name = 'StoreRejected'
}

/** A plain row that should be new exists; nothing of the batch was stored. */
export class PlainRowTaken extends StoreRejected {
  override name = 'PlainRowTaken'
}

/** It is unknown whether the batch was stored: the database failed at the wrong moment. The next write will see. */
export class StoreUncertain extends Error {
  override name = 'StoreUncertain'
}

/** The store cannot be used at all: foreign, corrupt, too new, or held by another server. One line. */
export class StoreRefused extends Error {
  override name = 'StoreRefused'
}

/** Memory and store differ, or it cannot be known: only a restart helps. */
export class StoreDiverged extends Error {
  override name = 'StoreDiverged'
}

/**
 * Memory is not a past state of the store (a standby was promoted without the last commits), or changes since then are
 * no longer kept. Memory has to be loaded again; the store itself is fine.
 */
export class HistoryBroken extends StoreDiverged {
  override name = 'HistoryBroken'
}

/** Everything as of one head, whatever is written meanwhile. Close it soon: the store keeps what it shows. */
export interface Snapshot {
  readonly head: Head
  /** The rows of a table by key, page by page. Several tables may be read in parallel, and one more than once. */
  rows(table: StoredName, rowsPerPageMax?: number): AsyncIterable<readonly AnyRow[]>
  close(): Promise<void>
}

/** A whole store as one file, which is deleted after it was read or abandoned. */
export interface Backup {
  readonly head: Head
  readonly bytes: number
  read(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

export type Decide = (missed: readonly Committed[], sharedNowMs?: number) => Batch | null

export interface Store {
  /** All mirrored rows as of one head: parents before children, and by key within a table. */
  load(onRows: (table: TableName, rows: readonly AnyRow[]) => void): Promise<Head>

  snapshot(): Promise<Snapshot>

  /** The durable head, read after this call. */
  head(): Promise<Head>

  /**
   * One turn at the head; never two at once. Holding the head lock, it passes what others committed since `from`; then
   * `decide` runs, synchronously, and returns what to write (or null). After a failed attempt it may run again, with
   * the same input; only its last result counts. Resolves with the new head when the batch is durable; rejects with
   * StoreUnavailable or StoreRejected if nothing was written, with HistoryBroken before anything was decided, with
   * StoreUncertain if that is unknown yet. What `decide` throws is passed on and writes nothing. Any other rejection
   * means that memory and store may differ: stop. With several writing processes, `decide` gets the time of their
   * shared clock.
   */
  write(from: Head, decide: Decide): Promise<Head>

  /**
   * The committed changes after a revision, oldest first: at most `limit`, fewer if they are large, none at the end.
   */
  changesAfter(revision: number, limit: number): Promise<History>

  /** The plain row with a key, unless it has expired at that time. */
  plainRow<N extends PlainName>(table: N, key: readonly Value[], nowMs: number): Promise<PlainRow<N> | null>

  /** Rows of a plain table that have not expired at that time, the newest first. */
  plainRows<N extends PlainName>(table: N, query: PlainQuery<N>, nowMs: number): Promise<PlainRow<N>[]>

  /** Other processes may write to the store as well: memory has to follow. */
  readonly isShared?: boolean

  /** Only for files of this process: rejects with StoreDiverged if a restart would find other files. */
  check?(): Promise<void>

  /** Only for files of this process: how long it has owed an answer. */
  owedMs?(): number

  /** A copy of everything as of one head, made while writes go on. Only for engines with files. */
  backup?(): Promise<Backup>

  close(): Promise<void>
}

/** A store as opened; most users need only `Store`. */
export interface FillableStore extends Store {
  /**
   * Fills an empty store with the snapshot of another: rows, plain rows, the kept changes, and the head. All or
   * nothing: rejects with StoreRefused if anything was ever written, with StoreUncertain if it is unknown whether it
   * was committed. `took` gets the number of copied rows.
   */
  fill(source: Snapshot, took?: (rows: number) => void): Promise<Head>
}
