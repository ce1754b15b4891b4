import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SmallCloud } from '../../../test/small-cloud.ts'
import type { ApiRequest } from '../../http/api.ts'
import { Query } from '../../http/request/query.ts'
import { candidateRoutes } from '../../placement/candidates/candidates.routes.ts'
import type { PlacementContext } from '../../placement/context.ts'
import { type Features, featuresOf } from '../../placement/versions.ts'
import type { DecisionPut, DecisionRow } from '../../scheduling/decisions/rows.ts'
import { RefusedRequests } from './refused-requests.loop.ts'

const settings = { max_allocation_candidates: 1_000, max_request_groups: 10, max_search_steps: 1_000 }
const GLOBAL_ID = 'req-00000000-0000-4000-9000-000000000001'

/** A cloud with a host of four processors, whose searches are kept. */
function keeping(perHour: number) {
  const cloud = new SmallCloud()
  cloud.add('host', { has: { VCPU: 4 } })
  const kept: DecisionRow[] = []
  const warnings: unknown[] = []
  const counts = { put: 0, rested: 0 }
  let nowMs = 1_000
  const refusals = new RefusedRequests({
    world: cloud.world,
    clock: { nowMs: () => nowMs },
    newUuid: () => `decision-${counts.put}`,
    log: () => ({ warn: (...given: unknown[]) => void warnings.push(given) }),
    async put(rows: readonly DecisionPut[]) {
      counts.put++
      for (const { table, row } of rows) if (table === 'decisions') kept.push(row)
    },
    perHour,
    async rest() {
      counts.rested++
    },
  })
  const context = { world: cloud.world, settings, clock: { nowMs: () => nowMs }, newSeed: () => 1, refusals }
  const [route] = candidateRoutes(context as unknown as PlacementContext)
  const search = (text: string, headers = { 'x-openstack-request-id': GLOBAL_ID }) =>
    route?.handle({
      query: Query.parse(text),
      features: featuresOf(36),
      headers,
      requestId: 'req-own',
      credentials: { userId: 'nova', projectId: null, roles: [], systemScope: false },
    } as unknown as ApiRequest<Features>)
  return { cloud, kept, warnings, counts, refusals, search, wait: (ms: number) => (nowMs += ms) }
}

const summaryOf = ({ summary }: DecisionRow) => JSON.parse(summary).refusal

test('searches that find hosts start no explanation and write nothing', async () => {
  const { refusals, counts, search, kept } = keeping(10)
  for (let nth = 0; nth < 2_000; nth++) search('resources=VCPU:1')
  await refusals.stop()
  expect([counts, kept]).toEqual([{ put: 0, rested: 0 }, []])
  expect(refusals.findSearches(GLOBAL_ID).length).toBe(512)
})

test('a search without a global request id that finds hosts is not even remembered', () => {
  const { refusals, search } = keeping(10)
  search('resources=VCPU:1', {} as never)
  expect(refusals.findSearches(GLOBAL_ID)).toEqual([])
})

test('nothing is explained before the answer has left', async () => {
  const { refusals, search, counts, kept } = keeping(10)
  search('resources=VCPU:8')
  await Promise.resolve()
  expect(counts.put).toBe(0)
  await expect.poll(() => kept.length).toBe(1)
  expect(summaryOf(kept[0] as DecisionRow)).toMatchObject({ explained: { candidates: 0 }, unexplained: null })
  await refusals.stop()
})

test('an explanation of a later state says so', async () => {
  const { cloud, refusals, search, kept } = keeping(10)
  search('resources=VCPU:8')
  const { revision } = cloud.world
  cloud.add('another', { has: { VCPU: 8 } })
  cloud.world.revision++
  await expect.poll(() => kept.length).toBe(1)
  expect(kept[0]).toMatchObject({ revision, decided_revision: revision + 1 })
  expect(summaryOf(kept[0] as DecisionRow).explained.candidates).toBe(1)
  await refusals.stop()
})

test('in a large cloud that never holds still an explanation gives up', async () => {
  const { cloud, refusals, search, kept } = keeping(10)
  for (let nth = 0; nth < 600; nth++) cloud.add(`host-${nth}`, { has: { VCPU: 4 } })
  search('resources=VCPU:8')
  for (let nth = 0; kept.length === 0; nth++) {
    cloud.add(`new-${nth}`, { has: { VCPU: 4 } })
    cloud.world.revision++
    await nextTurn()
  }
  expect(summaryOf(kept[0] as DecisionRow)).toMatchObject({ explained: null, unexplained: 'restless' })
  await refusals.stop()
})

test('explanations rest in between, and what does not fit the queue is kept without one', async () => {
  const { refusals, search, counts, kept } = keeping(1_000)
  for (let nth = 0; nth < 60; nth++) search(`resources=VCPU:${8 + nth}`)
  await expect.poll(() => kept.length).toBe(60)
  expect(kept.filter(row => summaryOf(row).unexplained === 'busy')).toHaveLength(10)
  expect(counts.rested).toBe(49)
  await refusals.stop()
})

test('a stop keeps what waits without an explanation', async () => {
  const { refusals, search, kept } = keeping(1_000)
  for (let nth = 0; nth < 5; nth++) search(`resources=VCPU:${8 + nth}`)
  await refusals.stop()
  expect(kept).toHaveLength(5)
  expect(kept.map(row => summaryOf(row).unexplained)).toContain('stopped')
})

test('beyond the limit of an hour requests are left out, and the log counts them', async () => {
  const { refusals, search, kept, warnings, wait } = keeping(2)
  for (let nth = 0; nth < 5; nth++) search('resources=VCPU:8')
  await expect.poll(() => kept.length).toBe(2)
  wait(30 * 60_000)
  search('resources=VCPU:8')
  await expect.poll(() => kept.length).toBe(3)
  expect(warnings).toEqual([[expect.stringContaining('refused_requests_per_hour'), { left_out: 3 }]])
  await refusals.stop()
})
