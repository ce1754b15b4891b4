import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../load.ts'
import { problemText } from '../resolve.ts'
import { findForeignSqlite, isIni, type OsloRequest, readPlacementConfig } from './read-files.ts'
import { charted, packaged, rendered } from './samples.fixture.ts'
import type { NamedSource } from './search.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'berth-oslo-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, text: string): string {
  const whole = join(root, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, text)
  return whole
}

const request = (named: NamedSource[] = [], program = 'placement-api'): OsloRequest => ({
  named,
  program,
  places: { homeDirectory: join(root, 'home'), etc: join(root, 'etc'), share: join(root, 'share') },
})
const conf = (id: string) => `[placement]\nincomplete_consumer_user_id = ${id}\n`

async function found(named: NamedSource[] = [], env = {}, program?: string) {
  const reading = await readPlacementConfig(request(named, program), env)
  if (!reading.ok) return problemText(reading.problem)
  const { files, content } = reading.translation
  return [content.get('incomplete_consumer_user_id'), files.map(file => file.slice(root.length + 1))]
}

test('files are found where oslo.config finds them, and a later one wins', async () => {
  expect(await found()).toEqual([undefined, []])
  write('etc/placement.conf', conf('1'))
  expect(await found()).toEqual(['1', ['etc/placement.conf']])
  write('etc/placement/placement.conf', conf('2'))
  write('share/placement/placement-dist.conf', conf('0'))
  expect(await found()).toEqual([
    '2',
    ['share/placement/placement-dist.conf', 'etc/placement/placement.conf'],
  ])
  write('etc/placement/placement-api.conf', conf('3'))
  write('etc/placement/placement.conf.d/20.conf', conf('5'))
  write('etc/placement/placement.conf.d/10.conf', conf('4'))
  write('etc/placement/placement.conf.d/30.txt', conf('6'))
  expect(await found()).toEqual([
    '5',
    [
      'share/placement/placement-dist.conf',
      'etc/placement/placement.conf',
      'etc/placement/placement-api.conf',
      'etc/placement/placement.conf.d/10.conf',
      'etc/placement/placement.conf.d/20.conf',
    ],
  ])
  write('home/.placement/placement.conf', conf('7'))
  expect(await found([], {}, 'placement-manage')).toMatchObject([
    '5',
    { 1: 'home/.placement/placement.conf' },
  ])
})

test('named files take the place of those that are found, named directories that of directories', async () => {
  write('etc/placement/placement.conf', conf('1'))
  write('etc/placement/placement.conf.d/10.conf', conf('2'))
  const a = write('a.conf', conf('3'))
  const b = write('b.conf', conf('4'))
  write('d/x.conf', conf('5'))
  const file = (path: string) => ({ kind: 'file', path }) as const
  expect(await found([file(b), file(a)])).toEqual([
    '2',
    ['b.conf', 'a.conf', 'etc/placement/placement.conf.d/10.conf'],
  ])
  const directory = { kind: 'directory', path: join(root, 'd') } as const
  expect(await found([directory])).toEqual(['5', ['etc/placement/placement.conf', 'd/x.conf']])
  expect(await found([directory, file(a)])).toEqual(['3', ['d/x.conf', 'a.conf']])
  write('own/placement.conf', conf('6'))
  expect(await found([], { OS_PLACEMENT_CONFIG_DIR: join(root, 'own') })).toEqual([
    '2',
    ['own/placement.conf', 'etc/placement/placement.conf.d/10.conf'],
  ])
})

test('what cannot be read is one line with its path', async () => {
  const missing = join(root, 'none.conf')
  expect(await found([{ kind: 'file', path: missing }])).toBe(
    `file ${missing} does not exist; correct it, or name another file`,
  )
  const path = write('bad.conf', '[api]\nx')
  expect(await found([{ kind: 'file', path }])).toBe(
    `file ${path} cannot be read at line 2: it has neither = nor :; correct it, or name another file`,
  )
  const large = write('large.conf', `#${'x'.repeat(1024 * 1024)}`)
  expect(await found([{ kind: 'file', path: large }])).toMatch(/has more than 1048576 bytes/)
  for (let at = 0; at <= 100; at++) write(`many/${at}.conf`, '')
  expect(await found([{ kind: 'directory', path: join(root, 'many') }])).toMatch(
    /is one of more than 100 files/,
  )
})

test.each([
  ['x.conf', 'anything', true],
  ['x.ini', '', true],
  ['x.conf', ' {"port": 1}', false],
  ['x.json', '[DEFAULT]', false],
  ['x', '# c\n\n[DEFAULT]\ndebug = 1', true],
  ['x', '[1, 2]\n"', true],
  ['x', '["a"]', false],
  ['x', 'port: 1', false],
])('%s with %j is INI: %s', (path, text, expected) => {
  expect(isIni(path, text)).toBe(expected)
})

