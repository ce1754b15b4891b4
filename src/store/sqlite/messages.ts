import { type AnyRow, listValues, type Value } from '../../world/table.ts'
import type { Head, Retention } from '../store.ts'
import type { StoredChange, StoredName } from '../tables/described-tables.ts'
import {
  type AnyPlainQuery,
  type PlainName,
  type PlainPut,
  plainTableByName,
} from '../tables/plain-tables.ts'
import type { ThreadFailure } from './failure.ts'
import type { LedgerRequest } from './found-ledger.ts'

/** Messages between the main thread and the thread that owns the file. */

/** What the worker needs to open the store. */
export interface OpenRequest extends Retention, LedgerRequest {
  readonly busyTimeoutMs: number
  /** How long to read the file for the outcome of a commit before giving up. */
  readonly settleMsMax: number
  /** The maximum size of the file in pages, or null. */
  readonly pagesMax: number | null
}

/** A batch in flat arrays: cloning nested ones costs as much as storing them. */
export interface WriteRequest {
  readonly from: Head
  readonly batchId: string
  readonly atMs: number
  /** The ops of each change as JSON: encoded once, stored as is. */
  readonly ops: readonly string[]
  readonly names: readonly string[]
  /** See `packPuts`. */
  readonly plain: readonly Value[]
}

/** A plain row's values in column order, and whether it must be new. */
export interface EncodedPut {
  readonly table: PlainName
  readonly isNew: boolean
  readonly values: readonly Value[]
}

/** Row after row: its table, 1 if it must be new, its values. */
export function packPuts(puts: readonly PlainPut[]): Value[] {
  const plain: Value[] = []
  for (const { table, row, isNew } of puts)
    plain.push(table, isNew === true ? 1 : 0, ...listValues(plainTableByName[table], row))
  return plain
}

export function unpackPuts(plain: readonly Value[]): EncodedPut[] {
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
  /** A JSON array per column, in the order of the description. */
  readonly columns: readonly string[]
}

/** The next page of one walk through a table; `walk` is any number that the caller has not used yet. */
export interface PageRequest {
  readonly load: number
  readonly walk: number
  readonly table: StoredName
  readonly rowsMax: number
}

/** Rows to fill a table with, each as values in column order. */
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

/** The input and output of each kind of call. */
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
  | { readonly id: number; readonly failure: ThreadFailure }
