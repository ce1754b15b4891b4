import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { AnyRow } from '../../world/table.ts'
import { APPLICATION_ID } from '../sqlite/schema.ts'
import { createEverything, shape } from '../sqlite/statements.ts'
import { FIRST_VERSION, migrations, newestVersion } from './migrations.ts'

const golden = (version: number) => fileURLToPath(new URL(`./schema-v${version}.sql`, import.meta.url))

function shapes(db: DatabaseSync): Record<string, string> {
  const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]
  const columns = db.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)')
  return Object.fromEntries(names.map(({ name }) => [name, shape(columns.all(name) as AnyRow[])]))
}

test('versions count up by one from the first', () => {
  expect(migrations.map(step => step.version)).toEqual(migrations.map((_, at) => FIRST_VERSION + 1 + at))
})

test('the described tables are those of the newest version; if not: add a migration, then update with -u', async () => {
  const text = `${createEverything().join(';\n\n')};\n`
  await expect(text).toMatchFileSnapshot(golden(newestVersion(migrations)))
})

test('every version that ever was has its schema on file, and leads to the same tables as a new store', () => {
  const versions = Array.from({ length: migrations.length + 1 }, (_, at) => FIRST_VERSION + at)
  const files = readdirSync(new URL('.', import.meta.url)).filter(name => name.endsWith('.sql'))
  expect(files.sort()).toEqual(versions.map(version => `schema-v${version}.sql`).sort())
  const fresh = new DatabaseSync(':memory:')
  for (const sql of createEverything()) fresh.exec(sql)
  for (const version of versions) {
    const old = new DatabaseSync(':memory:')
    old.exec(readFileSync(golden(version), 'utf8'))
    old.exec(`PRAGMA application_id = ${APPLICATION_ID}; INSERT INTO berth_schema VALUES (${version}, 'old')`)
    for (const step of migrations) if (step.version > version) for (const sql of step.sqlite) old.exec(sql)
    expect(shapes(old)).toEqual(shapes(fresh))
  }
})
