import { expect, test } from 'vitest'
import { Fleet, type Provider } from '../fleet/fleet.ts'
import { inventoryText, listedText } from './inventory-text.ts'

const inventory = { total: 20, reserved: 4, min_unit: 1, max_unit: 20, step_size: 1, allocation_ratio: 2 }

test('inventories show their capacity: without the reserved part, times the ratio', () => {
  expect(inventoryText({ inventories: new Map([['VCPU', inventory]]), usages: new Map([['VCPU', 3]]) })).toBe(
    'VCPU 3 / 32',
  )
  expect(inventoryText({ inventories: new Map(), usages: new Map() })).toBe('–')
})

test('a host that has everything on its children is listed with the sum of its tree', () => {
  const fleet = new Fleet()
  const add = (uuid: string, parent: string | null, inventories: object, usages: object) =>
    fleet.add({
      uuid,
      name: uuid,
      generation: 1,
      parent_provider_uuid: parent,
      root_provider_uuid: 'host',
      inventories,
      usages,
      traits: [],
      aggregates: [],
      revision: 1,
    } as never)
  add('host', null, {}, {})
  add('numa0', 'host', { VCPU: inventory }, { VCPU: 3 })
  add('numa1', 'host', { VCPU: inventory }, { VCPU: 4 })
  fleet.link(1)
  const listed = (uuid: string) => listedText(fleet, fleet.providers.get(uuid) as Provider)
  expect([listed('host'), listed('numa0')]).toEqual(['VCPU 7 / 64', 'VCPU 3 / 32'])
})
