import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../../test/running-berth.ts'
import { Answering } from '../../../client/answering.fixture.ts'
import { run } from '../run.fixture.ts'

let directory: string
/** A database as a stopped server leaves it: complete, without a log. */
let database: string
const there = (name: string) => join(directory, name)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-restore-'))
  const berth = await Berth.start()
  await berth.ask('POST', '/resource_providers', { body: { name: 'host-1', uuid: uuid(1) } })
  await berth.stop()
  database = there('backup.sqlite')
  await copyFile(join(berth.directory, 'berth.sqlite'), database)
  await rm(berth.directory, { recursive: true })
})
afterAll(() => rm(directory, { recursive: true }))

const restore = (file: string, to: string, ...more: string[]) =>
  run(['restore', file, '--data-dir', to, ...more])

test('a data directory is made, checked, and can be served', async () => {
  const to = there('new/data')
  expect(await restore(database, to)).toMatchObject({
    exitCode: 0,
    err: '',
    out: expect.stringMatching(/new\/data at revision \d+ .*: \d+ rows, no differences, no problems\n$/),
  })
  expect((await stat(join(to, 'berth.sqlite'))).mode & 0o777).toBe(0o600)
  const again = await Berth.start({ data_dir: to })
  expect((await again.ask('GET', `/resource_providers/${uuid(1)}`)).json).toMatchObject({ name: 'host-1' })
  await again.stop()
})

test('an empty directory will do, one with anything in it will not', async () => {
  const to = there('empty')
  await mkdir(to)
  expect((await restore(database, to, '--json')).json).toMatchObject({
    differences_total: 0,
    problems_total: 0,
  })
  const before = await readFile(join(to, 'berth.sqlite'))
  expect(await restore(database, to)).toMatchObject({
    exitCode: 73,
    err: `berth: ${to} is not empty: name an empty or a new directory\n`,
  })
  expect(await readFile(join(to, 'berth.sqlite'))).toEqual(before)
  await writeFile(there('file'), '')
  expect((await restore(database, there('file'))).exitCode).toBe(73)
})

test('what is no backup is refused, and nothing is made', async () => {
  const cut = there('cut.sqlite')
  await copyFile(database, cut)
  await truncate(cut, (await stat(cut)).size - 4096)
  const text = there('text')
  await writeFile(text, 'x'.repeat(200))
  const foreign = there('foreign.sqlite')
  const bytes = await readFile(database)
  bytes.writeUInt32BE(7, 68)
  await writeFile(foreign, bytes)
  const live = there('live.sqlite')
  await copyFile(database, live)
  await writeFile(`${live}-wal`, 'log')
  const damaged = there('damaged.sqlite')
  await writeFile(damaged, (await readFile(database)).fill(0xff, 4096))
  for (const [file, exitCode, said] of [
    [cut, 65, 'is cut off: it has '],
    [text, 65, 'is not a SQLite database'],
    [foreign, 65, 'is a database, but not of Berth'],
    [live, 65, 'has a log beside it'],
    [damaged, 74, 'damaged'],
    ['/nonexistent', 66, 'does not exist'],
    [directory, 66, 'is a directory'],
  ] as const) {
    const ran = await restore(file, there('refused'))
    expect([file, ran.exitCode, ran.out]).toEqual([file, exitCode, ''])
    expect(ran.err).toContain(said)
  }
  expect(await readdir(directory)).not.toContain('refused')
})

test('the directory must be named', async () => {
  expect(await run(['restore', database])).toMatchObject({
    exitCode: 64,
    err: 'berth: --data-dir is needed: name the directory to create\n',
  })
})

test('backup keeps a database that came whole', async () => {
  const bytes = await readFile(database)
  const server = await Answering.start((_, response) =>
    response
      .writeHead(200, {
        'content-type': 'application/vnd.sqlite3',
        'berth-revision': '9',
        'content-length': bytes.length,
      })
      .end(bytes),
  )
  try {
    const file = there('copy.sqlite')
    const ran = await run(['backup', file, '--json', '--url', server.url, '--token', 'admin'])
    expect(ran.json).toEqual({ file, bytes: bytes.length, revision: 9 })
    expect(await readFile(file)).toEqual(bytes)
  } finally {
    server.stop()
  }
})
