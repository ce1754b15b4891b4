import { expect, test } from 'vitest'
import { SmallCloud } from '../../../test/small-cloud.ts'
import { Query } from '../../http/request/query.ts'
import { parseCandidateRequest } from '../candidates/candidates.query.ts'
import { featuresOf } from '../versions.ts'
import { type Explanation, explain } from './explain.ts'
import { constraintText, missText, remedyText } from './words.ts'

async function explained(cloud: SmallCloud, query: string, minor = 40): Promise<Explanation> {
  const features = featuresOf(minor)
  const text = query.replaceAll(/\{([^}]+)\}/g, (_, name: string) => cloud.uuid(name))
  const request = parseCandidateRequest(Query.parse(text)!, features, 200)
  const behaviour = { nested: features.nestedCandidates, inTreeTouches: features.inTreeTouches }
  const answer = await explain(cloud.world, request, behaviour, async () => undefined)
  if (answer.kind !== 'explanation') throw new Error(JSON.stringify(answer))
  return answer
}

const funnelOf = (answer: Explanation) =>
  answer.funnel.map(
    ({ constraint, before, after, verdict }) =>
      `${constraintText(constraint)}: ${before.trees} -> ${after.trees} trees, ${before.providers} -> ${after.providers} providers, ${verdict}`,
  )

function hosts(): SmallCloud {
  return new SmallCloud()
    .add('host-17', { has: { VCPU: 16, MEMORY_MB: 65536 }, traits: ['CUSTOM_SSD'] })
    .add('host-18', { has: { VCPU: 4, MEMORY_MB: 65536 } })
    .claim('big', { 'host-17': { MEMORY_MB: 61952 } })
}

test('a host that is short is reported with both numbers', async () => {
  const cloud = hosts()
  const answer = await explained(cloud, 'resources=VCPU:8,MEMORY_MB:4096')
  expect(answer.candidates).toBe(0)
  expect(answer.nearest[0]?.misses.map(miss => missText(cloud.world, miss))).toEqual([
    'host-17: MEMORY_MB needs 4096, has 3584 free of 65536',
  ])
})

test('the funnel counts trees and providers before and after each part', async () => {
  const answer = await explained(hosts(), 'resources=VCPU:8,MEMORY_MB:1024&required=CUSTOM_SSD')
  expect(answer.candidates).toBe(1)
  expect(funnelOf(answer)).toEqual([
    '8 of VCPU: 2 -> 1 trees, 2 -> 1 providers, narrows',
    '1024 of MEMORY_MB: 1 -> 1 trees, 1 -> 1 providers, innocent',
    'trait CUSTOM_SSD: 1 -> 1 trees, 1 -> 1 providers, innocent',
  ])
})

test('a provider that only a later part asks for counts from the beginning: the funnel never widens', async () => {
  const cloud = new SmallCloud()
    .add('host', { has: { VCPU: 8 } })
    .add('disk', { parent: 'host', has: { DISK_GB: 100 } })
    .add('tape', { parent: 'host', has: { CUSTOM_TAPE: 1 } })
  expect(funnelOf(await explained(cloud, 'resources=VCPU:4,DISK_GB:10'))).toEqual([
    '4 of VCPU: 1 -> 1 trees, 3 -> 2 providers, narrows',
    '10 of DISK_GB: 1 -> 1 trees, 2 -> 2 providers, redundant',
  ])
})

test('the funnel counts every provider of a tree that could serve, not only the first', async () => {
  const cloud = new SmallCloud()
    .add('host', {})
    .add('numa-1', { parent: 'host', has: { VCPU: 8 } })
    .add('numa-2', { parent: 'host', has: { VCPU: 8 }, traits: ['CUSTOM_FAST'] })
    .add('numa-3', { parent: 'host', has: { VCPU: 2 } })
  expect(funnelOf(await explained(cloud, 'resources=VCPU:4&required=CUSTOM_FAST'))).toEqual([
    '4 of VCPU: 1 -> 1 trees, 4 -> 2 providers, narrows',
    'trait CUSTOM_FAST: 1 -> 1 trees, 2 -> 1 providers, narrows',
  ])
})

