/** The share commands, against a real server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ShareClient } from '../../../shares/share-client.fixture.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { run } from '../run.fixture.ts'

let client: ShareClient
beforeAll(async () => {
  client = await ShareClient.start()
})
afterAll(() => client.berth.end())

const at = (...args: string[]) =>
  run(['share', ...args, '--url', client.berth.server.url, '--token', 'admin:ops'])

test('share create warns of a hint that the server does not read, and makes the share', async () => {
  const made = await at('create', 'one', '1', '--hint', 'diferent_host=x')
  expect(made.exitCode).toBe(0)
  expect(made.err).toMatch(/warning: hint\.unread: .* diferent_host\. Did you mean different_host\?/)
  const show = await at('show', 'one')
  expect(show.out).toMatch(
    /message +No filter or weigher of this server reads the scheduler hint diferent_host/,
  )
})

test('share create --dry-run warns of it just so', async () => {
  const dry = await at('create', 'one', '1', '--hint', 'diferent_host=x', '--dry-run')
  expect(dry.exitCode).toBe(0)
  expect(dry.err).toMatch(/warning: hint\.unread: .* diferent_host\. Did you mean different_host\?/)
  const pool = await at('create', 'one', '1', '--hint', 'only_host=farm@alpha#zz', '--dry-run')
  expect([pool.exitCode, pool.err]).toEqual([exitCodes.nothing, ''])
})

test('share create: the reason of a failure is the error, not a warning', async () => {
  const failed = await at('create', 'two', '1', '--hint', 'only_host=farm@alpha#zz', '--hint', 'colour=red')
  expect(failed.exitCode).toBe(exitCodes.nothing)
  expect(failed.err).toMatch(/warning: hint\.unread: .* colour\. Known hints: only_host, /)
  expect(failed.err).toMatch(/OnlyHostFilter: there is no pool farm@alpha#zz/)
  const twice = await at('create', 'three', '1', '--hint', 'same_host=one')
  expect([twice.exitCode, twice.err]).toEqual([exitCodes.usage, expect.stringContaining('use --same-host')])
})

test('share access: a client is added, listed, and removed by its address', async () => {
  await client.placed({ name: 'open' })
  const added = await at('access', 'add', 'open', '10.0.0.0/24', '--read-only', '--metadata', 'who=lab')
  expect([added.exitCode, added.err, added.out.trim()]).toEqual([0, '', expect.stringMatching(/ active$/)])
  const listed = await at('access', 'list', 'open')
  expect(listed.out).toMatch(/ip +10\.0\.0\.0\/24 +ro +active/)
  const json = JSON.parse((await at('access', 'list', 'open', '--json')).out)
  expect(json).toMatchObject([{ access_to: '10.0.0.0/24', metadata: { who: 'lab' } }])
  const twice = await at('access', 'add', 'open', '10.0.0.0/24')
  expect([twice.exitCode, twice.err]).toEqual([
    exitCodes.invalid,
    expect.stringContaining('Share access ip:10.0.0.0/24 exists.'),
  ])
  expect((await at('access', 'remove', 'open', '10.9.9.9')).exitCode).toBe(exitCodes.missing)
  expect((await at('access', 'remove', 'open', '10.0.0.0/24')).exitCode).toBe(0)
  expect((await at('access', 'list', 'open')).err).toMatch(/nobody/)
})
