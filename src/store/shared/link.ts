import type { AnyRow, Value } from '../../world/table.ts'
import type { Batch, Head, History, Retention, Snapshot } from '../store.ts'
import type { AnyPlainQuery, PlainName, PlainPut } from '../tables/plain-tables.ts'

/**
 * The connection is lost or too slow. If that was before a COMMIT was sent, nothing was stored. Later, only the
 * database knows.
 */
export class LinkLost extends Error {
  override name = 'LinkLost'
}

/** The database rolled back the transaction for a reason unrelated to it: retry at once. */
export class TurnAborted extends Error {
  override name = 'TurnAborted'
}

/** The start of a turn at the head. */
export interface Turn {
  readonly head: Head
  /** The changes after the requested revision; perhaps only the first of them. */
  readonly history: History
  /** By the clock of the database. */
  readonly nowMs?: number
}

/**
 * One connection to a database that others write to as well, as the protocol in `shared-store.ts` uses it. Any call may
 * reject with LinkLost, or with StoreUnavailable if the database refused and nothing was stored. Calls may be made
 * before earlier ones are answered; they run in order.
 *
 * The promises hold whether the head lock excludes all other writers (one server) or only those of the same node, where
 * commits are certified (Galera). Every read outside a turn sees all that was acknowledged before the call, on whatever
 * node.
 */
export interface Link {
  /** A server that is preferred to this one can be used: what comes next should take a new link. */
  readonly isOutranked?: boolean

  /**
   * Opens a transaction, takes the head lock, and returns what was committed after a revision. The head is not older
   * than that revision; it may be older than the newest, as the end of the turn then fails. May also reject with
   * TurnAborted, as any later call of the turn. After a failure in the turn, only `rollback` is left.
   */
  begin(afterRevision: number): Promise<Turn>

  /**
   * Writes and commits in the open transaction, starting at `from`. Takes effect only if no other commit or fence did
   * since `begin`, also with plain rows only. After StoreRejected, StoreDiverged, PlainRowTaken, TurnAborted or
   * StoreUnavailable nothing was stored and the transaction has ended.
   */
  commit(from: Head, batch: Batch, retention: Retention): Promise<void>

  /**
   * Ends the turn with a commit to the head row that keeps revision and chain. When it resolves, no other commit took
   * effect since `begin`, all that the turn saw is durable (also on a synchronous standby), and no transaction that
   * read the head earlier can commit any more. Rejects as `commit` does.
   */
  fence(): Promise<void>

  /**
   * Ends the turn without a write. When it resolves, the head of `begin` was still the newest after this call; otherwise
   * rejects with TurnAborted.
   */
  release(): Promise<void>

  /** Gives up the turn, without a promise. */
  rollback(): Promise<void>

  /** The committed head, read without waiting for a lock. */
  head(): Promise<Head>

  /**
   * The committed changes after a revision, oldest first: at most `limit`, fewer if they are large. In an open
   * transaction, as it sees them.
   */
  changesAfter(revision: number, limit: number): Promise<History>

  plainRow(table: PlainName, key: readonly Value[]): Promise<AnyRow | null>

  plainRows(table: PlainName, query: AnyPlainQuery, sinceMs: number): Promise<AnyRow[]>

  /** Whether every row is stored exactly as given. */
  holds(puts: readonly PlainPut[]): Promise<boolean>

  /** Disconnects; the database rolls back an open transaction. */
  close(): Promise<void>
}

/** Opens links. Each call rejects with StoreUnavailable if no connection can be made in time. */
export interface Links {
  connect(): Promise<Link>
  /** All mirrored rows as of one head, over its own connection. */
  snapshot(): Promise<Snapshot>
  /** See FillableStore; absent for stores that are never filled. */
  fill?(source: Snapshot, took: (rows: number) => void): Promise<Head>
  /** Ends what `snapshot` opened. */
  close(): Promise<void>
}
