import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDatabase } from '../../../store/postgres/fresh-database.fixture.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { runProgram } from '../../program.ts'
import { run } from '../run.fixture.ts'

let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-placement-'))
  file = join(directory, 'placement.conf')
  writeConf(`sqlite:///${directory}/data/placement.sqlite`)
})
afterEach(() => rmSync(directory, { recursive: true }))

function writeConf(connection: string, more = ''): void {
  writeFileSync(file, `[placement_database]\nconnection = ${connection}\n${more}`)
}

async function transcript(...lines: readonly string[]): Promise<string> {
  let text = ''
  for (const line of lines) {
    const [program = '', ...words] = line.split(' ')
    const { exitCode, out, err } = await run([program, '--config-file', file, ...words])
    text += `$ ${line}\n${out}${err}${exitCode === 0 ? '' : `(exit code ${exitCode})\n`}`
  }
  return text
}

const CYCLE = [
  'placement-manage db version',
  'placement-manage db sync',
  'placement-manage db version',
  'placement-manage db sync',
  'placement-manage db stamp head',
  'placement-manage db stamp b4ed3a175331',
  'placement-manage db online_data_migrations',
  'placement-manage db online_data_migrations --max-count 100',
  'placement-status upgrade check',
]

const TRANSCRIPT = `$ placement-manage db version
None
$ placement-manage db sync
$ placement-manage db version
1
$ placement-manage db sync
$ placement-manage db stamp head
$ placement-manage db stamp b4ed3a175331
placement-manage: the store has schema version 1 and is not stamped with b4ed3a175331: Berth writes the version together with the tables; run 'placement-manage db sync'
(exit code 1)
$ placement-manage db online_data_migrations
Running batches of 50 until complete
+-----------------------------+-------------+-----------+
|          Migration          | Total Found | Completed |
+-----------------------------+-------------+-----------+
|    set_root_provider_ids    |      0      |     0     |
| create_incomplete_consumers |      0      |     0     |
+-----------------------------+-------------+-----------+
$ placement-manage db online_data_migrations --max-count 100
+-----------------------------+-------------+-----------+
|          Migration          | Total Found | Completed |
+-----------------------------+-------------+-----------+
|    set_root_provider_ids    |      0      |     0     |
| create_incomplete_consumers |      0      |     0     |
+-----------------------------+-------------+-----------+
$ placement-status upgrade check
+-------------------------------------------+
| Upgrade Check Results                     |
+-------------------------------------------+
| Check: Missing Root Provider IDs          |
| Result: Success                           |
| Details: None                             |
+-------------------------------------------+
| Check: Incomplete Consumers               |
| Result: Success                           |
| Details: None                             |
+-------------------------------------------+
| Check: Policy File JSON to YAML Migration |
| Result: Success                           |
| Details: None                             |
+-------------------------------------------+
| Check: Database Schema                    |
| Result: Success                           |
| Details: None                             |
+-------------------------------------------+
`

test('a store of SQLite is made, named, left alone and checked', async () => {
  expect(await transcript(...CYCLE)).toBe(TRANSCRIPT)
})

test('a store of PostgreSQL is made, named, left alone and checked', async () => {
  const database = await freshDatabase('nothing')
  writeConf(database.url.replace(/^postgres(ql)?:/, 'postgresql+psycopg2:'))
  expect(await transcript(...CYCLE)).toBe(TRANSCRIPT)
  await database.drop()
})

test('before db sync, migrations fail and the check warns', async () => {
  expect(
    await transcript('placement-manage db online_data_migrations', 'placement-status upgrade check'),
  ).toBe(`$ placement-manage db online_data_migrations
Running batches of 50 until complete
Error attempting to run set_root_provider_ids
Error attempting to run create_incomplete_consumers
+-----------------------------+-------------+-----------+
|          Migration          | Total Found | Completed |
+-----------------------------+-------------+-----------+
|    set_root_provider_ids    |      0      |     0     |
| create_incomplete_consumers |      0      |     0     |
+-----------------------------+-------------+-----------+
Some migrations failed unexpectedly. Check log for details.
placement-manage: the store has no tables: run 'placement-manage db sync'
(exit code 2)
$ placement-status upgrade check
+----------------------------------------------------------------+
| Upgrade Check Results                                          |
+----------------------------------------------------------------+
| Check: Missing Root Provider IDs                               |
| Result: Success                                                |
| Details: None                                                  |
+----------------------------------------------------------------+
| Check: Incomplete Consumers                                    |
| Result: Success                                                |
| Details: None                                                  |
+----------------------------------------------------------------+
| Check: Policy File JSON to YAML Migration                      |
| Result: Success                                                |
| Details: None                                                  |
+----------------------------------------------------------------+
| Check: Database Schema                                         |
| Result: Warning                                                |
| Details: The store has no tables yet. Run "placement-manage db |
|   sync"; the next start does it, too.                          |
+----------------------------------------------------------------+
(exit code 1)
`)
})

