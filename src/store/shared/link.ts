import type { AnyRow, Value } from '../../world/table.ts'
import type { Batch, Head, History, Retention, Snapshot } from '../store.ts'
import type { AnyPlainQuery, PlainName, PlainPut } from '../tables/plain-tables.ts'

/**
 * The connection is gone, or too slow to be waited for; it is of no use any more. Lost before a COMMIT was sent,
 * nothing was stored. Lost later, only the database can tell.
 */
export class LinkLost extends Error {
  override name = 'LinkLost'
}

/** The database took the transaction back for a reason that has nothing to do with it: the same may be tried at once. */
export class TurnAborted extends Error {
  override name = 'TurnAborted'
}

/** What a turn at the head begins with. */
export interface Turn {
  readonly head: Head
  /** What followed the revision that was asked for; perhaps only the first of it. */
  readonly history: History
  /** The time by the clock of the database. */
  readonly nowMs?: number
}

/**
 * One connection to a database that others write to as well, and what the protocol in `shared-store.ts` does with
 * it. Any call may reject with LinkLost, or with StoreUnavailable where the database said no and nothing was
 * stored. Calls may be made before earlier ones were answered; they are done in their order.
 */
export interface Link {
  /**
   * Opens a transaction, takes the head lock, and tells what was committed after a revision. It may also reject with
   * TurnAborted. What fails later inside the turn leaves only `rollback` to do.
   */
  begin(afterRevision: number): Promise<Turn>

  /**
   * Writes and commits in the open transaction, as `from` says where it started. After StoreRejected, StoreDiverged,
   * PlainRowTaken, TurnAborted or StoreUnavailable nothing was stored and the transaction is over.
   */
  commit(from: Head, batch: Batch, retention: Retention): Promise<void>

  /** Gives the lock back with nothing written. */
  rollback(): Promise<void>

  /**
   * Gives the lock back like a commit that changes nothing: when it resolves, all that the transaction saw is as
   * durable as what is committed, also on a synchronous standby. It rejects as `commit` does.
   */
  confirm(): Promise<void>

  /** The head as it is committed, read without waiting for any lock. */
  head(): Promise<Head>

  /** The committed changes after a revision, oldest first: at most `limit`, fewer where they are large. In a transaction that is open, as it sees them. */
  changesAfter(revision: number, limit: number): Promise<History>

  plainRow(table: PlainName, key: readonly Value[]): Promise<AnyRow | null>

  plainRows(table: PlainName, query: AnyPlainQuery, sinceMs: number): Promise<AnyRow[]>

  /** Whether every row is there just as it was to be put. */
  holds(puts: readonly PlainPut[]): Promise<boolean>

  /** Ends it without asking; a transaction that is open is rolled back by the database. */
  close(): Promise<void>
}

/** How links come about. Each rejects with StoreUnavailable when no connection can be had, in reasonable time. */
export interface Links {
  connect(): Promise<Link>
  /** All mirrored rows as of one head, over a connection of its own. */
  snapshot(): Promise<Snapshot>
  /** See FillableStore; absent for stores that are never filled. */
  fill?(source: Snapshot, took: (rows: number) => void): Promise<Head>
  /** Calls `wake` when another process may have committed; it reconnects by itself. Polling goes on beside it. */
  listen(wake: () => void): void
  /** Ends what `listen` and `snapshot` opened. */
  close(): Promise<void>
}
