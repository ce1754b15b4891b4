/** The commands about a whole cloud, against a real server. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../../test/running-berth.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
let directory: string
/** Before anything was created. */
let atStart: string
const there = (name: string) => join(directory, name)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-cli-'))
  berth = await Berth.start()
  atStart = await revisionOf(berth)
  await at('provider', 'create', 'host-1', '--uuid', uuid(1))
  await at('provider', 'create', 'numa-0', '--uuid', uuid(2), '--parent', 'host-1')
  await at('inventory', 'set', 'numa-0', 'VCPU=16,allocation_ratio=4')
  await at('trait', 'create', 'CUSTOM_RAIL')
  await at('trait', 'set', 'host-1', 'CUSTOM_RAIL')
  await at(
    'allocation',
    'set',
    uuid(500),
    'numa-0:VCPU=2',
    '--project',
    'p',
    '--user',
    'u',
    '--type',
    'INSTANCE',
  )
})
afterAll(async () => {
  await berth.end()
  await rm(directory, { recursive: true })
})

const on = (server: Berth, ...args: string[]) =>
  run([...args, '--url', server.server.url, '--token', 'admin'])
const at = (...args: string[]) => on(berth, ...args)

async function revisionOf(server: Berth): Promise<string> {
  return (await server.ask('GET', '/v1/fleet')).headers.get('berth-revision') as string
}

async function elsewhere<T>(work: (server: Berth) => Promise<T>, dataDir?: string): Promise<T> {
  const other = await Berth.start(dataDir === undefined ? {} : { data_dir: dataDir })
  try {
    return await work(other)
  } finally {
    await (dataDir === undefined ? other.end() : other.stop())
  }
}

test('fleet shows every provider, and filters', async () => {
  const { exitCode, out, err } = await at('fleet')
  expect(exitCode).toBe(0)
  expect(out).toBe(`NAME    UUID                                  TRAITS  AGGREGATES  USED OF CAPACITY
host-1  ${uuid(1)}       1           0
numa-0  ${uuid(2)}       0           0  VCPU 2/64
`)
  expect(err).toMatch(/^berth: 2 providers at revision \d+\n$/)
  const names = async (...filters: string[]) =>
    (await at('fleet', '--json', ...filters)).out
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line).name)
  expect(await names('--name', 'num*')).toEqual(['numa-0'])
  expect(await names('--resource-class', 'VCPU')).toEqual(['numa-0'])
  expect(await names('--required', 'CUSTOM_RAIL')).toEqual(['host-1'])
  expect(await names('--in-tree', 'numa-0')).toEqual(['host-1', 'numa-0'])
  expect(await names('--uuid', uuid(1), '--uuid', uuid(2))).toEqual(['host-1', 'numa-0'])
  expect(await at('fleet', '--required', 'CUSTOM_NOPE')).toMatchObject({ exitCode: 65, out: '' })
})

test('explain says why, with numbers', async () => {
  const { exitCode, out } = await at('explain', '--resources', 'VCPU:99', '--in-tree', 'host-1')
  expect(exitCode).toBe(0)
  expect(out).toMatch(/^No candidate at revision \d+\n/)
  expect(out).toContain('VCPU needs 99, has 62 free of 64')
  expect((await at('explain', '--resources', 'VCPU:1', '--json')).json).toMatchObject({ candidates: 1 })
  expect((await at('explain', '--resources', 'CUSTOM_NOPE:1')).exitCode).toBe(65)
})

test('watch tells what happened since, with names, and what happens now', async () => {
  const around = new FakeEnvironment()
  const started = Promise.withResolvers<void>()
  around.stdout.onWrite = () => {
    started.resolve()
    if (around.stdout.text.includes('CUSTOM_SEEN')) around.stdout.close()
  }
  const args = ['watch', '--since', atStart, '--url', berth.server.url, '--token', 'admin']
  const watching = run(args, { around })
  await started.promise
  await at('trait', 'create', 'CUSTOM_SEEN')
  const { exitCode, out, err } = await watching
  expect([exitCode, err]).toEqual([0, ''])
  const said = out.split('\n').map(line => line.split('  ').slice(2).join('  '))
  expect(said).toEqual([
    'provider host-1 created',
    'provider numa-0 created below host-1',
    'numa-0: +VCPU 16',
    'trait CUSTOM_RAIL created',
    'host-1: +CUSTOM_RAIL',
    `consumer ${uuid(500)} placed on numa-0: VCPU 2`,
    'trait CUSTOM_SEEN created',
    '',
  ])
})

test('watch goes on after the server was restarted, and misses nothing', async () => {
  const home = there('restarted')
  const first = await Berth.start({ data_dir: home })
  const port = Number(new URL(first.server.url).port)
  const around = new FakeEnvironment()
  const seen = Promise.withResolvers<void>()
  around.stdout.onWrite = () => {
    seen.resolve()
    if (around.stdout.text.includes('CUSTOM_B')) around.stdout.close()
  }
  const since = await revisionOf(first)
  const watching = run(['watch', '--since', since, '--url', first.server.url, '--token', 'admin'], { around })
  await on(first, 'trait', 'create', 'CUSTOM_A')
  await seen.promise
  await first.stop()
  const second = await Berth.start({ data_dir: home, port })
  try {
    await on(second, 'trait', 'create', 'CUSTOM_B')
    const { exitCode, out } = await watching
    expect(exitCode).toBe(0)
    expect(out.match(/CUSTOM_\w+ created/g)).toEqual(['CUSTOM_A created', 'CUSTOM_B created'])
  } finally {
    await second.stop()
  }
})

