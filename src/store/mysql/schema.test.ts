import { describe, expect, onTestFinished, test } from 'vitest'
import { sharedMariadb, testsMariadb } from '../../../test/mariadb.ts'
import type { Migration } from '../migrations/migrations.ts'
import type { Links } from '../shared/link.ts'
import { StoreRefused } from '../store.ts'
import { openMysqlLinks } from './open.ts'
import { createEverything } from './schema.ts'

const two: Migration = {
  version: 2,
  title: 'notes',
  sqlite: [],
  postgres: [],
  mysql: [
    'CREATE TABLE IF NOT EXISTS notes (text TEXT)',
    'ALTER TABLE notes ADD COLUMN IF NOT EXISTS more TEXT',
  ],
}

interface Fresh {
  readonly url: string
  query(sql: string): Promise<Record<string, unknown>[]>
}

async function database(): Promise<Fresh> {
  const mariadb = await sharedMariadb()
  const url = await mariadb.newDatabase()
  const name = new URL(url).pathname.slice(1)
  onTestFinished(() => void mariadb.query(`DROP DATABASE ${name}`))
  return { url, query: sql => mariadb.query(sql, name) }
}

async function open({ url }: Fresh, steps: readonly Migration[]): Promise<Links> {
  const { links } = await openMysqlLinks(url, { env: {} }, steps)
  onTestFinished(() => links.close())
  return links
}

const versions = async ({ query }: Fresh) =>
  (await query('SELECT version, title FROM berth_schema ORDER BY 1')).map(
    ({ version, title }) => `${version} ${title}`,
  )

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'it was taken',
    (reason: unknown) => (reason instanceof StoreRefused ? reason.message : reason),
  )

describe.skipIf(!testsMariadb)('the schema', () => {
  test('of which only a part was made, before a crash, is completed', async () => {
    const tables = createEverything()
    for (const made of [1, 2, 10, tables.length]) {
      const half = await database()
      for (const sql of tables.slice(0, made)) await half.query(sql)
      await open(half, [])
      expect(await versions(half)).toEqual(['1 created'])
      expect(await half.query('SELECT revision FROM head')).toEqual([{ revision: 0 }])
    }
  })

  test('is led up by many that start together, and only once', async () => {
    const fresh = await database()
    await Promise.all(Array.from({ length: 4 }, () => open(fresh, [])))
    expect(await versions(fresh)).toEqual(['1 created'])
    await Promise.all(Array.from({ length: 4 }, () => open(fresh, [two])))
    expect(await versions(fresh)).toEqual(['1 created', '2 notes'])
  })

  test('of a step that a crash cut short is refused to an older berth, and led up by the next start', async () => {
    // After the row that says so, and after one statement of the step.
    for (const done of [0, 1]) {
      const old = await database()
      await open(old, [])
      await old.query("INSERT INTO berth_schema VALUES (2, 'unfinished: notes')")
      for (const sql of two.mysql.slice(0, done)) await old.query(sql)
      expect(await refusal(open(old, []))).toMatch(/has schema version 2, and this berth knows only up to 1/)
      await open(old, [two])
      expect(await versions(old)).toEqual(['1 created', '2 notes'])
      expect(await old.query('SELECT more FROM notes')).toEqual([])
    }
  })

  test('of a step that fails stays unfinished until a start can do it', async () => {
    const old = await database()
    await open(old, [])
    const broken = { ...two, mysql: [...two.mysql, 'INSERT INTO nowhere VALUES (1)'] }
    expect(await refusal(open(old, [broken]))).toMatch(/nowhere/)
    expect(await versions(old)).toEqual(['1 created', '2 unfinished: notes'])
    await open(old, [two])
    expect(await versions(old)).toEqual(['1 created', '2 notes'])
  })

  test('is not led up during a turn, and older processes write no more', async () => {
    const old = await database()
    const link = await (await open(old, [])).connect()
    onTestFinished(() => link.close())
    await link.begin(0)
    const leading = open(old, [two])
    const waits = "SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
    // The server renews this table only when nobody read it for 100 ms.
    const waiting = expect.poll(async () => (await old.query(waits)).length, {
      interval: 250,
      timeout: 10_000,
    })
    await waiting.toBeGreaterThan(0)
    expect(await versions(old)).toEqual(['1 created'])
    await link.rollback()
    await leading
    expect(await refusal(link.begin(0))).toMatch(/schema version 2 and this berth knows only up to 1/)
  })
})

describe.skipIf(!testsMariadb)('refused in one line is a database', () => {
  test('of another program, before anything in it is touched', async () => {
    const foreign = await database()
    await foreign.query('CREATE TABLE traits (name text)')
    expect(await refusal(open(foreign, []))).toMatch(
      /has a table traits that is not berth's: give Berth a database of its own$/,
    )
    expect(await foreign.query("SHOW TABLES LIKE 'berth_schema'")).toEqual([])
  })

  test('whose table is described otherwise, by the name of the table', async () => {
    const changed = await database()
    await open(changed, [])
    await changed.query('ALTER TABLE traits ADD COLUMN colour TEXT')
    expect(await refusal(open(changed, []))).toMatch(/its table traits is not as this berth describes it/)
  })

  test('that does not say its version, but was written to', async () => {
    const damaged = await database()
    await open(damaged, [])
    await damaged.query('UPDATE head SET revision = 3; DELETE FROM berth_schema')
    expect(await refusal(open(damaged, []))).toMatch(/does not say its schema version/)
  })
})
