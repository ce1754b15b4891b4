import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Migration } from '../migrations/migrations.ts'
import type { Links } from '../shared/link.ts'
import { StoreRefused } from '../store.ts'
import {
  type FreshDatabase,
  freshDatabase,
  inserted,
  nowhere,
  until,
  write,
} from './fresh-database.fixture.ts'
import { openPostgresLinks } from './open.ts'
import { createEverything } from './schema.ts'

const two: Migration = {
  version: 2,
  title: 'notes',
  sqlite: [],
  postgres: [
    'CREATE TABLE IF NOT EXISTS notes (text TEXT)',
    'ALTER TABLE traits ALTER COLUMN name SET STORAGE PLAIN',
  ],
  mysql: [],
}
const three: Migration = {
  version: 3,
  title: 'broken',
  sqlite: [],
  postgres: ['CREATE TABLE IF NOT EXISTS half (text TEXT)', 'INSERT INTO nowhere VALUES (1)'],
  mysql: [],
}

async function database(): Promise<FreshDatabase> {
  const made = await freshDatabase('nothing')
  onTestFinished(() => made.drop())
  return made
}

/** As a berth would leave it that knows no step at all. */
async function firstVersion(): Promise<FreshDatabase> {
  const made = await database()
  await (await openPostgresLinks(made.url, nowhere, [])).close()
  return made
}

async function open({ url }: FreshDatabase, steps: readonly Migration[]): Promise<Links> {
  const links = await openPostgresLinks(url, nowhere, steps)
  onTestFinished(() => links.close())
  return links
}

const versions = async ({ query }: FreshDatabase) =>
  (await query('SELECT version, title FROM berth_schema WHERE version > 0 ORDER BY 1')).map(
    ({ version, title }) => `${version} ${title}`,
  )
const has = async ({ query }: FreshDatabase, table: string) =>
  (await query(`SELECT to_regclass('${table}') IS NOT NULL AS has`))[0]?.has

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'it was taken',
    (reason: unknown) => (reason instanceof StoreRefused ? reason.message : reason),
  )

describe('the schema', () => {
  test('of a new database is the newest at once', async () => {
    const fresh = await database()
    await open(fresh, [two])
    expect(await versions(fresh)).toEqual(['2 created'])
  })

  test('of an older one is led up step by step, and only once', async () => {
    const old = await firstVersion()
    await open(old, [two])
    await open(old, [two])
    expect(await versions(old)).toEqual(['1 created', '2 notes'])
    expect(await has(old, 'notes')).toBe(true)
  })

  test('after a step that fails has nothing of it, and the steps before it stay', async () => {
    const old = await firstVersion()
    expect(await refusal(open(old, [two, three]))).toMatch(/nowhere/)
    expect(await versions(old)).toEqual(['1 created', '2 notes'])
    expect(await has(old, 'half')).toBe(false)
  })

  test('of which only a part was made, before a crash, is completed', async () => {
    const half = await database()
    const [book, ...tables] = createEverything()
    await half.query(book as string)
    await (await open(half, [])).connect().then(link => link.close())
    const more = await database()
    await more.query(book as string)
    await more.query("INSERT INTO berth_schema VALUES (0, 'guard of migrations')")
    for (const sql of tables.slice(0, 10)) await more.query(sql)
    await open(more, [])
    expect([await versions(half), await versions(more)]).toEqual([['1 created'], ['1 created']])
    expect(await more.query('SELECT revision FROM head')).toEqual([{ revision: '0' }])
  })

  test('of an older one is led up although a part of the step was done before', async () => {
    const old = await firstVersion()
    await old.query(two.postgres[0] as string)
    await open(old, [two])
    expect(await versions(old)).toEqual(['1 created', '2 notes'])
  })

  test('is led up while another transaction has a lock on the table of versions', async () => {
    const fresh = await database()
    await open(fresh, [])
    const reading = new Client({ connectionString: fresh.url })
    await reading.connect()
    onTestFinished(() => reading.end())
    await reading.query('BEGIN; LOCK TABLE berth_schema IN ROW EXCLUSIVE MODE')
    await open(fresh, [two])
    expect(await versions(fresh)).toEqual(['1 created', '2 notes'])
  })

  test('is made once by many that start together', async () => {
    const fresh = await database()
    await Promise.all(Array.from({ length: 8 }, () => open(fresh, [])))
    expect(await versions(fresh)).toEqual(['1 created'])
    await Promise.all(Array.from({ length: 8 }, () => open(fresh, [two])))
    expect(await versions(fresh)).toEqual(['1 created', '2 notes'])
  })

  test('is not migrated while another process writes, and older processes stop writing', async () => {
    const old = await firstVersion()
    const link = await (await open(old, [])).connect()
    onTestFinished(() => link.close())
    await link.begin(0)
    const leading = open(old, [two])
    await until(async () => {
      const [row] = await old.query('SELECT count(*) FROM pg_locks WHERE NOT granted')
      return row?.count !== '0'
    })
    expect(await versions(old)).toEqual(['1 created'])
    await link.rollback()
    await leading
    expect(await refusal(link.begin(0))).toMatch(/schema version 2 and this berth knows only up to 1/)
  })

  test('keeps what is stored', async () => {
    const old = await firstVersion()
    const link = await (await open(old, [])).connect()
    const head = await write(link, inserted(1))
    await link.close()
    const again = await (await open(old, [two])).connect()
    expect(await again.head()).toEqual(head)
    await again.close()
  })
})

