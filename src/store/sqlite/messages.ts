import { type AnyRow, rowValues, type Value } from '../../world/table.ts'
import type { Head, Retention } from '../store.ts'
import type { StoredChange, StoredName } from '../tables/described-tables.ts'
import {
  type AnyPlainQuery,
  type PlainName,
  type PlainPut,
  plainTableByName,
} from '../tables/plain-tables.ts'
import type { Failure } from './failure.ts'
import type { LedgerRequest } from './found-ledger.ts'

/** What the thread that answers and the thread that owns the file say to each other. */

/** Everything the worker needs to open the store. */
export interface OpenRequest extends Retention, LedgerRequest {
  readonly busyTimeoutMs: number
  /** How long to go on asking the file what became of a commit before giving up on it. */
  readonly settleMsMax: number
  /** The most pages the file may grow to, or null for as many as the disk holds. */
  readonly pagesMax: number | null
  /** Of a CommitGate: whether a batch may be committed. */
  readonly gate: SharedArrayBuffer
}

/** A batch, in arrays without arrays in them: to take apart what is nested costs as much as to store it. */
export interface WriteRequest {
  readonly from: Head
  readonly batchId: string
  readonly atMs: number
  /** Of each change its ops as JSON: made once, stored as they are. */
  readonly ops: readonly string[]
  /** And its names. */
  readonly names: readonly string[]
  /** See `packed`. */
  readonly plain: readonly Value[]
}

/** A plain row's values in the order of its table's columns, and whether no such row may be there yet. */
export interface EncodedPut {
  readonly table: PlainName
  readonly isNew: boolean
  readonly values: readonly Value[]
}

/** One row after the other: its table, 1 if it must be new, its values. */
export function packed(puts: readonly PlainPut[]): Value[] {
  const plain: Value[] = []
  for (const { table, row, isNew } of puts)
    plain.push(table, isNew === true ? 1 : 0, ...rowValues(plainTableByName[table], row))
  return plain
}

export function putsIn(plain: readonly Value[]): EncodedPut[] {
  const puts: EncodedPut[] = []
  for (let at = 0; at < plain.length; ) {
    const table = plain[at] as PlainName
    const values = plain.slice(at + 2, at + 2 + plainTableByName[table].columnNames.length)
    puts.push({ table, isNew: plain[at + 1] === 1, values })
    at += 2 + values.length
  }
  return puts
}

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

/** The caller parses the ops of changes. */
export type StoredHistory =
  | { readonly kept: true; readonly changes: readonly StoredChange[] }
  | { readonly kept: false; readonly oldestKept: number }

/** Each kind of call, with what it takes and what it gives. */
export interface Calls {
  open: { takes: OpenRequest; gives: { head: Head; warnings: string[] } }
  check: { takes: null; gives: null }
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
