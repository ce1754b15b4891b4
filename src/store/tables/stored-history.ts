import { type Committed, type Head, type History, StoreRefused } from '../store.ts'
import { parseStoredChange } from './stored-change.ts'

/** The head and the history as rows that SQL engines return them in. */

type Rows = readonly (readonly unknown[])[]

/** The oldest change at the start of the turn: the next revision, without a time, if there are none. */
export interface Oldest {
  readonly revision: number
  readonly atMs: number | null
}

/** The changes after a revision, and what a turn needs besides. */
interface HistoryRead {
  readonly version: number
  readonly oldest: Oldest
  readonly history: History
}

type First = [version: number, oldest: number, oldestAtMs: number | null]
type Stored = [revision: number, batchId: string, chain: string, atMs: number, ops: string, names: string]
type NoChange = [null, null, null, null, null, null]
type Row = [...First, ...(Stored | NoChange)]

/** There is always a row; without changes its last values are null. `readText` undoes how the engine stores texts. */
export function parseHistory(
  rows: Rows,
  afterRevision: number,
  readText: (text: string) => string = text => text,
): HistoryRead {
  const parseChange = ([revision, batch_id, chain, at_ms, ops, names]: Stored): Committed =>
    parseStoredChange({ revision, batch_id, chain, at_ms, ops: readText(ops), names: readText(names) })
  const [version, revision, atMs] = rows[0] as Row
  const oldest = { revision, atMs }
  if (afterRevision + 1 < revision) return { version, oldest, history: { kept: false, oldestKept: revision } }
  const found = (rows as readonly Row[])
    .map(([, , , ...change]) => change)
    .filter((change): change is Stored => change[0] !== null)
  return { version, oldest, history: { kept: true, changes: found.map(parseChange) } }
}

/** The row always exists. */
export function parseHead(where: string, rows: Rows): Head {
  const [row] = rows
  if (row === undefined)
    throw new StoreRefused(`the database at ${where} is damaged: the row of its head is missing`)
  return { revision: row[0] as number, chain: row[1] as string }
}

/** Another berth may have migrated the database to a newer schema meanwhile. */
export function checkVersion(version: number, newestVersion: number): void {
  if (version > newestVersion)
    throw new StoreRefused(
      `the database now has schema version ${version} and this berth knows only up to ${newestVersion}: use a newer berth`,
    )
}
