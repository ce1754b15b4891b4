/** Wide trees: the work is counted in partial combinations, never in milliseconds. */
import { describe, expect, test } from 'vitest'
import { search } from '../../../test/candidate-query.ts'
import { SmallCloud } from '../../../test/small-cloud.ts'
import { searchBounds } from './request.ts'

function devices(hosts: number, perHost: number, each: number): SmallCloud {
  const cloud = new SmallCloud()
  for (let host = 0; host < hosts; host++) {
    cloud.add(`host-${host}`, { has: { VCPU: 64 } })
    for (let nth = 0; nth < perHost; nth++)
      cloud.add(`gpu-${host}-${nth}`, { parent: `host-${host}`, has: { PGPU: each } })
  }
  return cloud
}

function groups(count: number, policy: 'isolate' | 'none'): string {
  const each = Array.from({ length: count }, (_, nth) => `resources${nth + 1}=PGPU:1`)
  return ['resources=VCPU:1', ...each, `group_policy=${policy}`].join('&')
}

describe.each(['isolate', 'none'] as const)('group_policy=%s', policy => {
  test.each([
    [8, 8],
    [64, 16],
  ])('%i like devices for %i groups on 10 hosts: 1,000 candidates for a few steps each', (perHost, count) => {
    const found = search(devices(10, perHost, 1), 36, `${groups(count, policy)}&limit=1000`)
    expect(found.candidates).toHaveLength(1000)
    expect(found.steps).toBeLessThan(30 * 1000)
  })

  test('no host starves another: 1,000 candidates of 10 hosts are 100 of each', () => {
    const cloud = devices(10, 8, 1)
    const found = search(cloud, 36, `${groups(8, policy)}&limit=1000`)
    const perRoot = new Map<number, number>()
    for (const candidate of found.candidates) {
      const root = cloud.world.providers.root[candidate[0] as number] as number
      perRoot.set(root, (perRoot.get(root) ?? 0) + 1)
    }
    expect([...perRoot.values()]).toEqual(Array(10).fill(100))
  })

  test('one device too few is found out without trying the orders', () => {
    const found = search(devices(10, 15, 1), 36, `${groups(16, policy)}&limit=1000`)
    expect(found.candidates).toHaveLength(0)
    expect(found.steps).toBeLessThan(10 * 16 * 16)
  })
})

test('devices with room for several: one unit too few in total is found out early', () => {
  const found = search(devices(10, 8, 2), 36, `${groups(17, 'none')}&limit=1000`)
  expect(found.candidates).toHaveLength(0)
  expect(found.steps).toBeLessThan(200_000)
})

test('like devices under a NUMA node each, bound by same_subtree, do not explode', () => {
  const cloud = new SmallCloud().add('host', { has: { MEMORY_MB: 1024 } })
  for (const numa of [0, 1]) {
    cloud.add(`numa-${numa}`, { parent: 'host', has: { VCPU: 8 }, traits: ['CUSTOM_NUMA'] })
    for (let nth = 0; nth < 8; nth++)
      cloud.add(`gpu-${numa}-${nth}`, { parent: `numa-${numa}`, has: { PGPU: 1 } })
  }
  const asked = Array.from({ length: 9 }, (_, nth) => `resources_g${nth}=PGPU:1`).join('&')
  const suffixes = Array.from({ length: 9 }, (_, nth) => `_g${nth}`).join(',')
  const query = `resources_c=VCPU:1&${asked}&group_policy=isolate&same_subtree=_c,${suffixes}`
  const found = search(cloud, 36, query)
  expect(found.candidates).toHaveLength(0)
  expect(found.steps).toBeLessThan(5_000)
})

describe('a step of many groups costs more than one of few, and is counted so', () => {
  const cloud = new SmallCloud()
  for (let host = 0; host < 20; host++) {
    cloud.add(`host-${host}`, { has: { DISK_GB: 1000 } })
    for (const numa of [0, 1])
      cloud.add(`numa-${host}-${numa}`, { parent: `host-${host}`, has: { VCPU: 64, MEMORY_MB: 65_536 } })
  }
  const many = (count: number, each: (nth: number) => string) =>
    Array.from({ length: count }, (_, nth) => each(nth + 1)).join('&')
  const bounds = searchBounds(1_000_000, cloud.world.providers.size)

  test.each([
    ['more than there is', `${many(150, nth => `resources${nth}=VCPU:1,MEMORY_MB:${nth + 1000}`)}`, ''],
    [
      'chains of same_subtree',
      many(60, nth => `resources_g${nth}=VCPU:${(nth % 3) + 1}`),
      many(59, nth => `same_subtree=_g${nth},_g${nth + 1}`),
    ],
  ])('%s: given up early', (_, groups, more) => {
    const found = search(cloud, 36, `${groups}&group_policy=none&${more}`, { bounds })
    expect(found.exhausted).toBe(true)
    expect(found.work).toBeLessThan(bounds.workMax + 1_000)
    expect(found.steps).toBeLessThan(100_000)
  })

  test('the size of an answer is bounded, for any search', () => {
    const found = search(cloud, 36, `${many(30, nth => `resources${nth}=VCPU:1`)}&group_policy=none`, {
      bounds,
    })
    expect(found.exhausted).toBe(true)
    expect(found.candidates.length * 30).toBeLessThanOrEqual(bounds.providersMax + 30)
    expect(found.candidates.length * 30).toBeGreaterThan(bounds.providersMax / 2)
  })
})

test('a search that is given too few steps says so', () => {
  const found = search(devices(2, 8, 1), 36, `${groups(8, 'isolate')}&limit=1000`, { stepsMax: 50 })
  expect(found.exhausted).toBe(true)
  expect(found.candidates.length).toBeLessThan(1000)
})
