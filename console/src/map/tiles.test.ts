import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fleet } from '../fleet/fleet.ts'
import { type Group, groupNames, groupTiles, type Tile, type TileSet, tilesOf, totalsOf } from './tiles.ts'

const around = { hosts: new Map(), aggregates: [] }
const NAMES = ['h10', 'h2', 'h1', 'x']

const stock = (total: number) => ({
  total,
  reserved: 1,
  min_unit: 1,
  max_unit: total,
  step_size: 1,
  allocation_ratio: 2,
})

const line = (name: string) => ({
  uuid: name,
  name,
  generation: 1,
  parent_provider_uuid: null,
  root_provider_uuid: name,
  inventories: { VCPU: stock(8), ...(name === 'x' ? { DISK_GB: stock(100) } : {}) },
  usages: {},
  traits: [],
  aggregates: [],
  revision: 1,
})

function newFleet(): Fleet {
  const fleet = new Fleet()
  for (const name of NAMES) fleet.add(line(name))
  fleet.link(1)
  return fleet
}

type Op = Parameters<Fleet['apply']>[0]['ops'][number]

const provider = fc.constantFrom(...NAMES)
/** Only these move and go, so that nothing is ever above itself. */
const leaf = fc.constantFrom('h10', 'h2', 'h1')
const sharing = 'MISC_SHARES_VIA_AGGREGATE'

const op = fc.oneof(
  fc.record({ provider, used: fc.integer({ min: 1, max: 9 }) }).map(({ provider, used }) => ({
    table: 'allocations',
    before: null,
    after: { provider, resource_class: 'VCPU', used },
  })),
  fc.record({ provider, total: fc.integer({ min: 1, max: 50 }) }).map(({ provider, total }) => ({
    table: 'inventories',
    before: null,
    after: { provider, resource_class: 'DISK_GB', ...stock(total) },
  })),
  provider.map(provider => ({
    table: 'inventories',
    before: { provider, resource_class: 'DISK_GB' },
    after: null,
  })),
  fc
    .record({ uuid: leaf, parent: fc.constantFrom(null, 'x'), name: fc.constantFrom('a', 'z9') })
    .map(row => ({
      table: 'resource_providers',
      before: null,
      after: { ...row, generation: 2 },
    })),
  leaf.map(uuid => ({ table: 'resource_providers', before: { uuid }, after: null })),
  provider.map(provider => ({ table: 'provider_traits', before: null, after: { provider, trait: sharing } })),
) as unknown as fc.Arbitrary<Op>

/** What there is of each class, added up provider by provider. */
function countedTotals(fleet: Fleet): Map<string, number[]> {
  const totals = new Map<string, number[]>()
  for (const { inventories, usages } of fleet.providers.values())
    for (const [name, { total }] of inventories) {
      const [all = 0, used = 0] = totals.get(name) ?? []
      totals.set(name, [all + total, used + (usages.get(name) ?? 0)])
    }
  return totals
}

test('tiles, groups and totals after changes equal new ones', () => {
  fc.assert(
    fc.property(fc.array(fc.array(op, { maxLength: 3 }), { maxLength: 12 }), changes => {
      const fleet = newFleet()
      let tiles: TileSet | null = null
      let groups: readonly Group[] = []
      changes.forEach((ops, at) => {
        fleet.apply({ revision: at + 2, at: '', ops })
        tiles = tilesOf(fleet, 'DISK_GB', around, tiles)
        groups = groupTiles(tiles.tiles, groupNames('none', around), groups)
        expect(tiles.tiles).toEqual(tilesOf(fleet, 'DISK_GB', around).tiles)
        expect(groups).toEqual(groupTiles(tiles.tiles, groupNames('none', around)))
        const totals = totalsOf(fleet).map(({ name, figures }) => [name, [figures.total, figures.used]])
        expect(new Map(totals as [string, number[]][])).toEqual(countedTotals(fleet))
      })
    }),
  )
})

test('what did not change is the same object: tiles, and groups of such', () => {
  const fleet = newFleet()
  const first = tilesOf(fleet, 'VCPU', around)
  expect(first.tiles.map(({ name }) => name)).toEqual(['h1', 'h2', 'h10', 'x'])
  const claim = { provider: 'h2', resource_class: 'VCPU', used: 3 }
  fleet.apply({ revision: 2, at: '', ops: [{ table: 'allocations', before: null, after: claim }] as Op[] })
  const second = tilesOf(fleet, 'VCPU', around, first)
  expect(second.tiles.map((tile, at) => tile === first.tiles[at])).toEqual([true, false, true, true])
  expect(tilesOf(fleet, 'VCPU', around, second)).toBe(second)
  const namesOf = (tile: Tile) => [tile.name === 'h2' ? 'one' : 'other']
  const groups = groupTiles(first.tiles, namesOf)
  const next = groupTiles(second.tiles, namesOf, groups)
  expect(next.map((group, at) => group === groups[at])).toEqual([false, true])
})