describe('refused in one line is a database', () => {
  test('of a newer berth', async () => {
    const newer = await database()
    await open(newer, [two])
    expect(await refusal(open(newer, []))).toMatch(
      /^the database at 127\.0\.0\.1:\d+ has schema version 2, and this berth knows only up to 1: use a newer berth$/,
    )
  })

  test('of another program, before anything in it is touched', async () => {
    const foreign = await database()
    await foreign.query('CREATE TABLE traits (name text)')
    expect(await refusal(open(foreign, []))).toMatch(
      /has a table traits that is not berth's: give Berth its own database$/,
    )
    expect(await has(foreign, 'berth_schema')).toBe(false)
  })

  test('whose table is described otherwise, by the name of the table', async () => {
    const changed = await firstVersion()
    await changed.query('ALTER TABLE traits ADD COLUMN colour TEXT')
    expect(await refusal(open(changed, []))).toMatch(/its table traits is not as this berth describes it/)
  })

  test('that is not there, where nothing is to be made', async () => {
    const fresh = await database()
    const opening = openPostgresLinks(fresh.url, { ...nowhere, mustExist: true })
    expect(await refusal(opening)).toMatch(/^the database at 127\.0\.0\.1:\d+ has no tables of berth$/)
    expect(await has(fresh, 'berth_schema')).toBe(false)
  })

  test('of a version before the first release, with the way out', async () => {
    const old = await firstVersion()
    await old.query("UPDATE berth_schema SET version = 8, title = 'made new' WHERE version = 1")
    expect(await refusal(open(old, [two]))).toMatch(
      /^the database at 127\.0\.0\.1:\d+ was created by a development version of berth, .* export it with that version/,
    )
    expect(await versions(old)).toEqual(['8 made new'])
  })

  test('that does not say its version', async () => {
    const damaged = await firstVersion()
    await damaged.query('DELETE FROM berth_schema')
    expect(await refusal(open(damaged, []))).toMatch(/does not say its schema version/)
  })

  test('in which we may not make tables', async () => {
    const fresh = await database()
    await fresh.query(`CREATE ROLE ${fresh.name}_reader LOGIN`)
    const url = fresh.url.replace('postgres@', `${fresh.name}_reader@`)
    const message = await refusal(openPostgresLinks(url, nowhere))
    expect(message).toMatch(/tables of berth cannot be created: .*permission denied for schema public/)
  })

  test('that is not there', async () => {
    const fresh = await database()
    expect(await refusal(openPostgresLinks(`${fresh.url}_gone`, nowhere))).toMatch(/does not exist/)
  })

  test('that does not speak UTF8', async () => {
    const fresh = await database()
    await fresh.query(`CREATE DATABASE ${fresh.name}_ascii ENCODING 'SQL_ASCII' TEMPLATE template0`)
    expect(await refusal(openPostgresLinks(`${fresh.url}_ascii`, nowhere))).toMatch(
      /the encoding of its database is SQL_ASCII, not UTF8/,
    )
  })
})
