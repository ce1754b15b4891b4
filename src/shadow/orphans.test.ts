import { expect, test, vi } from 'vitest'
import type { PlacementApi } from '../openstack/placement/placement-api.ts'
import { World } from '../world/world.ts'
import type { Answer, KeptRequest } from './exchange.ts'
import { explainDifference } from './known-bugs.ts'
import { Orphans } from './orphans.ts'
import { ShadowReport } from './report.ts'

const HOST = '00000001-0000-4000-8000-000000000001'
const OTHER = '00000001-0000-4000-8000-000000000002'

const report = () =>
  new ShadowReport({ counted: vi.fn(), differed: vi.fn(), repaired: vi.fn(), took: vi.fn() })

/** A Placement that counts `used` of a host of which a consumer holds 2. */
function orphansOf(used: () => number, noted = report()): Orphans {
  const api = {
    get: async (path: string) => {
      if (path.includes(OTHER)) return { usages: {}, allocations: {} }
      if (path.endsWith('/usages')) return { usages: { VCPU: used() } }
      return { allocations: { c: { resources: { VCPU: 2 }, consumer_generation: 1 } } }
    },
  }
  return new Orphans({
    report: noted,
    connect: async () => api as unknown as PlacementApi,
    stillness: () => 1,
  })
}

const answer = (status: number, body: object): Answer => ({
  status,
  headers: {},
  rawHeaders: [],
  body: Buffer.from(JSON.stringify(body)),
})

const ask = (method: string, path: string): KeptRequest => ({
  method,
  path,
  headers: {},
  rawHeaders: [],
  body: Buffer.alloc(0),
  requestId: 'req-1',
  caller: { remoteAddress: undefined, localAddress: undefined, localPort: undefined, encrypted: false },
})

const refused = answer(409, { errors: [{ detail: 'in use' }] })

const explain = (orphans: Orphans, request: KeptRequest, theirs: Answer, ours: Answer) =>
  explainDifference({ world: new World(), orphans }, request, new Set([HOST]), theirs, ours)

test('a refusal about a provider whose allocation lost its consumer is explained, with the remedy', async () => {
  const noted = report()
  const orphans = orphansOf(() => 7, noted)
  const request = ask('DELETE', `/resource_providers/${HOST}`)
  expect(await explain(orphans, request, refused, answer(204, {}))).toBe('orphaned-allocation')
  expect(orphans.size).toBe(1)
  expect(noted.listRepairs()).toMatchObject([
    { repaired: null, why: expect.stringContaining('placement-manage db online_data_migrations') },
  ])
})

test('the same refusal is a difference where consumers explain all that is used', async () => {
  const request = ask('DELETE', `/resource_providers/${HOST}`)
  expect(
    await explain(
      orphansOf(() => 2),
      request,
      refused,
      answer(204, {}),
    ),
  ).toBeNull()
})

test('a number that changes while it is read is no lost consumer', async () => {
  let used = 9
  const orphans = orphansOf(() => used--)
  await orphans.look([HOST])
  expect(orphans.size).toBe(0)
})

test('a refusal that has nothing to do with what is in use is a difference all the same', async () => {
  const conflict = answer(409, { errors: [{ detail: 'resource provider generation conflict' }] })
  const request = ask('PUT', `/resource_providers/${HOST}/inventories`)
  const orphans = orphansOf(() => 7)
  await orphans.look([HOST])
  expect(await explain(orphans, request, conflict, answer(200, {}))).toBeNull()
})

test('candidates without the provider of a lost consumer are not explained by it', async () => {
  const orphans = orphansOf(() => 7)
  await orphans.look([HOST])
  const request = ask('GET', '/allocation_candidates?resources=VCPU:1')
  expect(await explain(orphans, request, answer(200, {}), answer(200, { of: OTHER }))).toBeNull()
})

test('many differences at once ask Placement one after the other, and not without end', async () => {
  let underWay = 0
  let most = 0
  const orphans = new Orphans({
    report: report(),
    connect: async () => {
      most = Math.max(most, ++underWay)
      await null
      underWay--
      throw new Error('gone')
    },
    stillness: () => 1,
  })
  vi.useFakeTimers()
  const looks = Array.from({ length: 200 }, () => orphans.look([HOST]))
  await vi.advanceTimersByTimeAsync(60_000)
  await Promise.all(looks)
  vi.useRealTimers()
  expect(most).toBe(1)
})

test('only a version that Placement does not know is a newer one', async () => {
  const request = ask('GET', '/resource_providers')
  const of = (detail: string) =>
    explain(
      orphansOf(() => 2),
      request,
      answer(406, { errors: [{ detail }] }),
      answer(200, {}),
    )
  expect(await of('Unacceptable version header: 1.39')).toBe('newer-version')
  expect(await of('Only application/json is provided')).toBeNull()
})

test('candidates that Placement lacks are explained only by a class of a lost consumer', async () => {
  const orphans = orphansOf(() => 7)
  const [theirs, ours] = [answer(200, { of: OTHER }), answer(200, { of: HOST })]
  const of = (name: string) => ask('GET', `/allocation_candidates?resources=${name}:1`)
  expect(await explain(orphans, of('VCPU'), theirs, ours)).toBe('orphaned-allocation')
  expect(await explain(orphans, of('DISK_GB'), theirs, ours)).toBeNull()
})

test('summaries of the same candidates show what is used of classes that were not asked for', async () => {
  const orphans = orphansOf(() => 7)
  const summaries = (used: number) =>
    answer(200, {
      allocation_requests: [{ allocations: { [HOST]: { resources: { DISK_GB: 1 } } } }],
      provider_summaries: { [HOST]: { resources: { VCPU: { capacity: 8, used } } } },
    })
  const request = ask('GET', '/allocation_candidates?resources=DISK_GB:1')
  expect(await explain(orphans, request, summaries(7), summaries(2))).toBe('orphaned-allocation')
})

test('once the consumer is there again, nothing is left to explain', async () => {
  let used = 7
  const orphans = orphansOf(() => used)
  await orphans.look([HOST])
  used = 2
  await orphans.look([HOST])
  expect([orphans.size, orphans.describe([HOST])]).toEqual([0, null])
})

test('what cannot be repaired is noted once', () => {
  const noted = report()
  for (let time = 0; time < 3; time++) noted.addRepair('refused', 'provider a', null)
  noted.addRepair('found', 'provider a', 'berth')
  expect(noted.totals.repairs).toBe(2)
})
