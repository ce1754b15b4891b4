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

test('berth fit prints flavors by zone', async () => {
  const { exitCode, out, err } = await at('fit')
  expect([exitCode, err]).toEqual([0, ''])
  expect(out).toBe(`FLAVOR   IN ALL  EAST  NOVA  WHY NONE
m1.fast       -     -     -  disk differs
m1.half       6     4     2
m1.huge       -     -     -  VCPU too small
`)
})

test('berth fit of flavors of which none fits ends with the code for that', async () => {
  expect((await at('fit', 'm1.huge')).exitCode).toBe(exitCodes.nothing)
  expect((await at('fit', 'm1.huge', 'm1.half', '--json')).json.flavors).toHaveLength(2)
  expect(await at('fit', 'none')).toMatchObject({ exitCode: exitCodes.missing })
})
