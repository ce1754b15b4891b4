import type { DatabaseSync } from 'node:sqlite'
import type { AnyRow } from '../../world/table.ts'
import { GENESIS } from '../chain.ts'
import {
  CREATED,
  CREATED_BEFORE_RELEASE,
  describeBeforeRelease,
  findNewestVersion,
  type Migration,
} from '../migrations/migrations.ts'
import { StoreRefused } from '../store.ts'
import { describedTables } from '../tables/described-tables.ts'
import { createEverything, describeShape, renderShape } from './statements.ts'

/** "BRTH": marks the file as ours in SQLite's own header. */
export const APPLICATION_ID = 0x42525448

/** Migrates the file to the newest schema, or refuses it in one line and leaves it unchanged. */
export function prepareSchema(db: DatabaseSync, file: string, steps: readonly Migration[]): void {
  const newest = findNewestVersion(steps)
  const version = readVersion(db, file)
  if (version !== null && version > newest)
    throw new StoreRefused(
      `${file} has schema version ${version}, and this berth knows only up to ${newest}: use a newer berth`,
    )
  useWriteAheadLog(db, file)
  if (version === null) create(db, newest)
  else for (const step of steps) if (step.version > version) migrate(db, step)
  checkShapes(db, file, newest)
}

/** The schema version of the file; null if nothing was ever written to it. */
export function readVersion(db: DatabaseSync, file: string): number | null {
  const id = readNumber(db, 'PRAGMA application_id')
  if (id === 0 && readNumber(db, 'SELECT count(*) FROM sqlite_master') === 0) return null
  if (id !== APPLICATION_ID) throw new StoreRefused(`${file} is a database of another program`)
  const marked = readNumber(db, "SELECT count(*) FROM sqlite_master WHERE name = 'berth_schema'") === 1
  const version = marked ? readNumber(db, 'SELECT max(version) FROM berth_schema') : null
  if (version === null) throw new StoreRefused(`${file} is damaged: it does not say its schema version`)
  if (db.prepare('SELECT 1 FROM berth_schema WHERE title = ?').get(CREATED_BEFORE_RELEASE) !== undefined)
    throw new StoreRefused(describeBeforeRelease(file))
  return version
}

function readNumber(db: DatabaseSync, sql: string): number {
  const row = db.prepare(sql).get() as Record<string, number>
  return Object.values(row)[0] as number
}

function useWriteAheadLog(db: DatabaseSync, file: string): void {
  const mode = (db.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string }).journal_mode
  if (mode !== 'wal') throw new StoreRefused(`${file} is on a file system where SQLite cannot keep a log`)
}

function create(db: DatabaseSync, version: number): void {
  runInTransaction(db, () => {
    for (const sql of createEverything()) db.exec(sql)
    db.prepare('INSERT INTO head (only_row, revision, chain) VALUES (1, ?, ?)').run(
      GENESIS.revision,
      GENESIS.chain,
    )
    note(db, version, CREATED)
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  })
}

function migrate(db: DatabaseSync, step: Migration): void {
  runInTransaction(db, () => {
    for (const sql of step.sqlite) db.exec(sql)
    note(db, step.version, step.title)
  })
}

function note(db: DatabaseSync, version: number, title: string): void {
  db.prepare('INSERT INTO berth_schema (version, title) VALUES (?, ?)').run(version, title)
}

function runInTransaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Between two releases a description may change without a new version: such a store is refused here, not later. */
function checkShapes(db: DatabaseSync, file: string, version: number): void {
  const columns = db.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)')
  for (const table of describedTables) {
    if (renderShape(columns.all(table.name) as AnyRow[]) !== describeShape(table))
      throw new StoreRefused(
        `${file} has schema version ${version} but its table ${table.name} is not as this berth describes it`,
      )
  }
}
