import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError } from 'pg'
import type { Column, Table } from '../../world/table.ts'
import { GENESIS } from '../chain.ts'
import {
  CREATED,
  CREATED_BEFORE_RELEASE,
  describeBeforeRelease,
  findNewestVersion,
  type Migration,
} from '../migrations/migrations.ts'
import { StoreRefused, StoreUnavailable } from '../store.ts'
import { describedTables } from '../tables/described-tables.ts'
import { plainTables } from '../tables/plain-tables.ts'
import { classify, describeError } from './failure.ts'
import {
  CREATE_HEAD,
  CREATE_SCHEMA_BOOK,
  LOCK_GUARD,
  LOCK_HEAD,
  PUT_GUARD,
  READ_VERSION,
} from './head-sql.ts'
import { type Question, rowsOrThrow, type Session } from './session.ts'
import { createIndexes, createTable } from './statements.ts'
import { SQL_TYPE } from './values.ts'

const TRIES_MAX = 20
const PAUSE_MS = 50
/** A step may rewrite a large table. */
const STEP_MS_MAX = 60 * 60 * 1000
const LOCK_WAIT_MS_MAX = 60_000

/** Errors of two processes that start at the same moment: tried again. */
const COLLISIONS: ReadonlySet<string> = new Set(['23505', '42P07', '42710', '40001', '40P01', 'XX000'])

export function createEverything(): string[] {
  return [
    CREATE_SCHEMA_BOOK,
    CREATE_HEAD,
    ...describedTables.map(createTable),
    ...plainTables.flatMap(createIndexes),
  ]
}

/** Migrates the database to the newest schema, or refuses it in one line and leaves it unchanged. */
export async function prepareSchema(
  session: Session,
  steps: readonly Migration[],
  mustExist = false,
): Promise<void> {
  const newest = findNewestVersion(steps)
  for (let left = TRIES_MAX; ; left--) {
    try {
      const version = await readVersion(session)
      if (version === newest) break
      if (version === null && mustExist)
        throw new StoreRefused(`the database at ${session.where} has no tables of berth`)
      if (version !== null && version > newest)
        throw new StoreRefused(
          `the database at ${session.where} has schema version ${version}, and this berth knows only up to ${newest}: use a newer berth`,
        )
      await run(session, { text: CREATE_SCHEMA_BOOK })
      await run(session, { text: PUT_GUARD })
      await runInTransaction(session, () => advance(session, version, newest, steps))
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      if (left === 1 || !COLLISIONS.has(error.code ?? '')) throw toRefusal(session.where, error)
      await sleep(PAUSE_MS)
    }
  }
  await checkShapes(session, newest)
}

/** The schema version of the database; null if it has none of our tables, or not yet all of them. */
export async function readVersion(session: Session): Promise<number | null> {
  const names = ['berth_schema', 'head', ...describedTables.map(({ name }) => name)]
  const rows = await run(session, {
    text: `SELECT relname FROM pg_class WHERE relname = ANY($1::text[])
      AND relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_table_is_visible(oid)`,
    values: [`{${names.join(',')}}`],
  })
  const found = rows.map(([name]) => name as string)
  if (found.length === 0) return null
  if (!found.includes('berth_schema'))
    throw new StoreRefused(
      `the database at ${session.where} has a table ${found[0]} that is not berth's: give Berth its own database`,
    )
  const [row] = await run(session, { text: READ_VERSION })
  const version = row?.[0] as number | null
  const isBegun = version === 0 || found.length === 1
  if (version === null && !isBegun)
    throw new StoreRefused(`the database at ${session.where} is damaged: it does not say its schema version`)
  const old = await run(session, {
    text: 'SELECT 1 FROM berth_schema WHERE title = $1',
    values: [CREATED_BEFORE_RELEASE],
  })
  if (old.length > 0) throw new StoreRefused(describeBeforeRelease(`the database at ${session.where}`))
  return isBegun ? null : version
}

/** Runs a query that returns one number. */
export async function countRows(session: Session, text: string): Promise<number> {
  const [row] = await run(session, { text })
  return Number(row?.[0] ?? 0)
}