async function loaded(text: string, env: Record<string, string> = {}, flags = {}) {
  const configFlag = write('placement.conf', text)
  const resolved = await loadConfig({ flags, configFlag, env, terminal: false })
  return resolved.ok ? resolved : resolved.problems.map(problemText)
}

test('a file as packages bring it is a configuration', async () => {
  expect(await loaded(packaged('/var/lib/placement'))).toMatchObject({
    values: {
      only: 'placement',
      auth: 'keystone',
      data_dir: '/var/lib/placement',
      database: null,
      keystone_url: 'http://127.0.0.1:5000',
      keystone_project: 'service',
      randomize_allocation_candidates: true,
      port: 8778,
    },
    translation: { unknown: [], problems: [] },
  })
})

test('a file as templates for containers make it is a configuration', async () => {
  const resolved = await loaded(rendered('/var/log/kolla/placement'), { BERTH_HOST: '127.0.0.2' })
  expect(resolved).toMatchObject({
    values: {
      host: '127.0.0.2',
      database: 'postgresql://placement:p%40ss@10.1.0.5:5432/placement',
      data_dir: '/var/log/kolla/placement',
      log_file: '/var/log/kolla/placement/placement-api.log',
      log_level: 'info',
      trust_proxy: true,
      keystone_user_domain_id: 'default',
      keystone_ca_file: '/etc/ssl/certs/ca-certificates.crt',
    },
  })
  if (Array.isArray(resolved)) return
  expect(resolved.translation?.unknown.map(({ option }) => option)).toEqual([
    '[cache] backend',
    '[cache] enabled',
  ])
  expect(resolved.translation?.meaningless.map(({ option }) => option)).toContain(
    '[oslo_concurrency] lock_path',
  )
})

test('a file as a chart writes it is a configuration once its policy file is there', async () => {
  expect(await loaded(charted)).toEqual([
    expect.stringMatching(
      /^\[oslo_policy\] policy_file = \/etc\/placement\/policy.yaml \(file .*:22\) does not exist/,
    ),
  ])
  const policy = write('policy.yaml', '')
  expect(await loaded(charted.replace('/etc/placement/policy.yaml', 'policy.yaml'))).toMatchObject({
    values: { policy_file: policy, keystone_user_domain: 'service', auth: 'keystone' },
    translation: { unknown: [] },
  })
})

test('without a connection there is no start, unless a key of Berth names a store', async () => {
  const text = '[api]\nauth_strategy = noauth2\n'
  expect(await loaded(text)).toEqual([
    expect.stringMatching(
      /^\[placement_database\] connection \(file .*placement.conf\) is not set; set it, or data_dir/,
    ),
  ])
  expect(await loaded(text, { BERTH_DATA_DIR: '/srv' })).toMatchObject({ values: { data_dir: '/srv' } })
  expect(await loaded(text, {}, { data_dir: '/srv' })).toMatchObject({ values: { data_dir: '/srv' } })
  expect(await loaded(text, { OS_PLACEMENT_DATABASE__CONNECTION: 'sqlite:////srv/p.db' })).toMatchObject({
    values: { data_dir: '/srv' },
    origins: { data_dir: { from: 'environment', name: 'OS_PLACEMENT_DATABASE__CONNECTION' } },
  })
})

test('a value that Berth does not take is named with file, option and value', async () => {
  expect(
    await loaded(
      '[placement_database]\nconnection = sqlite:////srv/p\n[api]\nauth_strategy=noauth2\n[oslo_middleware]\nmax_request_body_size = 5',
    ),
  ).toEqual([
    expect.stringMatching(
      /^max_body_bytes = 5 \(file .*placement.conf:6, \[oslo_middleware\] max_request_body_size\) is not in the range/,
    ),
  ])
})

test('a database of another program beside an empty store is refused; ours and none are not', async () => {
  const resolved = await loaded(packaged(root))
  if (Array.isArray(resolved) || resolved.translation === undefined) throw new Error('not read')
  const { translation } = resolved
  const strange = async () => {
    const problem = await findForeignSqlite(translation, root)
    return problem === null ? null : problemText(problem)
  }
  expect(await strange()).toBeNull()
  write('placementdb', '')
  expect(await strange()).toBeNull()
  write('placementdb', `SQLite format 3\0${'x'.repeat(200)}`)
  expect(await strange()).toMatch(
    /placementdb, which is a database of another program: Berth does not read it/,
  )
  expect(await findForeignSqlite(translation, '/elsewhere')).toBeNull()
  write('placementdb', `SQLite format 3\0${'x'.repeat(52)}BRTH${'x'.repeat(200)}`)
  expect(await strange()).toBeNull()
  write('placementdb', 'notes')
  expect(await strange()).toMatch(/which is no database/)
  write('berth.sqlite', 'x')
  expect(await strange()).toBeNull()
})
