import type { NamedChange } from '../world/naming.ts'
import type { AnyRow, Value } from '../world/table.ts'
import type { TableName } from '../world/tables.ts'
import type { StoredName } from './tables/described-tables.ts'
import type { PlainName, PlainPut, PlainQuery, PlainRow } from './tables/plain-tables.ts'

/** Where history stands: revisions are contiguous, and the chain value names the one history they belong to. */
export interface Head {
  readonly revision: number
  readonly chain: string
}

export interface Batch {
  readonly id: string
  readonly atMs: number
  /** One revision each, in this order. */
  readonly changes: readonly NamedChange[]
  /** Put in the same transaction; where there are some, there need not be changes. */
  readonly plain?: readonly PlainPut[]
  /**
   * Run, synchronously, before anything is committed, perhaps while it is being written. What it throws comes out as it
   * is, and then nothing is stored.
   */
  readonly rehearse?: () => void
}

export interface Committed extends Head, NamedChange {
  readonly batchId: string
  readonly atMs: number
}

/** What followed a revision; or that it lies before the oldest change still kept, so only a load can tell. */
export type History =
  | { readonly kept: true; readonly changes: readonly Committed[] }
  | { readonly kept: false; readonly oldestKept: number }

/** How long changes are kept: what passes either limit goes, oldest first, a little with every write. */
export interface Retention {
  readonly changesAgeMsMax: number
  readonly changesCountMax: number
}

/** Nothing of the batch was stored; the same write may be tried again later. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** There is no room for it; nothing of the batch was stored. */
export class StoreFull extends StoreUnavailable {
  override name = 'StoreFull'
}

/** It has not answered for so long; nothing of the batch was stored. */
export class StoreSilent extends StoreUnavailable {
  override name = 'StoreSilent'

  constructor(ms: number) {
    super(notAnswering(ms))
  }
}

export const notAnswering = (ms: number): string =>
  `the store has not answered for ${Math.floor(ms / 1_000)} s`

/** The store does not take what the batch says, which is a bug of ours; nothing of it was stored. */
export class StoreRejected extends Error {
  override name = 'StoreRejected'
}

/** A plain row that was to be new is there already; nothing of the batch was stored. */
export class PlainRowTaken extends StoreRejected {
  override name = 'PlainRowTaken'
}

/** It is not known whether the batch was stored: the database went away at the wrong moment. The next write will see. */
export class StoreUncertain extends Error {
  override name = 'StoreUncertain'
}

/** The store cannot be used at all: foreign, corrupt, too new, or held by another server. One plain line. */
export class StoreRefused extends Error {
  override name = 'StoreRefused'
}

/** Memory and store no longer tell the same story, or it cannot be known: only a restart mends that. */
export class StoreDiverged extends Error {
  override name = 'StoreDiverged'
}

/**
 * What memory holds is no past of what is stored (a standby was promoted without the last commits), or so much was
 * committed since that part of it is no longer kept. Memory has to be loaded anew; the store itself is well.
 */
export class HistoryBroken extends StoreDiverged {
  override name = 'HistoryBroken'
}

/** Everything as of one head, whatever is written meanwhile. Close it soon: the store keeps what it shows. */
export interface Snapshot {
  readonly head: Head
  /** The rows of a table by key, page by page. Several may be read side by side, and one more than once. */
  rows(table: StoredName, rowsPerPageMax?: number): AsyncIterable<readonly AnyRow[]>
  close(): Promise<void>
}

/** A whole store as one file, which is gone once it was read or given up. */
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

  /** The durable head, asked for after this call. */
  head(): Promise<Head>

  /**
   * One turn at the head; never two at once. Holding the head lock, it hands over what others committed since
   * `from`, then `decide` runs, synchronously, and returns what to write (or null for nothing). Where an attempt
   * came to nothing it may run once more, and be handed the same again; only its last word counts. Resolves with
   * the new head once the batch is durable; rejects with StoreUnavailable or StoreRejected when nothing was
   * written, with HistoryBroken before anything was decided, with StoreUncertain when that is not known yet. What
   * `decide` throws comes out as it is and writes nothing. Any other rejection means that memory and store
   * may differ: stop. Where several processes write, `decide` gets the time of the clock that they share.
   */
  write(from: Head, decide: Decide): Promise<Head>

  /** The committed changes after a revision, oldest first: at most `limit`, fewer where they are large, none at the end. */
  changesAfter(revision: number, limit: number): Promise<History>

  /** The plain row with a key, unless its table no longer keeps it at that time. */
  plainRow<N extends PlainName>(table: N, key: readonly Value[], nowMs: number): Promise<PlainRow<N> | null>

  /** Rows of a plain table that it still keeps at that time, the newest first. */
  plainRows<N extends PlainName>(table: N, query: PlainQuery<N>, nowMs: number): Promise<PlainRow<N>[]>

  /** Only where others write to the store as well: calls `wake` when they may have. It is no reason not to look. */
  onOthers?(wake: () => void): void

  /** Only where the store is files of this process: rejects with StoreDiverged once a restart would find other ones. */
  check?(): Promise<void>

  /** Only there: for how long it has owed an answer. */
  owedMs?(): number

  /** A copy of everything as of one head, made while writes go on. Not every engine has files. */
  backup?(): Promise<Backup>

  close(): Promise<void>
}

/** A store as it is opened; those who only use one can do without. */
export interface FillableStore extends Store {
  /**
   * Makes a store in which nothing was ever written the same as what a snapshot of another shows: rows, plain rows,
   * the changes that are kept, and the head. Whole or not at all: rejects with StoreRefused where anything was ever
   * written, with StoreUncertain when it is not known whether it was committed. `took` gets the number of rows copied.
   */
  fill(source: Snapshot, took?: (rows: number) => void): Promise<Head>
}
