import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keyNames } from '../../../config/keys.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { runProgram } from '../../program.ts'

async function config(args: string[], env: Record<string, string> = {}) {
  const around = new FakeEnvironment(env)
  return { exitCode: await runProgram(['config', ...args], around), out: around.stdout, err: around.stderr }
}

const cells = (line: string | undefined) => line?.split(/ {2,}/)

test('every key is a row with its value and where it came from', async () => {
  const { exitCode, out } = await config(['--port', '9000'], { BERTH_RBAC: 'legacy' })
  expect(exitCode).toBe(0)
  expect(out.lines).toHaveLength(keyNames.length + 1)
  const row = (key: string) => cells(out.lines.find(line => line.startsWith(`${key} `)))
  expect(row('port')).toEqual(['port', '9000', 'flag --port'])
  expect(row('rbac')).toEqual(['rbac', 'legacy', 'environment variable BERTH_RBAC'])
  expect(row('only')).toEqual(['only', '-', 'default'])
})

test('--json has values of their own types', async () => {
  const { out } = await config(['--json', '--port', '9000', '--randomize-allocation-candidates'])
  expect(JSON.parse(out.text)).toMatchObject({
    port: { value: 9000, origin: { from: 'flag', name: '--port' } },
    randomize_allocation_candidates: { value: true },
    only: { value: null, origin: { from: 'default' } },
    cors_allowed_origin: { value: [] },
  })
})

test('a list flag may be repeated, a boolean may be turned off, a number may be negative', async () => {
  const { out } = await config([
    '--json',
    '--cors-allowed-origin',
    'http://a.example',
    '--cors-allowed-origin=http://b.example',
    '--randomize-allocation-candidates',
    'false',
    '--max-allocation-candidates',
    '-1',
  ])
  expect(JSON.parse(out.text)).toMatchObject({
    cors_allowed_origin: { value: ['http://a.example', 'http://b.example'] },
    randomize_allocation_candidates: { value: false },
    max_allocation_candidates: { value: -1, origin: { from: 'flag' } },
  })
})

test('a wrong configuration is one line a problem on stderr and exit code 78', async () => {
  const { exitCode, out, err } = await config(['--port', 'x'], { BERTH_AUTH: 'none' })
  expect([exitCode, out.text]).toEqual([78, ''])
  expect(err.lines).toEqual([
    'berth: configuration: port = x (flag --port) is not a whole number; allowed: 0 to 65535',
    'berth: configuration: auth = none (environment variable BERTH_AUTH) is not one of token, keystone, noauth2; allowed: token, keystone, noauth2',
  ])
})

test('numbers by name are one line in the table and an object in JSON, and their flag may be repeated', async () => {
  const flags = [
    '--weight-multipliers',
    'ram_weight_multiplier=-1',
    '--weight-multipliers',
    'cpu_weight_multiplier=2',
  ]
  const { out } = await config(flags)
  const row = (key: string) => cells(out.lines.find(line => line.startsWith(`${key} `)))
  expect(row('weight_multipliers')?.[1]).toBe('ram_weight_multiplier=-1,cpu_weight_multiplier=2')
  expect(row('metrics_weight_setting')?.[1]).toBe('-')
  const json = JSON.parse((await config([...flags, '--json'])).out.text)
  expect(json.weight_multipliers.value).toEqual({ ram_weight_multiplier: -1, cpu_weight_multiplier: 2 })
  expect(json.enabled_filters.value).toContain('ComputeFilter')
})

test('a filter that does not exist is one line that names those that do', async () => {
  const { exitCode, err } = await config(['--enabled-filters', 'NoFilter'])
  expect(exitCode).toBe(78)
  expect(err.lines).toHaveLength(1)
  expect(err.lines[0]).toMatch(
    /which is no filter; allowed: any of ComputeFilter, .*AggregateInstanceTypeFilter/,
  )
})

test('--from prints what the options of a placement.conf became, what has no meaning, and what is unknown', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-config-'))
  const path = join(directory, 'placement.conf')
  await writeFile(
    path,
    '[api]\nauth_strategy = noauth2\n[placement]\nmax_allocation_candidate = 1\n[placement_database]\n' +
      'connection = postgresql+psycopg2://p:secret@db/placement\nmax_retries = -1\n',
  )
  const { exitCode, out } = await config(['--from', path])
  expect([exitCode, out.text.trimEnd().split('\n').map(cells)]).toEqual([
    0,
    [
      ['KEY', 'VALUE', 'FROM'],
      ['only', 'placement', `file ${path}, implied`],
      ['database', 'postgresql://p:***@db/placement', `file ${path}:6, [placement_database] connection`],
      ['auth', 'noauth2', `file ${path}:2, [api] auth_strategy`],
      [''],
      ['WITHOUT A MEANING HERE', 'WHY', 'FROM'],
      [
        '[placement_database] max_retries',
        expect.stringMatching(/^Berth keeps few connections/),
        `${path}:7`,
      ],
      [''],
      ['UNKNOWN', 'WHY', 'FROM'],
      [
        '[placement] max_allocation_candidate',
        'Placement has no such option. Did you mean max_allocation_candidates?',
        `${path}:4`,
      ],
    ],
  ])
  const json = JSON.parse((await config(['--from', path, '--json', '--auth', 'token'])).out.text)
  expect(Object.keys(json.keys)).toEqual(['only', 'database'])
  expect(json.unknown).toMatchObject([
    { option: '[placement] max_allocation_candidate', origin: { line: 4 } },
  ])
  await writeFile(path, '{"port": 1}')
  const plain = await config(['--from', path])
  expect([plain.exitCode, plain.err.text]).toEqual([
    64,
    `berth: ${path} is not a placement.conf: it has no sections such as [DEFAULT]\n`,
  ])
  await rm(directory, { recursive: true })
})
