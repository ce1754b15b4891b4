import { expect, test } from 'vitest'
import { validate } from '../../http/formats/json-schema.ts'
import { featuresOf } from '../versions.ts'
import { reshaperSchema } from './reshaper.schemas.ts'

const RP = 'e1e2f1ea-4a3b-4c3a-8a4c-1f1c2a0f6a11'
const CONSUMER = '4b01cd5a-9e12-46d7-9b2a-5bc0f6040a40'
const disk = { total: 2048, step_size: 10, min_unit: 10, max_unit: 1200 }
const inventories = (record: object = disk) => ({
  [RP]: { resource_provider_generation: 5, inventories: { DISK_GB: record } },
})
const allocations = (more: object = {}) => ({
  [CONSUMER]: {
    allocations: { [RP]: { resources: { DISK_GB: 1000 } } },
    project_id: 'p',
    user_id: 'u',
    consumer_generation: 1,
    ...more,
  },
})
const told = (minor: number, body: unknown) => validate(reshaperSchema(featuresOf(minor)), body)

test('a reshape has inventories, and allocations that may be none', () => {
  expect(told(30, { inventories: inventories(), allocations: allocations() })).toBeNull()
  expect(told(30, { inventories: inventories(), allocations: {} })).toBeNull()
  expect(told(30, { inventories: {}, allocations: {} })).toMatch(/^{} does not have enough properties\n/)
  expect(told(30, { cows: 'moo' })).toMatch(/^'inventories' is a required property\n/)
  expect(told(30, { inventories: inventories() })).toMatch(/^'allocations' is a required property\n/)
})

test('a bad field is found in an inventory and in an allocation', () => {
  const bad = { bad_field: 'moo' }
  expect(told(30, { inventories: inventories({ ...disk, ...bad }), allocations: allocations() })).toMatch(
    /^Additional properties are not allowed \('bad_field' was unexpected\)\n/,
  )
  expect(told(30, { inventories: inventories(), allocations: allocations(bad) })).toMatch(
    /^Additional properties are not allowed \('bad_field' was unexpected\)\n/,
  )
})

test('the consumers of a reshape follow what is asked of allocations', () => {
  const typed = { consumer_type: 'RESHAPED' }
  expect(told(36, { inventories: inventories(), allocations: allocations(typed) })).toMatch(
    /^Additional properties are not allowed \('consumer_type' was unexpected\)\n/,
  )
  expect(told(38, { inventories: inventories(), allocations: allocations(typed) })).toBeNull()
  expect(told(38, { inventories: inventories(), allocations: allocations() })).toMatch(
    /^'consumer_type' is a required property\n/,
  )
  const mapped = { mappings: { '1': [RP] } }
  expect(told(33, { inventories: inventories(), allocations: allocations(mapped) })).toMatch(
    /'mappings' was unexp/,
  )
  expect(told(34, { inventories: inventories(), allocations: allocations(mapped) })).toBeNull()
})
