import type { AnyRow, Table } from '../../world/table.ts'
import { computeHeads } from '../chain.ts'
import type { Batch, Head, Retention } from '../store.ts'
import { changes as changesTable } from '../tables/described-tables.ts'
import { computeNetEffect, type TableEffect } from '../tables/net-effect.ts'
import { computePlainEffect, type PlainEffect } from '../tables/plain-effect.ts'
import { type PlainName, type PlainTable, plainTables } from '../tables/plain-tables.ts'
import { encodeStoredChange } from '../tables/stored-change.ts'
import type { Oldest } from '../tables/stored-history.ts'
import { dropChanges, isTurn, moveHead, takeTurn } from './head-sql.ts'
import {
  deleteOlder,
  deleteRows,
  dropOld,
  type Flavor,
  insertRows,
  putRows,
  requireNone,
  requireRowCount,
  requireThat,
  updateRows,
} from './statements.ts'

/** A statement, and what it means if it is a guard that fails. */
export interface Step {
  readonly text: string
  readonly guards?: 'turn' | 'rows' | 'new rows'
}

/** Old changes, and old rows of each plain table, dropped per write. */
const TRIMMED_PER_WRITE_MAX = 1000
/** Rows of one statement; also limits the length of a text that has to fit into a packet. */
const ROWS_PER_STATEMENT_MAX = 100

const everyPlainTable = plainTables as readonly PlainTable<PlainName>[]

interface TurnState {
  /** As the turn found it, and as its commit leaves it. */
  readonly last: string
  readonly turn: string
  readonly oldest: Oldest
  readonly sweep: boolean
  readonly flavor: Flavor
}

/**
 * Every commit starts with it, so that it writes the head row; fails if another process committed since the turn began. It
 * also ends with it: a node of Galera that rolls back a transaction between two statements of a text runs the next ones
 * in a new transaction.
 */
export const buildFence = (
  { turn, last }: Pick<TurnState, 'turn' | 'last'>,
  steps: readonly Step[],
): Step[] => [
  { text: takeTurn(turn, last) },
  { text: requireRowCount(1), guards: 'turn' },
  ...steps,
  { text: requireThat(isTurn(turn)), guards: 'turn' },
]

/**
 * All statements of a batch in the open transaction, in order, except for the COMMIT. Also drops old rows of the plain
 * tables that it writes to; with `sweep`, of all of them.
 */
export function buildCommit(from: Head, batch: Batch, retention: Retention, state: TurnState): Step[] {
  const heads = computeHeads(from, batch.id, batch.changes.length)
  const plain = computePlainEffect(batch.plain ?? [], batch.atMs)
  const swept = state.sweep ? everyPlainTable : plain.map(({ table }) => table)
  return buildFence(state, [
    ...(heads.length === 0 ? [] : buildHeadMove(from, heads, batch)),
    ...computeNetEffect(batch.changes).flatMap(effect => buildRowWrites(effect, state.flavor)),
    ...plain.flatMap(effect => buildPlainWrites(effect, batch.atMs)),
    ...buildTrim(heads.at(-1) ?? from, batch.atMs, retention, state.oldest),
    ...swept.map(table => ({ text: dropOld(table, batch.atMs - table.keepMsMax, TRIMMED_PER_WRITE_MAX) })),
  ])
}

function chunk<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / ROWS_PER_STATEMENT_MAX)
  return Array.from({ length: count }, (_, at) =>
    items.slice(at * ROWS_PER_STATEMENT_MAX, (at + 1) * ROWS_PER_STATEMENT_MAX),
  )
}

const guardRows = (text: string, rows: number): Step[] => [
  { text },
  { text: requireRowCount(rows), guards: 'rows' },
]

function buildRowWrites({ table, deleted, updated, inserted }: TableEffect, flavor: Flavor): Step[] {
  return [
    ...chunk(deleted).flatMap(rows => guardRows(deleteRows(table, rows, flavor), rows.length)),
    ...[...updated.values()].flatMap(({ columns, before, after }) => {
      const pairs = before.map((row, at) => ({ before: row, after: after[at] as AnyRow }))
      return chunk(pairs).flatMap(some => guardRows(updateRows(table, columns, some, flavor), some.length))
    }),
    ...buildInserts(table, inserted),
  ]
}

const buildInserts = (table: Table, rows: readonly AnyRow[]): Step[] =>
  chunk(rows).map(some => ({ text: insertRows(table, some) }))

function buildPlainWrites({ table, put, putNew }: PlainEffect, atMs: number): Step[] {
  return [
    ...chunk(put).map(rows => ({ text: putRows(table, rows) })),
    ...chunk(putNew).flatMap((rows): Step[] => [
      { text: deleteOlder(table, rows, atMs - table.keepMsMax) },
      { text: requireNone(table, rows), guards: 'new rows' },
      { text: insertRows(table, rows) },
    ]),
  ]
}

function buildHeadMove(from: Head, heads: readonly Head[], batch: Batch): Step[] {
  const rows = heads.map(({ revision, chain }, at) => {
    const { change, names } = batch.changes[at] as Batch['changes'][number]
    return encodeStoredChange({ revision, chain, batchId: batch.id, atMs: batch.atMs, change, names })
  })
  return [
    ...guardRows(moveHead(heads.at(-1) as Head, from), 1),
    // Alone: each may be as long as a packet.
    ...rows.map(row => ({ text: insertRows(changesTable, [row]) })),
  ]
}

/** Most writes find nothing to drop, as the turn has read the oldest change. */
function buildTrim(head: Head, atMs: number, retention: Retention, oldest: Oldest): Step[] {
  const upTo = head.revision - retention.changesCountMax
  const beforeMs = atMs - retention.changesAgeMsMax
  const isTooOld = oldest.atMs !== null && oldest.atMs < beforeMs
  if (oldest.revision > upTo && !isTooOld) return []
  return [{ text: dropChanges({ upTo, beforeMs, countMax: TRIMMED_PER_WRITE_MAX }) }]
}
