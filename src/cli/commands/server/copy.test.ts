import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedMariadb, testsMariadb } from '../../../../test/mariadb.ts'
import { sharedPostgres } from '../../../../test/postgres.ts'
import { Berth, uuid } from '../../../../test/running-berth.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { run } from '../run.fixture.ts'

let directory: string
const there = (name: string) => join(directory, name)
const source = () => `sqlite:${there('source')}`
/** The changes that the source reports, the last one with the key of the write that made it. */
let told: string

const followed = async (berth: Berth): Promise<string> =>
  (await berth.ask('GET', '/v1/changes?since=0&follow=false')).text

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-copy-'))
  const berth = await Berth.start({ data_dir: there('source') })
  for (const number of [1, 2, 3])
    await berth.ask('POST', '/resource_providers', { body: { name: `é ${number}`, uuid: uuid(number) } })
  await berth.ask('POST', '/v1/import', {
    raw: '{"trait":{"name":"CUSTOM_A"}}\n',
    headers: { 'idempotency-key': 'once', 'content-type': 'application/x-ndjson' },
  })
  told = await followed(berth)
  expect(told).toContain('CUSTOM_A')
  await berth.stop()
})
afterAll(() => rm(directory, { recursive: true }))

const newDatabase = async () => (await sharedPostgres()).newDatabase()
const copy = (from: string, to: string, ...more: string[]) =>
  run(['copy', '--from', from, '--to', to, ...more])

test('from SQLite to PostgreSQL and back: served there, and followers go on', async () => {
  const database = await newDatabase()
  const there1 = await copy(source(), database)
  expect(there1).toMatchObject({ exitCode: 0, err: '' })
  expect(there1.out).toMatch(
    /source copied to postgres:\/\/.* at revision \d+: \d+ rows, \d+ changes, \d+ plain rows; read again and equal\n$/,
  )
  const back = await copy(database, `sqlite:${there('back')}`, '--json')
  expect(back.json).toMatchObject({
    from: database,
    differences_total: 0,
    problems: [],
    plain_rows: expect.any(Number),
  })

  for (const at of [{ database, data_dir: there('token') }, { data_dir: there('back') }]) {
    const berth = await Berth.start(at)
    expect((await berth.ask('GET', `/resource_providers/${uuid(2)}`)).json).toMatchObject({ name: 'é 2' })
    expect(await followed(berth)).toBe(told)
    await berth.ask('POST', '/resource_providers', { body: { name: 'later', uuid: uuid(9) } })
    expect((await followed(berth)).startsWith(told)).toBe(true)
    await berth.stop()
  }
})

test.skipIf(!testsMariadb)(
  'from SQLite to MariaDB, to PostgreSQL, to MariaDB and back: nothing is lost',
  async () => {
    const mariadb = await sharedMariadb()
    const places = [
      source(),
      await mariadb.newDatabase(),
      await newDatabase(),
      await mariadb.newDatabase(),
      `sqlite:${there('round')}`,
    ]
    for (const [at, to] of places.slice(1).entries()) {
      const done = await copy(places[at] as string, to, '--json')
      expect(done.json, done.err).toMatchObject({ differences_total: 0, problems: [] })
    }
    const berth = await Berth.start({ data_dir: there('round') })
    expect(await followed(berth)).toBe(told)
    await berth.stop()
  },
)

test('between two of a kind', async () => {
  const [first, second] = [await newDatabase(), await newDatabase()]
  expect((await copy(source(), `sqlite:${there('second')}`)).exitCode).toBe(0)
  expect((await copy(`sqlite:${there('second')}`, first)).exitCode).toBe(0)
  expect(await copy(first, second)).toMatchObject({ exitCode: 0, err: '' })
})

test('a target in which anything was ever written is refused in one line', async () => {
  const database = await newDatabase()
  await copy(source(), database)
  expect(await copy(source(), database)).toMatchObject({
    exitCode: 74,
    out: '',
    err: expect.stringMatching(
      /^berth: the database at .* is not empty: something was written to it already\n$/,
    ),
  })
  await copy(source(), `sqlite:${there('taken')}`)
  expect(await copy(database, `sqlite:${there('taken')}`)).toMatchObject({
    exitCode: 74,
    err: `berth: ${there('taken')}/berth.sqlite is not empty: something was written to it already\n`,
  })
})

test('a data directory that a server holds is refused, on either side', async () => {
  const berth = await Berth.start()
  const inUse = `berth: the data directory ${berth.directory} is in use by another berth, process ${process.pid}\n`
  const from = await copy(`sqlite:${berth.directory}`, `sqlite:${there('never')}`)
  expect(from).toMatchObject({ exitCode: 74, err: inUse })
  expect(await copy(source(), `sqlite:${berth.directory}`)).toMatchObject({ exitCode: 74, err: inUse })
  await berth.end()
})

test('what fails leaves no directory behind that was not there', async () => {
  const database = await newDatabase()
  expect(await copy(database, `sqlite:${there('unmade')}`)).toMatchObject({
    exitCode: 74,
    err: expect.stringMatching(/^berth: the database at .* has no tables of berth\n$/),
  })
  // Reading the source created no tables in it.
  const postgres = await sharedPostgres()
  const tables = await postgres.query(
    "SELECT FROM pg_tables WHERE schemaname = 'public'",
    new URL(database).pathname.slice(1),
  )
  expect(tables).toHaveLength(0)
  expect(await run(['verify', '--database', database])).toMatchObject({ exitCode: 74, out: '' })
  await mkdir(there('empty'))
  expect(await copy(`sqlite:${there('empty')}`, `sqlite:${there('unmade')}`)).toMatchObject({
    exitCode: 74,
    err: `berth: there is no database in ${there('empty')}\n`,
  })
  expect(await readdir(directory)).not.toContain('unmade')
  expect(await readdir(there('empty'))).toEqual([])
})

test('a database that does not answer is one line and 69, and no password is ever shown', async () => {
  const ran = await copy(source(), 'postgres://berth:secret@127.0.0.1:1/berth?password=secret')
  expect(ran).toMatchObject({ exitCode: 69, out: '' })
  expect(ran.err).toMatch(/^berth: .*127\.0\.0\.1:1.*\n$/)
  for (const wrong of [
    'postgre://berth:secret@127.0.0.1/berth',
    'postgres://berth:secret@127.0.0.1/berth?secret=1',
  ])
    expect(await copy(source(), wrong)).not.toMatchObject({ err: expect.stringContaining('secret@') })
  expect(ran.err).not.toContain('secret')
})

test.each([
  [['--from', '/var/lib/berth', '--to', 'sqlite:x'], '--from: a store is named by sqlite:'],
  [['--from', 'sqlite:x', '--to', 'oracle://x'], '--to: a store is named by sqlite:'],
  [['--from', 'sqlite:x', '--to', 'sqlite:./x/'], '--from and --to are the same store'],
  [['--from', 'sqlite:x'], "required option '--to <store>' not specified"],
])('a wrong command line: %s', async (args, said) => {
  const ran = await run(['copy', ...args])
  expect([ran.exitCode, ran.err]).toEqual([64, expect.stringContaining(said)])
})

test('on a terminal the progress is drawn, and gone in the end', async () => {
  const around = new FakeEnvironment()
  around.stderr.isTerminal = true
  await run(['copy', '--from', source(), '--to', `sqlite:${there('drawn')}`], { around })
  expect(around.stderr.text).toMatch(/^\rread {2}[\d,]+ rows/)
  expect(around.stderr.text.endsWith('\r\x1b[K')).toBe(true)
})