test('a check fails where the store has what its name says, and where the policy is JSON', async () => {
  await transcript('placement-manage db sync')
  const db = new DatabaseSync(join(directory, 'data', 'berth.sqlite'))
  db.exec(
    `INSERT INTO resource_providers VALUES (1, 'u', 'n', 0, 99, 0); INSERT INTO allocations VALUES (7, 1, 1, 1)`,
  )
  const results = async () => {
    const { exitCode, json } = await run([
      'placement-status',
      '--config-file',
      file,
      'upgrade',
      'check',
      '--json',
    ])
    return [exitCode, json.name, json.checks.map((one: { result: number }) => one.result)]
  }
  expect(await results()).toEqual([2, 'Upgrade Check Results', [2, 1, 0, 0]])
  db.exec('DELETE FROM resource_providers')
  expect(await results()).toEqual([1, 'Upgrade Check Results', [0, 1, 0, 0]])
  db.exec('DELETE FROM allocations')
  writeFileSync(join(directory, 'policy.json'), '{}')
  expect(await results()).toEqual([2, 'Upgrade Check Results', [0, 0, 2, 0]])
  rmSync(join(directory, 'policy.json'))
  db.exec('UPDATE berth_schema SET version = 99')
  expect(await results()).toEqual([2, 'Upgrade Check Results', [0, 0, 0, 2]])
  db.close()
  expect(await transcript('placement-manage db sync')).toMatch(/use a newer berth\n\(exit code 1\)/)
})

test.each([
  [[], 1, 'out', /^usage: placement-manage \[-h\] .*\{db\}/],
  [['db'], 0, 'out', /online_data_migrations/],
  [['--help'], 0, 'out', /^usage: placement-manage/],
  [['--version'], 0, 'out', /^1\.2\.3\n$/],
  [['pony'], 2, 'err', /placement-manage: error: argument: invalid choice: 'pony' \(choose from db\)/],
  [
    ['db', 'pony'],
    2,
    'err',
    /invalid choice: 'pony' \(choose from sync, version, stamp, online_data_migrations\)/,
  ],
  [['db', 'stamp'], 2, 'err', /the following arguments are required: version/],
  [['db', 'sync', 'now'], 2, 'err', /unrecognized arguments: now/],
  [['db', 'online_data_migrations', '--max-count'], 2, 'err', /expected one argument/],
  [['db', 'sync', '--config-file'], 2, 'err', /argument --config-file: expected one argument/],
] as const)('placement-manage %j ends with %i', async (words, code, where, text) => {
  const ran = await run(['placement-manage', ...words])
  expect(ran.exitCode).toBe(code)
  expect(ran[where]).toMatch(text)
})

test.each(['-2', '0', 'a', ''])('a --max-count of %j ends with 127', async count => {
  const ran = await run([
    'placement-manage',
    '--config-file',
    file,
    'db',
    'online_data_migrations',
    `--max-count=${count}`,
  ])
  expect([ran.exitCode, ran.out]).toEqual([127, 'Must supply a positive value for max_count\n'])
})

test.each([
  [[], 1, 'out', /^usage: placement-status/],
  [['upgrade'], 0, 'out', /upgrade check/],
  [['upgrade', 'pony'], 2, 'err', /invalid choice: 'pony' \(choose from check\)/],
  [['pony'], 2, 'err', /invalid choice: 'pony' \(choose from upgrade\)/],
] as const)('placement-status %j ends with %i', async (words, code, where, text) => {
  const ran = await run(['placement-status', ...words])
  expect(ran.exitCode).toBe(code)
  expect(ran[where]).toMatch(text)
})

