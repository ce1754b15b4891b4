import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sharedMariadb, testsMariadb } from '../../../test/mariadb.ts'
import type { AnyRow } from '../../world/table.ts'
import * as mysql from '../mysql/schema.ts'
import { type FreshDatabase, freshDatabase } from '../postgres/fresh-database.fixture.ts'
import * as postgres from '../postgres/schema.ts'
import * as sqlite from '../sqlite/statements.ts'
import { FIRST_VERSION, findNewestVersion, type Migration, migrations } from './migrations.ts'

const NAMES = {
  sqlite: (version: number) => `schema-v${version}.sql`,
  postgres: (version: number) => `schema-v${version}.postgres.sql`,
  mysql: (version: number) => `schema-v${version}.mysql.sql`,
}
type Engine = keyof typeof NAMES
const engines = Object.keys(NAMES) as Engine[]

const createEverything = {
  sqlite: sqlite.createEverything,
  postgres: postgres.createEverything,
  mysql: () => mysql.createEverything(),
}

const golden = (engine: Engine, version: number) =>
  fileURLToPath(new URL(`./${NAMES[engine](version)}`, import.meta.url))

const versions = Array.from({ length: migrations.length + 1 }, (_, at) => FIRST_VERSION + at)

test('versions count up by one from the first', () => {
  expect(migrations.map(step => step.version)).toEqual(migrations.map((_, at) => FIRST_VERSION + 1 + at))
})

test.each(engines)(
  'the described tables are those of the newest version on %s; if not: add a migration, then update with -u',
  async engine => {
    const text = `${createEverything[engine]().join(';\n\n')};\n`
    await expect(text).toMatchFileSnapshot(golden(engine, findNewestVersion(migrations)))
  },
)

test('every version that ever was has its schema on file for every engine', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter(name => name.endsWith('.sql'))
  expect(files.sort()).toEqual(versions.flatMap(version => engines.map(one => NAMES[one](version))).sort())
})

/** A step as a later version will have one: it adds a table that stores before it lack. */
const later: Migration = {
  version: 2,
  title: 'decisions know their servers',
  sqlite: [
    `CREATE TABLE "decision_servers" (
  "instance" TEXT NOT NULL,
  "decision" TEXT NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("instance", "decision")
) STRICT, WITHOUT ROWID`,
    'CREATE INDEX "decision_servers_by_age" ON "decision_servers" ("at_ms")',
  ],
  postgres: [
    `CREATE TABLE IF NOT EXISTS "decision_servers" (
  "instance" TEXT COLLATE "C" NOT NULL,
  "decision" TEXT COLLATE "C" NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("instance", "decision")
)`,
    'CREATE INDEX IF NOT EXISTS "decision_servers_by_age" ON "decision_servers" ("at_ms")',
  ],
  mysql: mysql.createEverything().filter(sql => sql.includes('decision_servers')),
}

/** Every schema that a store may have, with the steps that lead to the newest. */
function pasts(engine: Engine): { readonly schema: string; readonly steps: readonly Migration[] }[] {
  const lacking = createEverything[engine]().filter(sql => !sql.includes('decision_servers'))
  return [
    ...versions.map(version => ({
      schema: readFileSync(golden(engine, version), 'utf8'),
      steps: migrations.filter(step => step.version > version),
    })),
    { schema: lacking.join(';\n'), steps: [later] },
  ]
}

test('on sqlite, every version leads to the same tables as a new store, and so does a later step', () => {
  const shapes = (db: DatabaseSync): Record<string, string> => {
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as {
      name: string
    }[]
    const columns = db.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)')
    return Object.fromEntries(
      names.map(({ name }) => [name, sqlite.renderShape(columns.all(name) as AnyRow[])]),
    )
  }
  const fresh = new DatabaseSync(':memory:')
  for (const sql of sqlite.createEverything()) fresh.exec(sql)
  for (const { schema, steps } of pasts('sqlite')) {
    const old = new DatabaseSync(':memory:')
    old.exec(schema)
    for (const step of steps) for (const sql of step.sqlite) old.exec(sql)
    expect(shapes(old)).toEqual(shapes(fresh))
  }
})

/** Columns, and what is a key or an index: all that PostgreSQL knows about our tables. */
async function everything({ query }: FreshDatabase): Promise<unknown> {
  const columns = await query(`SELECT table_name, column_name, data_type, is_nullable, collation_name
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`)
  const indexes = await query("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1")
  return { columns, indexes }
}

test('on postgres, every version leads to the same tables as a new store, and so does a later step, run twice', async () => {
  const fresh = await freshDatabase()
  const wanted = await everything(fresh)
  await fresh.drop()
  for (const { schema, steps } of pasts('postgres')) {
    const old = await freshDatabase('nothing')
    await old.query(schema)
    for (const step of steps) for (const sql of [...step.postgres, ...step.postgres]) await old.query(sql)
    expect(await everything(old)).toEqual(wanted)
    await old.drop()
  }
})

test.skipIf(!testsMariadb)(
  'on mysql, every version leads to the same tables as a new store, and so does a later step',
  async () => {
    const mariadb = await sharedMariadb()
    const shapesAfter = async (texts: readonly string[]): Promise<unknown> => {
      const url = await mariadb.newDatabase()
      const name = new URL(url).pathname.slice(1)
      for (const text of texts) await mariadb.query(text, name)
      const columns =
        await mariadb.query(`SELECT table_name, column_name, column_type, is_nullable, collation_name
        FROM information_schema.columns WHERE table_schema = '${name}' ORDER BY 1, 2`)
      const indexes =
        await mariadb.query(`SELECT table_name, index_name, seq_in_index, column_name, non_unique
        FROM information_schema.statistics WHERE table_schema = '${name}' ORDER BY 1, 2, 3`)
      await mariadb.query(`DROP DATABASE ${name}`)
      return { columns, indexes }
    }
    const wanted = await shapesAfter(mysql.createEverything())
    for (const { schema, steps } of pasts('mysql'))
      expect(await shapesAfter([schema, ...steps.flatMap(step => step.mysql)])).toEqual(wanted)
  },
)
