/** in_tree for candidates: the document's picture, at 1.40 and as upstream has it before. */
import { expect, test } from 'vitest'
import { candidates, search } from '../../../test/candidate-query.ts'
import { SmallCloud } from '../../../test/small-cloud.ts'
import { World } from '../../world/world.ts'
import type { PlacementContext } from '../context.ts'
import { placementService } from '../service.ts'
import { featuresOf, type InTreeMeaning, MINOR_MAX } from '../versions.ts'
import { expandCandidate } from './candidates.ts'

/** Two compute nodes with two NUMA nodes each, and one storage that both share. */
function picture(): SmallCloud {
  return new SmallCloud()
    .add('ss1', { has: { DISK_GB: 1000 }, traits: ['MISC_SHARES_VIA_AGGREGATE'], aggregates: ['shared'] })
    .add('cn1', { has: { DISK_GB: 1000 }, aggregates: ['shared'] })
    .add('numa1_1', { parent: 'cn1', has: { VCPU: 4 } })
    .add('numa1_2', { parent: 'cn1', has: { VCPU: 4 } })
    .add('cn2', { has: { DISK_GB: 1000 }, aggregates: ['shared'] })
    .add('numa2_1', { parent: 'cn2', has: { VCPU: 4 } })
    .add('numa2_2', { parent: 'cn2', has: { VCPU: 4 } })
}

const four = [
  'cn1 DISK_GB:50 + numa1_1 VCPU:1',
  'cn1 DISK_GB:50 + numa1_2 VCPU:1',
  'numa1_1 VCPU:1 + ss1 DISK_GB:50',
  'numa1_2 VCPU:1 + ss1 DISK_GB:50',
]

test('1.40: the tree of cn1 gives exactly the four candidates of the picture', () => {
  expect(candidates(picture(), 40, 'resources=VCPU:1,DISK_GB:50&in_tree={cn1}')).toEqual(four)
})

test('1.40: a provider that is not a root names its tree just as well', () => {
  expect(candidates(picture(), 40, 'resources=VCPU:1,DISK_GB:50&in_tree={numa1_1}')).toEqual(four)
})

test('1.40: without in_tree both trees give their four', () => {
  expect(candidates(picture(), 40, 'resources=VCPU:1,DISK_GB:50')).toHaveLength(8)
})

test('1.40: naming the sharing storage keeps every candidate that uses it', () => {
  expect(candidates(picture(), 40, 'resources=VCPU:1,DISK_GB:50&in_tree={ss1}')).toEqual([
    'numa1_1 VCPU:1 + ss1 DISK_GB:50',
    'numa1_2 VCPU:1 + ss1 DISK_GB:50',
    'numa2_1 VCPU:1 + ss1 DISK_GB:50',
    'numa2_2 VCPU:1 + ss1 DISK_GB:50',
  ])
})

test('1.40: a candidate of the sharing storage alone has no provider in the tree', () => {
  expect(candidates(picture(), 40, 'resources=DISK_GB:50&in_tree={cn1}')).toEqual(['cn1 DISK_GB:50'])
})

test('1.40: the providers of all groups count, not only those of the unsuffixed one', () => {
  const query = 'resources=DISK_GB:50&resources1=VCPU:1&in_tree={cn1}'
  expect(candidates(picture(), 40, query)).toEqual(four)
})

test('1.40: in_tree with a suffix binds the provider of that group', () => {
  expect(candidates(picture(), 40, 'resources=VCPU:1&resources1=DISK_GB:50&in_tree1={cn1}')).toEqual([
    'cn1 DISK_GB:50 + numa1_1 VCPU:1',
    'cn1 DISK_GB:50 + numa1_2 VCPU:1',
  ])
})

test.each([31, 36, 39])('1.%i: only candidates wholly inside the tree, as upstream', minor => {
  expect(candidates(picture(), minor, 'resources=VCPU:1,DISK_GB:50&in_tree={cn1}')).toEqual(four.slice(0, 2))
})

test('an unknown uuid gives no candidates', () => {
  expect(candidates(picture(), 40, 'resources=VCPU:1&in_tree={nobody}')).toEqual([])
})

test.each([39, 40])(
  '1.%i: limit=1 among 1,000 hosts returns the host that in_tree names, randomised or not',
  minor => {
    const cloud = new SmallCloud()
    for (let n = 0; n < 1000; n++) cloud.add(`host-${n}`, { has: { VCPU: 4 } })
    for (const randomSeed of [null, 1, 2, 3]) {
      const found = search(cloud, minor, 'resources=VCPU:1&limit=1&in_tree={host-777}', { randomSeed })
      const named = [...found.candidates].map(one => [
        ...expandCandidate(found.plan!, one).allocations.keys(),
      ])
      expect(named.flat().map(slot => cloud.name(slot))).toEqual(['host-777'])
    }
  },
)

test('1.40: in_tree needs no unsuffixed resources: the providers of the groups count', () => {
  const query = 'resources1=VCPU:1&resources2=DISK_GB:50&group_policy=none&in_tree={cn1}'
  expect(candidates(picture(), 40, query)).toEqual(four)
})

test('1.40: a later group that names what does not exist is refused, also where this one alone misses the tree', () => {
  const query = 'resources=VCPU:1&in_tree={ss1}&resources1=CUSTOM_NO_SUCH_CLASS:1'
  expect(() => candidates(picture(), 40, query)).toThrow(/unknown-class.*CUSTOM_NO_SUCH_CLASS/)
})

test.each([31, 35, 36, 39])(
  '1.%i: with the meaning any-member in_tree gives what it gives at 1.40',
  minor => {
    const asked = (query: string) => candidates(picture(), minor, query, 'any-member')
    expect(asked('resources=VCPU:1,DISK_GB:50&in_tree={cn1}')).toEqual(four)
    expect(asked('resources1=VCPU:1&in_tree={cn1}')).toEqual(
      candidates(picture(), 40, 'resources1=VCPU:1&in_tree={cn1}'),
    )
  },
)

test('the meaning any-member changes no other version and no other feature', () => {
  for (let minor = 0; minor <= MINOR_MAX; minor++) {
    const { inTreeTouches, ...others } = featuresOf(minor, 'any-member')
    const { inTreeTouches: _, ...asEver } = featuresOf(minor)
    expect([others, inTreeTouches]).toEqual([asEver, minor >= 31])
  }
})

test('the setting in_tree_meaning decides for the service', () => {
  const touches = (in_tree_meaning: InTreeMeaning) => {
    const context = { world: new World(), settings: { in_tree_meaning } } as unknown as PlacementContext
    return placementService(context).versions?.featuresOf(39).inTreeTouches
  }
  expect([touches('by-version'), touches('any-member')]).toEqual([false, true])
})
