import type { AnyRow, Value } from '../../world/table.ts'
import type { StoredChange, StoredName } from '../described-tables.ts'
import type { AnyPlainQuery, PlainName } from '../plain-tables.ts'
import type { Head, Retention } from '../store.ts'
import type { Failure } from './failure.ts'

/** What the thread that answers and the thread that owns the file say to each other. */

/** Everything the worker needs to open the store. */
export interface OpenRequest extends Retention {
  readonly directory: string
  readonly busyTimeoutMs: number
  /** How long to go on asking the file what became of a commit before giving up on it. */
  readonly settleMsMax: number
  /** The most pages the file may grow to, or null for as many as the disk holds. */
  readonly pagesMax: number | null
}

export interface WriteRequest {
  readonly from: Head
  readonly batchId: string
  readonly atMs: number
  readonly changes: readonly EncodedChange[]
  readonly plain: readonly EncodedPut[]
}

/** Ops and names of a change as JSON: made once, stored as they are. */
export interface EncodedChange {
  readonly ops: string
  readonly names: string
}

/** A plain row's values in the order of its table's columns, and whether no such row may be there yet. */
export type EncodedPut = [table: PlainName, values: Value[], isNew: boolean]

export interface Page {
  readonly table: StoredName
  readonly rows: number
  /** A JSON array for each column, in the order of the description. */
  readonly columns: readonly string[]
}

/** The next page of one walk through a table; `walk` is any number that the asker has not used yet. */
export interface PageRequest {
  readonly load: number
  readonly walk: number
  readonly table: StoredName
  readonly rowsMax: number
}

/** Rows to fill a table with: each has its values in the order of the columns. */
export interface FillRequest {
  readonly table: StoredName
  readonly rows: readonly (readonly Value[])[]
}

export interface BackupFile {
  readonly head: Head
  readonly path: string
}

/** What changes did is taken apart by whoever asked. */
export type StoredHistory =
  | { readonly kept: true; readonly changes: readonly StoredChange[] }
  | { readonly kept: false; readonly oldestKept: number }

/** Each kind of call, with what it takes and what it gives. */
export interface Calls {
  open: { takes: OpenRequest; gives: Head }
  head: { takes: null; gives: Head }
  write: { takes: WriteRequest; gives: Head }
  'changes-after': { takes: { revision: number; limit: number }; gives: StoredHistory }
  'load-begin': { takes: null; gives: { load: number; head: Head } }
  'load-next': { takes: PageRequest; gives: Page | null }
  'load-end': { takes: { load: number }; gives: null }
  'plain-row': { takes: { table: PlainName; key: readonly Value[] }; gives: AnyRow | null }
  'plain-rows': { takes: { table: PlainName; query: AnyPlainQuery; sinceMs: number }; gives: AnyRow[] }
  'fill-begin': { takes: null; gives: null }
  'fill-rows': { takes: FillRequest; gives: null }
  'fill-end': { takes: Head; gives: Head }
  'fill-cancel': { takes: null; gives: null }
  backup: { takes: null; gives: BackupFile }
  close: { takes: null; gives: null }
}

export type CallName = keyof Calls

export interface Call<N extends CallName = CallName> {
  readonly id: number
  readonly name: N
  readonly takes: Calls[N]['takes']
}

export type Reply =
  | { readonly id: number; readonly gives: unknown }
  | { readonly id: number; readonly failure: Failure }
