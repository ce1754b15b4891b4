import { describe, expect, test } from 'vitest'
import { Fleet, isHost, type Provider, shareOf } from './fleet.ts'

const stock = (total: number, more = {}) => ({
  total,
  reserved: 0,
  min_unit: 1,
  max_unit: total,
  step_size: 1,
  allocation_ratio: 1,
  ...more,
})

function line(uuid: string, parent: string | null, root: string, more = {}) {
  return {
    uuid,
    name: uuid,
    generation: 1,
    parent_provider_uuid: parent,
    root_provider_uuid: root,
    inventories: {},
    usages: {},
    traits: [],
    aggregates: [],
    revision: 5,
    ...more,
  }
}

function smallFleet(): Fleet {
  const fleet = new Fleet()
  // Children first: lines come in any order.
  fleet.add(
    line('numa', 'host', 'host', {
      inventories: { VCPU: stock(8, { allocation_ratio: 2 }) },
      usages: { VCPU: 4 },
    }),
  )
  fleet.add(line('host', null, 'host', { inventories: { VCPU: stock(4, { reserved: 1 }) } }))
  fleet.link(5)
  return fleet
}

const change = (revision: number, table: string, before: object | null, after: object | null) => ({
  revision,
  at: '',
  ops: [{ table, before: before as never, after: after as never }],
})

const allocation = (used: number) => ({ consumer: 'c', provider: 'numa', resource_class: 'VCPU', used })

const hostSums = (fleet: Fleet) => fleet.sums(fleet.providers.get('host') as Provider)

describe('a fleet', () => {
  test('sums a tree: capacity counts reserved and ratio', () => {
    expect(hostSums(smallFleet()).get('VCPU')).toEqual({ total: 12, reserved: 1, capacity: 19, used: 4 })
  })

  test('does what is later than a line, and only that', () => {
    const fleet = smallFleet()
    fleet.apply(change(5, 'allocations', null, allocation(9)))
    expect(hostSums(fleet).get('VCPU')?.used).toBe(4)
    fleet.apply(change(6, 'allocations', null, allocation(3)))
    fleet.apply(change(7, 'allocations', allocation(3), allocation(1)))
    expect(hostSums(fleet).get('VCPU')?.used).toBe(5)
    expect(fleet.revision).toBe(7)
  })

  test('a new provider and what the same change gives it are taken in', () => {
    const fleet = smallFleet()
    const row = { uuid: 'new', name: 'new-name', generation: 0, parent: 'numa' }
    fleet.apply({
      revision: 6,
      at: '',
      ops: [
        { table: 'resource_providers', before: null, after: row },
        {
          table: 'inventories',
          before: null,
          after: { provider: 'new', resource_class: 'VCPU', ...stock(2) },
        },
        { table: 'provider_traits', before: null, after: { provider: 'new', trait: 'T' } },
      ],
    })
    expect(fleet.providers.get('new')).toMatchObject({ name: 'new-name', root: 'host', parent: 'numa' })
    expect(hostSums(fleet).get('VCPU')?.total).toBe(14)
    expect(fleet.subtree('host').map(({ uuid }) => uuid)).toEqual(['host', 'numa', 'new'])
  })

  test('a provider that moves takes its tree along, one that is gone is gone', () => {
    const fleet = smallFleet()
    const row = { uuid: 'numa', name: 'numa', generation: 2, parent: null }
    fleet.apply(change(6, 'resource_providers', { ...row, parent: 'host' }, row))
    expect(fleet.providers.get('numa')?.root).toBe('numa')
    expect(hostSums(fleet).get('VCPU')?.total).toBe(4)
    fleet.apply(change(7, 'resource_providers', row, null))
    expect([...fleet.providers.keys()]).toEqual(['host'])
  })

  test('who shares is no host; what can give nothing out is full', () => {
    const fleet = smallFleet()
    const host = fleet.providers.get('host') as Provider
    expect(isHost(fleet, host)).toBe(true)
    host.traits.add('MISC_SHARES_VIA_AGGREGATE')
    expect(isHost(fleet, host)).toBe(false)
    expect(shareOf({ total: 4, reserved: 4, capacity: 0, used: 0 })).toBe(1)
  })
})
