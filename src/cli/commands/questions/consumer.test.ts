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
