import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
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
import type { Server } from './connect.ts'
import { classify, describeError, OUT_OF_RANGE, ServerError } from './failure.ts'
import { createCopyState, createHead, createSchemaBook, isTurn, takeAnyTurn } from './head-sql.ts'
import { rowsOrThrow } from './session.ts'
import { createTable, type Flavor, findCollation, findType, requireThat } from './statements.ts'
import { renderReadSettings, renderTurnSettings } from './turn-settings.ts'
import { renderText } from './values.ts'

const TRIES_MAX = 20
const PAUSE_MS = 100
/** A step may rewrite a large table. */
const STEP_MS_MAX = 60 * 60 * 1000
/** For turns that are under way. */
const LOCK_MS_MAX = 60_000
/** The title of a version while its step runs. */
const UNFINISHED = 'unfinished: '

/**
 * DDL is not transactional here, and Galera runs it at all nodes at once: every statement can be repeated, and only the
 * last one says that it is done. So a start that crashed is repeated by the next one, and two at once do no harm.
 */
export function createEverything(flavor: Flavor = 'mariadb'): string[] {
  return [
    createSchemaBook(flavor),
    createHead(flavor),
    createCopyState(flavor),
    ...describedTables.map(table => createTable(table, flavor)),
  ]
}

/** Migrates the database to the newest schema, or refuses it in one line and leaves it unchanged. */
export async function prepareSchema(
  server: Server,
  steps: readonly Migration[],
  mustExist = false,
): Promise<void> {
  const { where } = server.session
  const newest = findNewestVersion(steps)
  for (let left = TRIES_MAX; ; left--) {
    try {
      const found = await readFoundSchema(server)
      if (found?.version === newest && !found.isUnfinished) break
      if (found === null && mustExist)
        throw new StoreRefused(`the database at ${where} has nothing of berth in it`)
      if (found !== null && found.version > newest)
        throw new StoreRefused(
          `the database at ${where} has schema version ${found.version}, and this berth knows only up to ${newest}: use a newer berth`,
        )
      if (found === null) await create(server, newest)
      else await advance(server, found, steps)
    } catch (error) {
      if (!(error instanceof ServerError)) throw error
      const isPassing = classify(error.code) === 'aborted' || error.code === OUT_OF_RANGE
      if (left === 1 || !isPassing) throw toRefusal(where, error)
      await sleep(PAUSE_MS)
    }
  }
  await checkShapes(server, newest)
}

interface FoundSchema {
  readonly version: number
  /** Its step began and has not ended. */
  readonly isUnfinished: boolean
}

/** The schema version of the database; null if it has none of our tables, or not yet all of them. */
export async function readVersion(server: Server): Promise<number | null> {
  return (await readFoundSchema(server))?.version ?? null
}

async function readFoundSchema(server: Server): Promise<FoundSchema | null> {
  const { where } = server.session
  const names = ['berth_schema', 'head', ...describedTables.map(({ name }) => name)]
  const tables = await run(
    server,
    `SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()
      AND table_name IN (${names.map(renderText).join(', ')})`,
  )
  const found = tables.map(([name]) => name as string)
  if (found.length === 0) return null
  if (!found.includes('berth_schema'))
    throw new StoreRefused(
      `the database at ${where} has a table ${found[0]} that is not berth's: give Berth a database of its own`,
    )
  const [row] = await run(server, 'SELECT version, title FROM berth_schema ORDER BY version DESC LIMIT 1')
  if (row === undefined) return checkNeverUsed(server, found)
  const old = await run(
    server,
    `SELECT 1 FROM berth_schema WHERE title = ${renderText(CREATED_BEFORE_RELEASE)}`,
  )
  if (old.length > 0) throw new StoreRefused(describeBeforeRelease(`the database at ${where}`))
  return { version: row[0] as number, isUnfinished: (row[1] as string).startsWith(UNFINISHED) }
}

/** A creation that did not end has no version yet; nothing was ever written to it. */
async function checkNeverUsed(server: Server, tables: readonly string[]): Promise<null> {
  const used = tables.includes('head') ? await run(server, 'SELECT 1 FROM head WHERE revision > 0') : []
  if (used.length > 0)
    throw new StoreRefused(
      `the database at ${server.session.where} is damaged: it does not say its schema version`,
    )
  return null
}

/** Runs a query that returns one number. */
export async function countRows(server: Server, text: string): Promise<number> {
  const [row] = await run(server, text)
  return Number(row?.[0] ?? 0)
}

async function create(server: Server, newest: number): Promise<void> {
  for (const text of createEverything(server.flavor)) await run(server, text)
  const { revision, chain } = GENESIS
  await run(server, `INSERT IGNORE INTO head VALUES (1, ${revision}, ${renderText(chain)}, '')`)
  await run(server, `INSERT IGNORE INTO berth_schema VALUES (${newest}, ${renderText(CREATED)})`)
}

