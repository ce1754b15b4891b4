import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Config } from '../../../config/keys.ts'
import { resolveConfig } from '../../../config/resolve.ts'
import { ensureAdminToken } from '../../../identity/token-file.ts'
import { StoreRefused } from '../../../store/store.ts'
import type { VerifyReport } from '../../../store/verify/verify-world.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { verify, verifyExisting } from './verify.ts'

let dir: string
let stop: (() => void) | null = null
let asked: { method: string | undefined; url: string | undefined; token: unknown }[] = []

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'berth-verify-')))
  asked = []
})
afterEach(async () => {
  stop?.()
  stop = null
  await rm(dir, { recursive: true })
})

/** A server that answers HTTP; returns its port. */
async function answering(status: number, body: unknown): Promise<number> {
  const server = createServer((request: IncomingMessage, response) => {
    asked.push({ method: request.method, url: request.url, token: request.headers['x-auth-token'] })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  stop = () => server.close()
  return (server.address() as AddressInfo).port
}

function configFor(port: number, flags: Record<string, string> = {}): Config {
  const given = { data_dir: dir, port: String(port), ...flags }
  const resolved = resolveConfig({ flags: given, env: {}, file: null, terminal: false })
  if (!resolved.ok) throw new Error('the test has a wrong configuration')
  return resolved.values
}

const clean = (): VerifyReport => ({
  store: dir,
  revision: 7,
  rows: 40,
  differences_total: 0,
  differences: [],
  problems_total: 0,
  problems: [],
})
const offline: VerifyReport = {
  store: '/offline',
  revision: 6,
  rows: 39,
  differences_total: 0,
  differences: [],
  problems_total: 0,
  problems: [],
}

async function run(config: Config, offlineAnswer: () => Promise<VerifyReport> = async () => offline) {
  const around = new FakeEnvironment()
  const means = { fetch: globalThis.fetch, verifyOffline: offlineAnswer }
  const exitCode = await verify(config, around, false, means)
  return { exitCode, out: around.stdout, err: around.stderr }
}

test('a server that runs on the data directory is asked, with its own token', async () => {
  const { token } = await ensureAdminToken(dir)
  const { exitCode, out } = await run(configFor(await answering(200, clean())))
  expect([exitCode, out.text]).toEqual([
    0,
    `${dir} at revision 7 (by the running server): 40 rows, no differences, no problems\n`,
  ])
  expect(asked).toEqual([{ method: 'POST', url: '/v1/verify', token }])
})

test('with noauth2 the token is a name', async () => {
  await run(configFor(await answering(200, clean()), { auth: 'noauth2' }))
  expect(asked.map(one => one.token)).toEqual(['admin'])
})

test('differences are printed with both sides and make exit code 1', async () => {
  await ensureAdminToken(dir)
  const report: VerifyReport = {
    ...clean(),
    differences_total: 3,
    differences: [
      { table: 'traits', key: '12', stored: { id: 12, name: 'CUSTOM_A' }, memory: null },
      { table: 'consumers', key: '1', stored: { generation: 2 }, memory: { generation: 3 } },
    ],
  }
  const { exitCode, out } = await run(configFor(await answering(200, report)))
  expect(exitCode).toBe(1)
  expect(out.lines).toEqual([
    `${dir} at revision 7 (by the running server): 40 rows, 3 differences, no problems`,
    'traits 12',
    '  stored  {"id":12,"name":"CUSTOM_A"}',
    '  memory  nothing',
    'consumers 1',
    '  stored  {"generation":2}',
    '  memory  {"generation":3}',
    'and 1 more',
  ])
})

test('problems of the stored state are printed and make exit code 1', async () => {
  const report: VerifyReport = {
    ...offline,
    problems_total: 3,
    problems: [{ kind: 'usage', what: 'provider 4 uses 9 of class 0, its consumers hold 8' }],
  }
  const { exitCode, out } = await run(configFor(1), async () => report)
  expect(exitCode).toBe(1)
  expect(out.lines).toEqual([
    '/offline at revision 6 (no server runs): 39 rows, no differences, 3 problems',
    'usage: provider 4 uses 9 of class 0, its consumers hold 8',
    'and 2 more problems',
  ])
})

test('without a server the database is opened directly', async () => {
  await ensureAdminToken(dir)
  const port = await answering(200, clean())
  stop?.()
  const { exitCode, out } = await run(configFor(port))
  expect([exitCode, out.text]).toEqual([
    0,
    '/offline at revision 6 (no server runs): 39 rows, no differences, no problems\n',
  ])
})

test('a directory without a token has no server to ask', async () => {
  const { exitCode } = await run(configFor(await answering(200, clean())))
  expect([exitCode, asked]).toEqual([0, []])
})

test.each([
  ['knows another token', 401, {}],
  ['is another program', 404, 'not here'],
  ['answers something else', 200, { hello: 'world' }],
  ['serves another directory', 200, { ...offline, store: '/elsewhere' }],
])('a server that %s is not believed', async (_, status, body) => {
  await ensureAdminToken(dir)
  const { out } = await run(configFor(await answering(status, body)))
  expect(asked).toHaveLength(1)
  expect(out.text).toContain('/offline')
})

test('a server that fails to verify is one line and exit code 69, and the database is left alone', async () => {
  await ensureAdminToken(dir)
  const port = await answering(500, {})
  const { exitCode, out, err } = await run(configFor(port), () => Promise.reject(new Error('opened it')))
  expect([exitCode, out.text]).toEqual([69, ''])
  expect(err.text).toBe(`berth: http://127.0.0.1:${port}/v1/verify answered with status 500\n`)
})

test('a database held by a server elsewhere is one line and exit code 74', async () => {
  const held = () => Promise.reject(new StoreRefused('it is held by another server'))
  const { exitCode, err } = await run(configFor(1), held)
  expect([exitCode, err.text]).toEqual([74, 'berth: it is held by another server\n'])
})

test('a directory without a database is refused, and none is made in it', async () => {
  const { exitCode, err } = await run(configFor(1), () =>
    verifyExisting(configFor(1), { env: {}, homeDirectory: '' }),
  )
  expect([exitCode, err.text]).toEqual([
    74,
    `berth: there is no database in ${dir}: choose another --data-dir\n`,
  ])
  expect(await readdir(dir)).toEqual([])
})
