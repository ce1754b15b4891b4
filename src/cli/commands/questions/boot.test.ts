/** `berth explain` about boots of Nova, against a real server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../../test/running-berth.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
const REQUEST = 'req-00000000-0000-4000-9000-000000000001'
const headers = { 'x-openstack-request-id': REQUEST }

beforeAll(async () => {
  berth = await Berth.start()
  await berth.ask('POST', '/resource_providers', { minor: 36, body: { name: 'host-1', uuid: uuid(1) } })
  const inventories = { resource_provider_generation: 0, inventories: { VCPU: { total: 8 } } }
  await berth.ask('PUT', `/resource_providers/${uuid(1)}/inventories`, { minor: 36, body: inventories })
  await berth.ask('GET', '/allocation_candidates?resources=VCPU:4', { minor: 36, headers })
  const body = {
    allocations: { [uuid(1)]: { resources: { VCPU: 9 } } },
    project_id: 'p',
    user_id: 'u',
    consumer_generation: null,
  }
  await berth.ask('PUT', `/allocations/${uuid(7)}`, { minor: 36, headers, body })
})
afterAll(() => berth.end())

const at = (...args: string[]) => run([...args, '--url', berth.server.url, '--token', 'root:ops:admin'])
const mask = (text: string) =>
  text
    .replaceAll(/decision [0-9a-f-]{36}/g, 'decision UUID')
    .replaceAll(/^\S+Z/gm, 'TIME')
    .replaceAll(/revision \d+/g, 'revision N')

test('a request is told stage by stage, then what Placement finds now', async () => {
  // Decisions are stored after the answers are sent.
  await expect
    .poll(async () => (await berth.ask('GET', '/v1/decisions')).json.decisions.length, { timeout: 5_000 })
    .toBe(2)
  const { exitCode, out } = await at('explain', REQUEST)
  expect(exitCode).toBe(0)
  expect(mask(out)).toBe(`TIME  Placement was asked: passed
  query: resources=VCPU:4
  Placement found 1 candidate.
  decision UUID

TIME  A claim: refused
  server: ${uuid(7)}
  Unable to allocate inventory: Unable to create allocation for 'VCPU' on resource provider '${uuid(1)}'. The requested amount would exceed the capacity.
    ${uuid(1)} is host-1.
  decision UUID

Where it is now:
  ${uuid(7)}: no allocations

Now Placement finds 1 candidate at revision N

What else would help:
  Another claim was faster. Nova goes on to its next host; if it had none left, boot again.
`)
  expect(mask((await at('explain', 'server', uuid(7))).out)).toBe(mask(out))
  const { json } = await at('decision', 'list', '--request', REQUEST, '--json')
  expect(json.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['candidates', 'claim'])
})

test('what is no request, and what nothing is known about, end with the remedy', async () => {
  const unknown = await at('explain', 'server', uuid(8))
  expect(unknown.exitCode).toBe(exitCodes.missing)
  expect(unknown.err).toContain('openstack server event list')
  const typo = await at('explain', 'shedule')
  expect([typo.exitCode, typo.err]).toEqual([
    exitCodes.usage,
    expect.stringContaining("'shedule' is neither"),
  ])
  expect((await at('explain', REQUEST, '--resources', 'VCPU=1')).exitCode).toBe(exitCodes.usage)
})
