import type { Change } from '../world/change.ts'
import type { AnyRow } from '../world/table.ts'
import type { TableName } from '../world/tables.ts'

/** Where history stands: revisions are contiguous, and the chain value names the one history they belong to. */
export interface Head {
  readonly revision: number
  readonly chain: string
}

export interface Batch {
  readonly id: string
  readonly atMs: number
  /** One revision each, in this order. Never empty. */
  readonly changes: readonly Change[]
}

export interface Committed extends Head {
  readonly batchId: string
  readonly atMs: number
  readonly change: Change
}

/** Nothing of the batch was stored; the same write may be tried again later. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** The store cannot be used at all: foreign, corrupt, too new, or held by another server. One plain line. */
export class StoreRefused extends Error {
  override name = 'StoreRefused'
}

export interface Store {
  /** All mirrored rows as of one head, parents before children. */
  load(onRows: (table: TableName, rows: readonly AnyRow[]) => void): Promise<Head>

  /**
   * One turn at the head. Holding the head lock, it hands over what others committed since `from`, then
   * `decide` runs once, synchronously, and returns what to write (or null for nothing). Resolves with the
   * new head once the batch is durable; rejects with StoreUnavailable when nothing was written.
   */
  write(from: Head, decide: (missed: readonly Committed[]) => Batch | null): Promise<Head>

  /** The committed changes after a revision, oldest first, at most `limit`. */
  changesAfter(revision: number, limit: number): Promise<readonly Committed[]>

  close(): Promise<void>
}

/** The chain value of a change: a digest of the one before it and of the batch it came in. */
export type ChainStep = (previous: string, batchId: string) => string
