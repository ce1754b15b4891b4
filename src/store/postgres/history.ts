import type { Committed, History } from '../store.ts'
import { committedOf } from '../tables/stored-change.ts'
import type { Oldest } from './commit.ts'
import { READ_HISTORY } from './head-sql.ts'
import type { Question } from './session.ts'
import { readText } from './values.ts'

/** A look at the changes after a revision, and at what a turn has to know besides. */
interface HistoryRead {
  readonly version: number
  readonly oldest: Oldest
  readonly history: History
}

export function historyQuestion(afterRevision: number, limit: number): Question {
  return { name: 'history', text: READ_HISTORY, values: [afterRevision, limit] }
}

type First = [version: number, oldest: number, oldestAtMs: number | null]
type Stored = [revision: number, batchId: string, chain: string, atMs: number, ops: string, names: string]
type NoChange = [null, null, null, null, null, null]
type Row = [...First, ...(Stored | NoChange)]

export function historyRead(rows: readonly (readonly unknown[])[], afterRevision: number): HistoryRead {
  const [version, revision, atMs] = rows[0] as Row
  const oldest = { revision, atMs }
  if (afterRevision + 1 < revision) return { version, oldest, history: { kept: false, oldestKept: revision } }
  const found = (rows as readonly Row[])
    .map(([, , , ...change]) => change)
    .filter((change): change is Stored => change[0] !== null)
  return { version, oldest, history: { kept: true, changes: found.map(changeOf) } }
}

function changeOf([revision, batch_id, chain, at_ms, ops, names]: Stored): Committed {
  return committedOf({ revision, batch_id, chain, at_ms, ops: readText(ops), names: readText(names) })
}
