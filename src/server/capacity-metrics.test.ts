import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildWorld, clouds } from '../../test/clouds.ts'
import { SmallCloud } from '../../test/small-cloud.ts'
import { Registry } from '../http/ops/metrics.ts'
import type { World } from '../world/world.ts'
import { addCapacityMetrics } from './capacity-metrics.ts'

function scraped(world: World, aggregatesMax?: number): Map<string, number> {
  const registry = new Registry()
  addCapacityMetrics(registry, world, aggregatesMax)
  const lines = registry
    .render()
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

test('capacity, use and reserve are summed by class, and by aggregate with the tree below a member', () => {
  const cloud = new SmallCloud()
    .add('host', {
      has: { VCPU: { total: 10, reserved: 2, allocationRatio: 4 } },
      aggregates: ['rack'],
    })
    .add('numa', { parent: 'host', has: { VCPU: 6, MEMORY_MB: 100 }, aggregates: ['rack'] })
    .add('alone', { has: { VCPU: 1 } })
    .claim('one', { host: { VCPU: 3 }, numa: { VCPU: 2 } })
  const found = scraped(cloud.world)
  const rack = cloud.uuid('aggregate rack')
  expect(Object.fromEntries(found)).toEqual({
    'berth_capacity{resource_class="VCPU"}': 39,
    'berth_capacity{resource_class="MEMORY_MB"}': 100,
    'berth_used{resource_class="VCPU"}': 5,
    'berth_used{resource_class="MEMORY_MB"}': 0,
    'berth_reserved{resource_class="VCPU"}': 2,
    'berth_reserved{resource_class="MEMORY_MB"}': 0,
    [`berth_aggregate_capacity{aggregate="${rack}",resource_class="VCPU"}`]: 38,
    [`berth_aggregate_capacity{aggregate="${rack}",resource_class="MEMORY_MB"}`]: 100,
    [`berth_aggregate_used{aggregate="${rack}",resource_class="VCPU"}`]: 5,
    [`berth_aggregate_used{aggregate="${rack}",resource_class="MEMORY_MB"}`]: 0,
    [`berth_aggregate_reserved{aggregate="${rack}",resource_class="VCPU"}`]: 2,
    [`berth_aggregate_reserved{aggregate="${rack}",resource_class="MEMORY_MB"}`]: 0,
    berth_aggregates_not_shown: 0,
  })
})

test('the sums of any cloud are those that its providers have one by one', () => {
  fc.assert(
    fc.property(clouds, cloud => {
      const found = scraped(buildWorld(cloud))
      const rootOf = (uuid: string): string => {
        const parent = cloud.providers.find(one => one.uuid === uuid)?.parent ?? null
        return parent === null ? uuid : rootOf(parent)
      }
      const expected = new Map<string, number>()
      const add = (name: string, amount: number) => expected.set(name, (expected.get(name) ?? 0) + amount)
      for (const provider of cloud.providers) {
        const root = cloud.providers.find(one => one.uuid === rootOf(provider.uuid))
        for (const [name, { total, reserved, ratio, used }] of Object.entries(provider.inventories)) {
          add(`berth_capacity{resource_class="${name}"}`, (total - reserved) * ratio)
          for (const aggregate of new Set([...provider.aggregates, ...(root?.aggregates ?? [])]))
            add(`berth_aggregate_used{aggregate="${aggregate}",resource_class="${name}"}`, used)
        }
      }
      for (const [name, amount] of expected) expect(found.get(name)).toBeCloseTo(amount, 9)
      const shown = [...found.keys()].filter(name => /^berth_(capacity|aggregate_used)/.test(name))
      expect(new Set(shown)).toEqual(new Set(expected.keys()))
    }),
    { numRuns: 200 },
  )
})

test('aggregates beyond the limit are not shown, but counted', () => {
  const cloud = new SmallCloud()
  for (const name of ['a', 'b', 'c']) cloud.add(name, { has: { VCPU: 1 }, aggregates: [name] })
  const found = scraped(cloud.world, 2)
  expect([...found.keys()].filter(name => name.startsWith('berth_aggregate_used'))).toHaveLength(2)
  expect(found.get('berth_aggregates_not_shown')).toBe(1)
})

test('a scrape shows what changed since the last one', () => {
  const cloud = new SmallCloud().add('host', { has: { VCPU: 1 } })
  const registry = new Registry()
  addCapacityMetrics(registry, cloud.world)
  expect(registry.render()).toContain('berth_capacity{resource_class="VCPU"} 1\n')
  cloud.add('other', { has: { VCPU: 5 } })
  cloud.world.revision++
  expect(registry.render()).toContain('berth_capacity{resource_class="VCPU"} 6\n')
})