/** From one version to the next. Older berths stop as soon as there is a row for the new one, also while it is unfinished. */
async function advance(server: Server, found: FoundSchema, steps: readonly Migration[]): Promise<void> {
  const version = found.isUnfinished ? found.version : found.version + 1
  const step = steps.find(one => one.version === version) as Migration
  await announce(server, version, UNFINISHED + step.title)
  for (const text of step.mysql) await run(server, text)
  await run(server, `UPDATE berth_schema SET title = ${renderText(step.title)} WHERE version = ${version}`)
}

/** A row for a version that is under way, in one transaction that also aborts all open turns. */
async function announce(server: Server, version: number, title: string): Promise<void> {
  const turn = randomUUID()
  const isThere = `(SELECT count(*) FROM berth_schema WHERE version = ${version}) = 1 AND ${isTurn(turn)}`
  try {
    await ask(server, [
      ...renderTurnSettings(server, { answerMsMax: LOCK_MS_MAX, frozenMsMax: LOCK_MS_MAX }, true),
      `INSERT IGNORE INTO berth_schema VALUES (${version}, ${renderText(title)})`,
      takeAnyTurn(turn),
      // A node of Galera may have taken back what is before this: only then the COMMIT is sent.
      requireThat(isThere),
    ])
    await ask(server, ['COMMIT'])
  } catch (reason) {
    await server.session.ask(['ROLLBACK'], LOCK_MS_MAX)
    throw reason
  }
}

async function run(server: Server, text: string): Promise<readonly (readonly unknown[])[]> {
  return ask(server, [...renderReadSettings(server), text])
}

async function ask(server: Server, texts: readonly string[]): Promise<readonly (readonly unknown[])[]> {
  const answers = await server.session.ask(texts, STEP_MS_MAX)
  const rows = rowsOrThrow(answers, error =>
    error instanceof ServerError ? error : new StoreUnavailable(error.message),
  )
  return rows.at(-1) as readonly (readonly unknown[])[]
}

function toRefusal(where: string, error: ServerError): Error {
  const meaning = classify(error.code)
  if (meaning === 'gone' || meaning === 'aborted')
    return new StoreUnavailable(describeError(where, error), { cause: error })
  return new StoreRefused(`the tables of berth cannot be created: ${describeError(where, error)}`, {
    cause: error,
  })
}

const COLUMNS = `SELECT table_name, column_name, data_type, character_maximum_length, is_nullable,
  coalesce(collation_name, '')
FROM information_schema.columns WHERE table_schema = DATABASE()`

/** A query of its own: a join of both opens the tables of every database, for every row. */
const KEYS = `SELECT table_name, column_name, ordinal_position FROM information_schema.key_column_usage
WHERE table_schema = DATABASE() AND constraint_name = 'PRIMARY'`

/** The columns of every table as one comparable text each, in any order. */
export async function readShapes(server: Server): Promise<Map<string, string>> {
  const keys = (await run(server, KEYS)) as readonly [table: string, column: string, place: number][]
  const places = new Map(keys.map(([table, column, place]) => [`${table} ${column}`, place]))
  const columns = new Map<string, string[]>()
  for (const row of await run(server, COLUMNS)) {
    const [table, name, type, length, isNullable, collation] = row as [
      string,
      string,
      string,
      number,
      ...string[],
    ]
    const fullType = type === 'varchar' ? `varchar(${length})` : type
    const place = places.get(`${table} ${name}`) ?? 0
    const shape = `${name} ${fullType} ${isNullable === 'NO' ? 1 : 0} ${collation} ${place}`
    columns.set(table, [...(columns.get(table) ?? []), shape])
  }
  return new Map([...columns].map(([table, shapes]) => [table, shapes.sort().join(', ')]))
}

function describeShape(table: Table, flavor: Flavor): string {
  return table.columnNames
    .map(name => {
      const column = table.columns[name] as Column
      const isNotNull = 'nullable' in column ? 0 : 1
      const collation = column.type === 'text' ? findCollation(flavor) : ''
      return `${name} ${findType(table, name)} ${isNotNull} ${collation} ${table.key.indexOf(name) + 1}`
    })
    .sort()
    .join(', ')
}

/** Between two releases a description may change without a new version: such a database is refused here, not later. */
async function checkShapes(server: Server, version: number): Promise<void> {
  const shapes = await readShapes(server)
  for (const table of describedTables)
    if (shapes.get(table.name) !== describeShape(table, server.flavor))
      throw new StoreRefused(
        `the database at ${server.session.where} has schema version ${version} but its table ${table.name} is not as this berth describes it`,
      )
}
