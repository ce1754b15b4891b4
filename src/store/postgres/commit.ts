import type { AnyRow, Table } from '../../world/table.ts'
import { computeHeads } from '../chain.ts'
import type { Batch, Head, Retention } from '../store.ts'
import { changes as changesTable } from '../tables/described-tables.ts'
import { computeNetEffect, type TableEffect } from '../tables/net-effect.ts'
import { computePlainEffect, type PlainEffect } from '../tables/plain-effect.ts'
import { type PlainName, type PlainTable, plainTables } from '../tables/plain-tables.ts'
import { encodeStoredChange } from '../tables/stored-change.ts'
import type { Oldest } from '../tables/stored-history.ts'
import { DROP_CHANGES, MOVE_HEAD } from './head-sql.ts'
import type { Question } from './session.ts'
import { deleteRows, dropOld, insertRows, putNewRows, putRows, updateRows } from './statements.ts'
import { encodeColumns } from './values.ts'

export const COMMIT: Question = { text: 'COMMIT' }

/** Old changes, and old rows of each plain table, dropped per write. */
const TRIMMED_PER_WRITE_MAX = 1000

const everyPlainTable = plainTables as readonly PlainTable<PlainName>[]

/**
 * All statements of a batch in the open transaction, in order, up to the COMMIT. Also drops old rows of the plain
 * tables that it writes to; with `sweep`, of all of them.
 */
export function buildCommit(
  from: Head,
  batch: Batch,
  retention: Retention,
  { oldest, sweep }: { readonly oldest: Oldest; readonly sweep: boolean },
): Question[] {
  const heads = computeHeads(from, batch.id, batch.changes.length)
  const head = heads.at(-1) ?? from
  const plain = computePlainEffect(batch.plain ?? [], batch.atMs)
  const swept = sweep ? everyPlainTable : plain.map(({ table }) => table)
  return [
    // First, so that a diverged head is recognized as such.
    ...(heads.length === 0 ? [] : buildHeadMove(from, heads, batch)),
    ...computeNetEffect(batch.changes).flatMap(buildRowWrites),
    ...plain.flatMap(effect => buildPlainWrites(effect, batch.atMs)),
    ...buildTrim(head, batch.atMs, retention, oldest),
    ...swept.map(table => dropOldQuestion(table, batch.atMs)),
    COMMIT,
  ]
}

function buildRowWrites({ table, deleted, updated, inserted }: TableEffect): Question[] {
  const { name, columnNames } = table
  const questions: Question[] = []
  if (deleted.length > 0)
    questions.push({
      name: `delete ${name}`,
      text: deleteRows(table),
      values: [...encodeColumns(table, columnNames, deleted), deleted.length],
    })
  for (const { columns, before, after } of updated.values())
    questions.push({
      name: `update ${name} ${columns.map(column => columnNames.indexOf(column)).join(' ')}`,
      text: updateRows(table, columns),
      values: [
        ...encodeColumns(table, columnNames, before),
        ...encodeColumns(table, columns, after),
        before.length,
      ],
    })
  if (inserted.length > 0) questions.push(insertQuestion(table, inserted))
  return questions
}

function insertQuestion(table: Table, rows: readonly AnyRow[]): Question {
  const values = encodeColumns(table, table.columnNames, rows)
  return { name: `insert ${table.name}`, text: insertRows(table), values }
}

function buildPlainWrites({ table: described, put, putNew }: PlainEffect, atMs: number): Question[] {
  const table = described
  const { name, columnNames } = table
  const questions: Question[] = []
  if (put.length > 0)
    questions.push({
      name: `put ${name}`,
      text: putRows(table),
      values: encodeColumns(table, columnNames, put),
    })
  if (putNew.length > 0)
    questions.push({
      name: `put new ${name}`,
      text: putNewRows(table),
      values: [...encodeColumns(table, columnNames, putNew), atMs - described.keepMsMax, putNew.length],
    })
  return questions
}

function buildHeadMove(from: Head, heads: readonly Head[], batch: Batch): Question[] {
  const rows = heads.map(({ revision, chain }, at) => {
    const { change, names } = batch.changes[at] as Batch['changes'][number]
    return encodeStoredChange({ revision, chain, batchId: batch.id, atMs: batch.atMs, change, names })
  })
  const head = heads.at(-1) as Head
  return [
    { name: 'move head', text: MOVE_HEAD, values: [head.revision, head.chain, from.revision, from.chain] },
    insertQuestion(changesTable, rows),
  ]
}

/** Most writes find nothing to drop, as the turn has read the oldest change. */
function buildTrim(head: Head, atMs: number, retention: Retention, oldest: Oldest): Question[] {
  const tooMany = head.revision - retention.changesCountMax
  const tooOldMs = atMs - retention.changesAgeMsMax
  const isTooOld = oldest.atMs !== null && oldest.atMs < tooOldMs
  if (oldest.revision > tooMany && !isTooOld) return []
  return [{ name: 'drop changes', text: DROP_CHANGES, values: [tooMany, tooOldMs, TRIMMED_PER_WRITE_MAX] }]
}

function dropOldQuestion(table: PlainTable<PlainName>, atMs: number): Question {
  return {
    name: `drop old ${table.name}`,
    text: dropOld(table, TRIMMED_PER_WRITE_MAX),
    values: [atMs - table.keepMsMax],
  }
}
