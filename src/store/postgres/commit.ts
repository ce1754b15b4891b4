import type { AnyRow, Table } from '../../world/table.ts'
import { headsAfter } from '../chain.ts'
import type { Batch, Head, Retention } from '../store.ts'
import { changes as changesTable } from '../tables/described-tables.ts'
import { type PlainName, type PlainTable, plainTables } from '../tables/plain-tables.ts'
import { storedChangeOf } from '../tables/stored-change.ts'
import { CHANNEL, DROP_CHANGES, MOVE_HEAD } from './head-sql.ts'
import { netEffect, type TableEffect } from './net-effect.ts'
import { type PlainEffect, plainEffect } from './plain-effect.ts'
import type { Question } from './session.ts'
import { deleteRows, dropOld, insertRows, putNewRows, putRows, updateRows } from './statements.ts'
import { columnParameters } from './values.ts'

export const COMMIT: Question = { text: 'COMMIT' }

/** With every write at most so many old changes, and old rows of each plain table, are dropped. */
const TRIMMED_PER_WRITE_MAX = 1000

const everyPlainTable = plainTables as readonly PlainTable<PlainName>[]

/** The front of the changes as a turn found it: the next to come, with no time, where there are none. */
export interface Oldest {
  readonly revision: number
  readonly atMs: number | null
}

/**
 * Everything that a batch asks of the transaction that is open, in its order, up to the COMMIT. Old rows of the
 * plain tables it puts something into are dropped with it; of all of them, where it is to `sweep`.
 */
export function commitQuestions(
  from: Head,
  batch: Batch,
  retention: Retention,
  { oldest, sweep }: { readonly oldest: Oldest; readonly sweep: boolean },
): Question[] {
  const heads = headsAfter(from, batch.id, batch.changes.length)
  const head = heads.at(-1) ?? from
  const plain = plainEffect(batch.plain ?? [], batch.atMs)
  const swept = sweep ? everyPlainTable : plain.map(({ table }) => table)
  return [
    // First of all, so that a head which is not as memory has it is known for what it is.
    ...(heads.length === 0 ? [] : headQuestions(from, heads, batch)),
    ...netEffect(batch.changes).flatMap(rowQuestions),
    ...plain.flatMap(effect => plainQuestions(effect, batch.atMs)),
    ...trimQuestions(head, batch.atMs, retention, oldest),
    ...swept.map(table => dropOldQuestion(table, batch.atMs)),
    COMMIT,
  ]
}

function rowQuestions({ table, deleted, updated, inserted }: TableEffect): Question[] {
  const { name, columnNames } = table
  const questions: Question[] = []
  if (deleted.length > 0)
    questions.push({
      name: `delete ${name}`,
      text: deleteRows(table),
      values: [...columnParameters(table, columnNames, deleted), deleted.length],
    })
  for (const { columns, before, after } of updated.values())
    questions.push({
      name: `update ${name} ${columns.map(column => columnNames.indexOf(column)).join(' ')}`,
      text: updateRows(table, columns),
      values: [
        ...columnParameters(table, columnNames, before),
        ...columnParameters(table, columns, after),
        before.length,
      ],
    })
  if (inserted.length > 0) questions.push(insertQuestion(table, inserted))
  return questions
}

function insertQuestion(table: Table, rows: readonly AnyRow[]): Question {
  const values = columnParameters(table, table.columnNames, rows)
  return { name: `insert ${table.name}`, text: insertRows(table), values }
}

function plainQuestions({ table: described, put, putNew }: PlainEffect, atMs: number): Question[] {
  const table = described
  const { name, columnNames } = table
  const questions: Question[] = []
  if (put.length > 0)
    questions.push({
      name: `put ${name}`,
      text: putRows(table),
      values: columnParameters(table, columnNames, put),
    })
  if (putNew.length > 0)
    questions.push({
      name: `put new ${name}`,
      text: putNewRows(table),
      values: [...columnParameters(table, columnNames, putNew), atMs - described.keepMsMax, putNew.length],
    })
  return questions
}

function headQuestions(from: Head, heads: readonly Head[], batch: Batch): Question[] {
  const rows = heads.map(({ revision, chain }, at) => {
    const { change, names } = batch.changes[at] as Batch['changes'][number]
    return storedChangeOf({ revision, chain, batchId: batch.id, atMs: batch.atMs, change, names })
  })
  const head = heads.at(-1) as Head
  return [
    { name: 'move head', text: MOVE_HEAD, values: [head.revision, head.chain, from.revision, from.chain] },
    insertQuestion(changesTable, rows),
    { text: `NOTIFY ${CHANNEL}` },
  ]
}

/** Most writes find nothing to drop, as the turn has seen the oldest change. */
function trimQuestions(head: Head, atMs: number, retention: Retention, oldest: Oldest): Question[] {
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