test('the part that alone is to blame blocks, and dropping it or asking for less is the remedy', async () => {
  const cloud = hosts()
  const answer = await explained(cloud, 'resources=VCPU:8,MEMORY_MB:4096&required=CUSTOM_SSD')
  const verdicts = Object.fromEntries(
    answer.funnel.map(step => [constraintText(step.constraint), step.verdict]),
  )
  expect(verdicts).toEqual({
    '8 of VCPU': 'narrows',
    '4096 of MEMORY_MB': 'blocks',
    'trait CUSTOM_SSD': 'narrows',
  })
  expect(answer.remedies.map(remedy => remedyText(cloud.world, remedy))).toEqual([
    'Ask for 3584 of MEMORY_MB instead of 4096.',
    'Raise the total of MEMORY_MB on host-17 from 65536 to 66048.',
  ])
})

test('a missing trait is a remedy of the cloud, and nothing is left behind by trying it', async () => {
  const cloud = hosts()
  cloud.do('placement:ensure-trait', { name: 'CUSTOM_GPU' })
  const before = [...cloud.world.rows('provider_traits')].length
  const answer = await explained(cloud, 'resources=VCPU:1&required=CUSTOM_GPU')
  expect(answer.remedies.map(remedy => remedyText(cloud.world, remedy))).toEqual(
    [
      'Drop: trait CUSTOM_GPU.',
      'Give host-18 the trait CUSTOM_GPU.',
      'Give host-17 the trait CUSTOM_GPU.',
    ].sort((a, b) => (a.startsWith('Do') ? -1 : b.startsWith('Do') ? 1 : a.localeCompare(b))),
  )
  expect([...cloud.world.rows('provider_traits')]).toHaveLength(before)
})

test('groups that fit alone but not together are reported as such', async () => {
  const cloud = new SmallCloud()
    .add('host', { has: { VCPU: 4 } })
    .add('gpu', { parent: 'host', has: { PGPU: 1 } })
  const answer = await explained(cloud, 'resources1=PGPU:1&resources2=PGPU:1&group_policy=isolate')
  expect(answer.nearest.map(near => near.misses.map(miss => missText(cloud.world, miss)))).toEqual([
    ['host: each group fits on its own, but not all of them together'],
  ])
})

test('a request that is served has no remedies', async () => {
  const answer = await explained(hosts(), 'resources=VCPU:1')
  expect(answer).toMatchObject({ candidates: 2, capped: false, remedies: [] })
})

test.each([
  [5000, 'Ask for 3584 of MEMORY_MB instead of 5000.'],
  [3000, 'Ask for 2560 of MEMORY_MB instead of 3000.'],
  [100, 'Ask for 512 of MEMORY_MB instead of 100.'],
])(
  'where memory is given in steps of 512, %i is told the nearest amount that is given',
  async (need, told) => {
    const record = { total: 3584, minUnit: 512, stepSize: 512 }
    const cloud = new SmallCloud().add('host', { has: { MEMORY_MB: record } })
    const answer = await explained(cloud, `resources=MEMORY_MB:${need}`)
    expect(answer.funnel[0]?.verdict).toBe('blocks')
    expect(answer.remedies.map(remedy => remedyText(cloud.world, remedy))).toContain(told)
  },
)

test('a trait that no provider has is reported even if a resource fails too', async () => {
  const cloud = hosts()
  cloud.do('placement:ensure-trait', { name: 'CUSTOM_NOBODY' })
  const answer = await explained(cloud, 'resources=VCPU:9999&required=CUSTOM_NOBODY')
  expect(answer.funnel.map(step => step.verdict)).toEqual(['narrows', 'narrows'])
})

test('a world that moves while it is looked at is looked at again, never half old and half new', async () => {
  const cloud = hosts()
  const features = featuresOf(40)
  const request = parseCandidateRequest(Query.parse('resources=VCPU:99')!, features, 200)
  let turns = 0
  const answer = await explain(cloud.world, request, { nested: true, inTreeTouches: true }, async () => {
    if (++turns !== 3) return
    cloud.do('placement:delete-provider', { provider: cloud.uuid('host-18') })
    cloud.world.revision++
  })
  if (answer.kind !== 'explanation') throw new Error(answer.kind)
  expect(answer.revision).toBe(cloud.world.revision)
  expect(answer.nearest.map(({ root }) => cloud.name(root))).toEqual(['host-17'])
})