test('what cannot be used is one line, with 1 from placement-manage and 255 from placement-status', async () => {
  writeConf('oracle://placement:secret@db/placement')
  const both = await transcript('placement-manage db sync', 'placement-status upgrade check')
  expect(both.match(/is not a database URL that Berth knows/g)).toHaveLength(2)
  expect(both.match(/\(exit code \d+\)/g)).toEqual(['(exit code 1)', '(exit code 255)'])
  expect(both).not.toContain('secret')
})

test('a database of Placement is not taken for an empty store', async () => {
  const strange = join(directory, 'placement.sqlite')
  const db = new DatabaseSync(strange)
  db.exec('CREATE TABLE alembic_version (version_num TEXT)')
  db.close()
  writeConf(`sqlite:///${strange}`)
  const text = await transcript('placement-manage db sync')
  expect(text).toMatch(/placement.sqlite, which is a database of another program: Berth does not read it/)
  expect(text).toMatch(/\(exit code 1\)/)
})

test('placement-api serves Placement at the root with the file that OS_PLACEMENT_CONFIG_DIR leads to', async () => {
  writeConf(
    `sqlite:///${directory}/data/placement.sqlite`,
    '[api]\nauth_strategy = noauth2\n[placement]\npony = 1\n',
  )
  const around = new FakeEnvironment({ OS_PLACEMENT_CONFIG_DIR: directory })
  const ended = runProgram(['placement-api', '-p', '0'], around)
  while (!around.stdout.text.includes('listens on')) await sleep(20)
  const [, url = ''] = /listens on (\S+), placement only/.exec(around.stdout.text) ?? []
  const answer = await fetch(`${url}/resource_providers`, { headers: { 'x-auth-token': 'admin' } })
  expect([answer.status, await answer.json()]).toEqual([200, { resource_providers: [] }])
  expect(await transcript('placement-manage db sync', 'placement-manage db version')).toMatch(
    /db version\n1\n$/,
  )
  around.signal('SIGTERM')
  expect(await ended).toBe(0)
  const lines = around.stderr.lines.map(line => JSON.parse(line))
  expect(lines[0]).toMatchObject({ level: 'info', msg: 'placement.conf read', files: file })
  expect(lines[1]).toMatchObject({ level: 'warn', msg: 'unknown option', option: '[placement] pony' })
})

test('placement-api listens where the file of uWSGI says, unless a flag says otherwise', async () => {
  const ini = join(directory, 'uwsgi.ini')
  writeConf(`sqlite:///${directory}/data/placement.sqlite`, '[api]\nauth_strategy = noauth2\n')
  writeFileSync(
    ini,
    `[uwsgi]\nhttp = 127.0.0.1:1\nmodule = placement.wsgi.api:application\nenv = OS_PLACEMENT_CONFIG_DIR=${directory}\n`,
  )
  const around = new FakeEnvironment({})
  const ended = runProgram(['placement-api', '--uwsgi-ini', ini, '--port', '0'], around)
  while (!around.stdout.text.includes('listens on')) await sleep(20)
  expect(around.stdout.text).toMatch(/listens on http:\/\/127\.0\.0\.1:\d{2,}, placement only/)
  around.signal('SIGTERM')
  expect(await ended).toBe(0)
  const refused = await run(['placement-api', '--uwsgi-ini', join(directory, 'none.ini')])
  expect([refused.exitCode, refused.err]).toEqual([
    78,
    expect.stringMatching(/uwsgi-ini = \S+none\.ini \(flag --uwsgi-ini\) cannot be read \(ENOENT\)/),
  ])
})

test('placement-api takes arguments of oslo.config as its own options and after two dashes', async () => {
  const missing = join(directory, 'none.conf')
  for (const words of [
    ['--config-file', missing],
    ['--', `--config-file=${missing}`],
  ]) {
    const ran = await run(['placement-api', ...words])
    expect([ran.exitCode, ran.err]).toEqual([
      78,
      `berth: configuration: file ${missing} does not exist; correct it, or name another file\n`,
    ])
  }
})

test.each(['placement-api', 'placement-manage', 'placement-status'])(
  'bin/%s leads to the berth beside it',
  name => {
    const path = fileURLToPath(new URL(`../../../../bin/${name}`, import.meta.url))
    const text = spawnSync('sh', ['-n', path]).status
    expect(text).toBe(0)
    const link = join(directory, name)
    writeFileSync(join(directory, 'berth'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 })
    spawnSync('cp', [path, link])
    expect(spawnSync(link, ['a b', '--c'], { encoding: 'utf8' }).stdout).toBe(`${name} a b --c\n`)
  },
)