test('a position that is yet to come is refused', async () => {
  expect(await at('watch', '--since', '999999')).toMatchObject({ exitCode: 65, out: '' })
})

test('export and import say what is in a file, what is not, and what is left to do', async () => {
  const file = there('rows.ndjson')
  const row = (table: string, fields: object) => `${JSON.stringify({ table, row: fields })}\n`
  const times = { created_at: 1, updated_at: null }
  const role = { uuid: 'r', name: 'watcher', created_at: 1 }
  const user = {
    uuid: 'ana',
    name: 'ana',
    is_enabled: 1,
    default_project: null,
    description: null,
    email: null,
  }
  const flavor = {
    flavorid: 'f',
    name: 'f',
    memory_mb: 1,
    vcpus: 1,
    root_gb: 0,
    ephemeral_gb: 0,
    swap: 0,
    rxtx_factor: 1,
    is_public: 1,
    description: null,
    applied_by: null,
    ...times,
  }
  await writeFile(
    file,
    row('flavors', flavor) + row('users', { ...user, tokens_since: 0, created_at: 1 }) + row('roles', role),
  )
  await elsewhere(async other => {
    const imported = await on(other, 'import', file)
    expect(imported.out).toMatch(/^flavors +1 +0 +0$/m)
    expect(imported.err).toBe(
      'berth: 1 new user has no password, and cannot sign in until one is set: an export has no secrets.\n',
    )
    const exported = await on(other, 'export', there('rows-again.ndjson'))
    expect(exported.out).toMatch(/ 0 providers, 0 consumers, 1 flavors, 1 users, 1 roles\n$/)
    const token = await on(other, 'token', 'create', 'watch', '--role', 'watcher')
    expect([token.exitCode, token.err]).toEqual([0, expect.any(String)])
    const noted = await on(other, 'export', there('rows-again.ndjson'), '--force')
    expect(noted.err).toBe('berth: not exported: 1 static tokens\n')
    const service = ['--url', other.server.url, '--token', 'svc:p:service']
    const some = await run(['export', there('some.ndjson'), ...service])
    expect([some.exitCode, some.err]).toEqual([
      0,
      expect.stringContaining('left out, because the token may not read them: '),
    ])
  })
})

test('an export imported elsewhere is the same cloud, and importing again changes nothing', async () => {
  const file = there('cloud.ndjson')
  expect(await at('export', file)).toMatchObject({
    exitCode: 0,
    err: '',
    out: expect.stringMatching(/: 0 resource classes, \d traits, 2 providers, 1 consumer\n$/),
  })
  await elsewhere(async other => {
    expect((await on(other, 'import', file, '--json')).json).toMatchObject({
      providers: { created: 2, updated: 0, unchanged: 0, removed: 0 },
      consumers: { created: 1 },
    })
    expect((await on(other, 'import', file, '--json')).json).toMatchObject({
      providers: { created: 0, updated: 0, unchanged: 2, removed: 0 },
      consumers: { created: 0, updated: 0, unchanged: 1, removed: 0 },
    })
    // Only the revisions differ; all other text is identical.
    const body = (text: string) => text.slice(text.indexOf('\n'))
    expect(body((await on(other, 'export', '-')).out)).toBe(body(await readFile(file, 'utf8')))
  })
})

test('a file that was cut short is refused', async () => {
  const file = there('cut.ndjson')
  const { out } = await at('export', '-')
  await writeFile(file, out.split('\n').slice(0, 3).join('\n'))
  const { exitCode, err } = await elsewhere(other => on(other, 'import', file))
  expect(exitCode).toBe(65)
  expect(err).toContain('cut short')
})

test('a line that is wrong is named by its number', async () => {
  const file = there('wrong.ndjson')
  await writeFile(file, '{"trait":{"name":"CUSTOM_FINE"}}\n{"trait":{}}\n')
  const { exitCode, err } = await elsewhere(other => on(other, 'import', file))
  expect(exitCode).toBe(65)
  expect(err).toMatch(/^berth: Line 2: .* \(the lines before it were imported\)\n$/)
})

test('a backup restored elsewhere is the same cloud', async () => {
  const file = there('backup.sqlite')
  const backup = await at('backup', file, '--json')
  expect(backup).toMatchObject({ exitCode: 0, err: '', json: { file } })
  const home = there('restored')
  const restored = await run(['restore', file, '--data-dir', home, '--json'])
  expect(restored).toMatchObject({
    exitCode: 0,
    json: { revision: backup.json.revision, differences_total: 0, problems_total: 0 },
  })
  await elsewhere(async other => {
    expect((await on(other, 'export', '-')).out).toBe((await at('export', '-')).out)
  }, home)
})
