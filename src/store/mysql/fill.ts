import type { Table } from '../../world/table.ts'
import { mirroredTables } from '../../world/tables.ts'
import { type Head, type Snapshot, StoreRejected } from '../store.ts'
import { changes, type StoredName } from '../tables/described-tables.ts'
import { plainTables } from '../tables/plain-tables.ts'
import { isTooLarge, ServerError } from './failure.ts'
import { type FillMeans, FillTarget } from './fill-target.ts'

/** One commit of a copy; Galera limits what a transaction may change. */
const ROWS_PER_COMMIT_MAX = 5_000

/**
 * Copies in many small transactions. Until the last one has moved the head, the database says that a copy is unfinished,
 * and no server uses it. The same copy, started again, goes on where it stopped; a copy of another head starts over.
 */
export async function fill(means: FillMeans, source: Snapshot, took: (rows: number) => void): Promise<Head> {
  const target = new FillTarget(means)
  try {
    await target.begin(source.head)
    const start = target.place
    const names = listTables().map(({ name }) => name)
    for (const table of listTables()) {
      const isBefore = start.table !== null && names.indexOf(table.name) < names.indexOf(start.table)
      if (isBefore && isFixed(table.name)) continue
      const rowsDone = isFixed(table.name) && table.name === start.table ? start.rows : 0
      await copyTable(target, source, table, rowsDone, took)
    }
    await target.finish()
    return source.head
  } finally {
    await target.close()
  }
}

/** Those whose rows change without the head come last. */
const listTables = (): readonly Table<StoredName>[] =>
  [...mirroredTables, changes, ...plainTables] as Table<StoredName>[]

/**
 * Whether a table has the same rows in the same order whenever the head is the same, so that their number says how far a
 * copy has come. Old changes and plain rows may have been dropped meanwhile: they are always copied from the beginning.
 */
const isFixed = (name: StoredName): boolean =>
  name !== changes.name && !(plainTables as readonly Table[]).some(table => table.name === name)

async function copyTable(
  target: FillTarget,
  source: Snapshot,
  table: Table<StoredName>,
  rowsDone: number,
  took: (rows: number) => void,
): Promise<void> {
  if (!isFixed(table.name)) await target.clear(table.name)
  let rowsMax = ROWS_PER_COMMIT_MAX
  let done = rowsDone
  let passed = 0
  for await (const page of source.rows(table.name)) {
    const rows = page.slice(Math.max(0, done - passed))
    passed += page.length
    for (let at = 0; at < rows.length; ) {
      const some = rows.slice(at, at + rowsMax)
      try {
        await target.write(table, some, { table: table.name, rows: done + some.length })
      } catch (reason) {
        if (some.length === 1 || !isOverLimit(reason)) throw reason
        rowsMax = Math.ceil(some.length / 2)
        continue
      }
      at += some.length
      done += some.length
    }
    took(page.length)
  }
}

/** The cluster is set to take less in one transaction. */
const isOverLimit = (reason: unknown): boolean =>
  reason instanceof StoreRejected && reason.cause instanceof ServerError && isTooLarge(reason.cause)
