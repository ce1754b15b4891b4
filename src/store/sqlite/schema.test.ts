import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { Migration } from '../migrations/migrations.ts'
import { StoreRefused } from '../store.ts'
import { APPLICATION_ID, prepareSchema } from './schema.ts'

function database(): DatabaseSync {
  const directory = mkdtempSync(join(tmpdir(), 'berth-schema-'))
  const db = new DatabaseSync(join(directory, 'berth.sqlite'))
  onTestFinished(() => {
    db.close()
    rmSync(directory, { recursive: true })
  })
  return db
}

const FILE = '/data/berth.sqlite'
const versions = (db: DatabaseSync) =>
  (db.prepare('SELECT version, title FROM berth_schema').all() as { version: number; title: string }[]).map(
    row => `${row.version} ${row.title}`,
  )
const hasTable = (db: DatabaseSync, name: string) =>
  db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined

const two: Migration = {
  version: 2,
  title: 'notes',
  sqlite: ['CREATE TABLE notes (text TEXT) STRICT'],
  postgres: [],
  mysql: [],
}
const three: Migration = {
  version: 3,
  title: 'broken',
  sqlite: ['CREATE TABLE half (text TEXT) STRICT', 'INSERT INTO nowhere VALUES (1)'],
  postgres: [],
  mysql: [],
}

test('a new file gets the newest version at once, our mark, and a log', () => {
  const db = database()
  prepareSchema(db, FILE, [])
  expect(versions(db)).toEqual(['1 created'])
  expect(db.prepare('PRAGMA application_id').get()).toEqual({ application_id: APPLICATION_ID })
  expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
})

test('an older file is led up step by step, and only once', () => {
  const db = database()
  prepareSchema(db, FILE, [])
  prepareSchema(db, FILE, [two])
  prepareSchema(db, FILE, [two])
  expect(versions(db)).toEqual(['1 created', '2 notes'])
  expect(hasTable(db, 'notes')).toBe(true)
})

test('a step that fails leaves nothing of itself, and the steps before it stay', () => {
  const db = database()
  prepareSchema(db, FILE, [])
  expect(() => prepareSchema(db, FILE, [two, three])).toThrow(/nowhere/)
  expect(versions(db)).toEqual(['1 created', '2 notes'])
  expect(hasTable(db, 'half')).toBe(false)
})

test('a newer file is refused in one line with both versions', () => {
  const db = database()
  prepareSchema(db, FILE, [two])
  expect(() => prepareSchema(db, FILE, [])).toThrow(
    new StoreRefused(
      '/data/berth.sqlite has schema version 2, and this berth knows only up to 1: use a newer berth',
    ),
  )
})

test('a file of our version whose table is described otherwise is refused by the name of the table', () => {
  const db = database()
  prepareSchema(db, FILE, [])
  db.exec('ALTER TABLE traits ADD COLUMN colour TEXT')
  expect(() => prepareSchema(db, FILE, [])).toThrow(/its table traits is not as this berth describes it/)
})

test('a file with our mark that does not say its version is refused', () => {
  const db = database()
  prepareSchema(db, FILE, [])
  db.exec('DELETE FROM berth_schema')
  expect(() => prepareSchema(db, FILE, [])).toThrow(/does not say its schema version/)
  db.exec('DROP TABLE berth_schema')
  expect(() => prepareSchema(db, FILE, [])).toThrow(/does not say its schema version/)
})

test('a file of a version before the first release is refused with the way out, and left as it was', () => {
  const db = database()
  prepareSchema(db, FILE, [])
  db.exec("UPDATE berth_schema SET version = 8, title = 'made new'")
  expect(() => prepareSchema(db, FILE, [two])).toThrow(
    new StoreRefused(
      '/data/berth.sqlite was created by a development version of berth, whose schema this one does not know: ' +
        "export it with that version ('berth export') and import the file into a new store ('berth import')",
    ),
  )
  expect(versions(db)).toEqual(['8 made new'])
})