/**
 * From one version to the next, or from nothing to the newest, unless another process was faster. The row of the new
 * version comes last and every statement can run twice, so that an attempt that was cut short is repeated, also where
 * DDL is not part of the transaction.
 */
async function advance(
  session: Session,
  version: number | null,
  newest: number,
  steps: readonly Migration[],
): Promise<void> {
  await run(session, { text: LOCK_GUARD })
  if ((await countRows(session, READ_VERSION)) !== (version ?? 0)) return
  if (version === null) {
    for (const text of createEverything()) await run(session, { text })
    const { revision, chain } = GENESIS
    await run(session, { text: PUT_HEAD, values: [revision, chain] })
    return note(session, newest, CREATED)
  }
  const step = steps.find(one => one.version > version) as Migration
  // Every writer holds this lock: so no write is in progress, and the next one sees the new version.
  await run(session, { text: LOCK_HEAD })
  for (const text of step.postgres) await run(session, { text })
  await note(session, step.version, step.title)
}

const PUT_HEAD = 'INSERT INTO head VALUES (1, $1, $2) ON CONFLICT DO NOTHING'
const PUT_VERSION = 'INSERT INTO berth_schema VALUES ($1, $2) ON CONFLICT DO NOTHING'

async function note(session: Session, version: number, title: string): Promise<void> {
  await run(session, { text: PUT_VERSION, values: [version, title] })
}

async function runInTransaction(session: Session, work: () => Promise<void>): Promise<void> {
  await run(session, { text: 'BEGIN' })
  try {
    await run(session, { text: 'SET LOCAL statement_timeout = 0' })
    await run(session, { text: `SET LOCAL lock_timeout = ${LOCK_WAIT_MS_MAX}` })
    await work()
    await run(session, { text: 'COMMIT' })
  } catch (error) {
    await session.ask([{ text: 'ROLLBACK' }], LOCK_WAIT_MS_MAX)
    throw error
  }
}

async function run(session: Session, question: Question): Promise<readonly (readonly unknown[])[]> {
  const answers = await session.ask([question], STEP_MS_MAX)
  return rowsOrThrow(answers, error =>
    error instanceof DatabaseError ? error : new StoreUnavailable(error.message),
  )[0] as readonly (readonly unknown[])[]
}

function toRefusal(where: string, error: DatabaseError): Error {
  const meaning = classify(error.code ?? '')
  if (error.code !== '42501' && (meaning === 'unavailable' || meaning === 'gone'))
    return new StoreUnavailable(describeError(where, error), { cause: error })
  return new StoreRefused(`the tables of berth cannot be created: ${describeError(where, error)}`, {
    cause: error,
  })
}

const COLUMNS = `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
  coalesce(array_position(string_to_array(i.indkey::text, ' '), a.attnum::text), 0)
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid)`

/** The columns of every table as one comparable text each, in any order. */
export async function readShapes(session: Session): Promise<Map<string, string>> {
  const columns = new Map<string, string[]>()
  for (const [table, name, type, isNotNull, place] of await run(session, { text: COLUMNS })) {
    const shape = `${name} ${type} ${isNotNull ? 1 : 0} ${place}`
    columns.set(table as string, [...(columns.get(table as string) ?? []), shape])
  }
  return new Map([...columns].map(([table, shapes]) => [table, shapes.sort().join(', ')]))
}

function describeShape(table: Table): string {
  return table.columnNames
    .map(name => {
      const column = table.columns[name] as Column
      const isNotNull = 'nullable' in column ? 0 : 1
      return `${name} ${SQL_TYPE[column.type]} ${isNotNull} ${table.key.indexOf(name) + 1}`
    })
    .sort()
    .join(', ')
}

/** Between two releases a description may change without a new version: such a database is refused here, not later. */
async function checkShapes(session: Session, version: number): Promise<void> {
  const shapes = await readShapes(session)
  for (const table of describedTables)
    if (shapes.get(table.name) !== describeShape(table))
      throw new StoreRefused(
        `the database at ${session.where} has schema version ${version} but its table ${table.name} is not as this berth describes it`,
      )
}
