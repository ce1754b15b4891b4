import { expect, test } from 'vitest'
import { inventoryText } from './inventory-text.ts'

const inventory = { total: 20, reserved: 4, min_unit: 1, max_unit: 20, step_size: 1, allocation_ratio: 2 }

test('inventories are told with what can be had of them: without what is reserved, times the ratio', () => {
  expect(inventoryText({ inventories: new Map([['VCPU', inventory]]), usages: new Map([['VCPU', 3]]) })).toBe(
    'VCPU 3 / 32',
  )
  expect(inventoryText({ inventories: new Map(), usages: new Map() })).toBe('–')
})
