import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../../test/running-berth.ts'
import { DECLARED } from '../../../../test/three-hosts.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
  await berth.ask('POST', '/v1/apply?owner=test', { body: DECLARED })
})
afterAll(() => berth.end())

const at = (...args: string[]) => run([...args, '--url', berth.server.url, '--token', 'root:ops:admin'])

test('a server is shown with where it is, what it holds and the decisions about it', async () => {
  const { json } = await at('schedule', 'm1.half', '--zone', 'east', '--json')
  const { instance, host } = json.placed[0]
  const { exitCode, out } = await at('consumer', 'show', instance)
  expect(exitCode).toBe(0)
  expect(out).toMatch(new RegExp(`where +${host} \\(zone east, enabled, up\\)`))
  expect(out).toMatch(/flavor +m1\.half/)
  expect(out).toMatch(new RegExp(`${host} +MEMORY_MB +8192`))
  expect(out).toMatch(new RegExp(`${json.decision} +schedule +placed +${host}`))
  expect((await at('consumer', 'find', instance.slice(0, 8), '--json')).json).toMatchObject([
    { uuid: instance, hosts: [host] },
  ])
  expect((await at('consumer', 'show', instance.replace(/^./, 'f').replace(/.$/, '0'))).exitCode).toBe(
    exitCodes.missing,
  )
})

test('a server is named by its name where commands take a uuid, unless two are called so', async () => {
  const { json } = await at('schedule', 'm1.half', '--name', 'db', '--count', '2', '--json')
  expect(json.placed.map(({ name }: { name: string }) => name)).toEqual(['db-1', 'db-2'])
  const { exitCode, out } = await at('consumer', 'show', 'db-2')
  expect([exitCode, out]).toEqual([0, expect.stringMatching(/^name +db-2\nuuid +/)])
  expect((await at('consumer', 'find', 'DB')).out).toMatch(/db-1 .*\n.*db-2 /)
  expect((await at('decision', 'list', '--instance', 'db-1')).out).toContain('db-1, db-2')
  expect((await at('move', 'db-1', '--allow-same-host', '--dry-run')).out).toMatch(
    /\ndb-1 \([0-9a-f-]{36}\) /,
  )
  const missing = await at('consumer', 'show', 'db')
  expect([missing.exitCode, missing.err]).toEqual([
    exitCodes.missing,
    expect.stringContaining('there is no server db; similar: db-1, db-2'),
  ])
  await at('schedule', '--vcpus', '1', '--ram', '1', '--disk', '0', '--name', 'db-1')
  const several = await at('consumer', 'show', 'db-1')
  expect([several.exitCode, several.err]).toEqual([
    exitCodes.invalid,
    expect.stringContaining('2 servers are named db-1, use a uuid: '),
  ])
})
