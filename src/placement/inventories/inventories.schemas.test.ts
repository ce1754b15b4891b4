import { describe, expect, test } from 'vitest'
import { validate } from '../../http/formats/json-schema.ts'
import {
  inventoriesReplaceSchema,
  inventoryCreateSchema,
  inventoryUpdateSchema,
} from './inventories.schemas.ts'

const disk = {
  resource_class: 'DISK_GB',
  total: 2048,
  reserved: 512,
  min_unit: 10,
  max_unit: 1024,
  step_size: 10,
  allocation_ratio: 1.0,
}
const TOO_MUCH = 2147483648

describe('a new inventory', () => {
  const created = (changes: object) => validate(inventoryCreateSchema, { ...disk, ...changes })

  test('may be whole or hardly there', () => {
    expect(created({ resource_provider_generation: 5 })).toBeNull()
    expect(validate(inventoryCreateSchema, { resource_class: 'DISK_GB', total: 1 })).toBeNull()
  })

  test('needs a total and a class', () => {
    expect(validate(inventoryCreateSchema, { resource_class: 'DISK_GB' })).toMatch(
      /^'total' is a required property/,
    )
    expect(validate(inventoryCreateSchema, { total: 1 })).toMatch(/^'resource_class' is a required property/)
  })

  test.each(['total', 'min_unit', 'max_unit', 'step_size'])('%s is at least 1', name => {
    expect(created({ [name]: 0 })).toMatch(/^0 is less than the minimum of 1\n/)
    expect(created({ [name]: 0 })).toContain(`Failed validating 'minimum' in schema['properties']['${name}']`)
    expect(created({ [name]: -1 })).toMatch(/^-1 is less than the minimum of 1\n/)
    expect(created({ [name]: 1 })).toBeNull()
  })

  test('reserved is at least 0', () => {
    expect(created({ reserved: 0 })).toBeNull()
    expect(created({ reserved: -1 })).toMatch(/^-1 is less than the minimum of 0\n/)
  })

  test.each(['total', 'reserved', 'min_unit', 'max_unit', 'step_size'])('%s is a 32-bit integer', name => {
    expect(created({ [name]: TOO_MUCH - 1 })).toBeNull()
    expect(created({ [name]: TOO_MUCH })).toMatch(
      /^2147483648 is greater than the maximum of 2147483647\n\nFailed validating 'maximum'/,
    )
    expect(created({ [name]: 1.5 })).toMatch(/^1.5 is not of type 'integer'\n/)
    expect(created({ [name]: '1' })).toMatch(/^'1' is not of type 'integer'\n/)
    expect(created({ [name]: Number.POSITIVE_INFINITY })).toMatch(/^inf is not of type 'integer'\n/)
  })

  test('allocation_ratio is a number of single precision, be it zero or less', () => {
    expect(created({ allocation_ratio: 3.40282e38 })).toBeNull()
    expect(created({ allocation_ratio: 0 })).toBeNull()
    expect(created({ allocation_ratio: -1.5 })).toBeNull()
    expect(created({ allocation_ratio: 3.40282e39 })).toMatch(
      /^3.40282e\+39 is greater than the maximum of 3.40282e\+38\n\nFailed validating 'maximum'/,
    )
    expect(created({ allocation_ratio: Number.POSITIVE_INFINITY })).toMatch(
      /^inf is greater than the maximum/,
    )
    expect(created({ allocation_ratio: true })).toMatch(/^True is not of type 'number'/)
  })

  test('has a class whose name can be one', () => {
    expect(created({ resource_class: 'disk' })).toMatch(/^'disk' does not match '\^\[A-Z0-9_\]\+\$'\n/)
  })
})

describe('a changed inventory', () => {
  test('needs a total and a generation, and names no class', () => {
    expect(validate(inventoryUpdateSchema, { total: 1, resource_provider_generation: 0 })).toBeNull()
    expect(validate(inventoryUpdateSchema, {})).toMatch(/^'total' is a required property/)
    expect(validate(inventoryUpdateSchema, { total: 1 })).toMatch(
      /^'resource_provider_generation' is a required/,
    )
    expect(validate(inventoryUpdateSchema, { ...disk, resource_provider_generation: 0 })).toMatch(
      /'resource_class' was unexpected/,
    )
  })
})

describe('all inventories of a provider', () => {
  const replaced = (record: unknown) =>
    validate(inventoriesReplaceSchema, { resource_provider_generation: 1, inventories: { DISK_GB: record } })

  test('may be none', () => {
    expect(
      validate(inventoriesReplaceSchema, { resource_provider_generation: 1, inventories: {} }),
    ).toBeNull()
  })

  test('need a generation first, then inventories', () => {
    expect(validate(inventoriesReplaceSchema, { house: 'red', car: 'blue' })).toMatch(
      /^'resource_provider_generation' is a required property/,
    )
    expect(validate(inventoriesReplaceSchema, { resource_provider_generation: 1 })).toMatch(
      /^'inventories' is a required property/,
    )
  })

  test('are held to the rules of one', () => {
    expect(replaced({ total: 1024, reserved: 512, allocation_ratio: 16.0 })).toBeNull()
    expect(replaced({ total: TOO_MUCH, reserved: 512 })).toMatch(/Failed validating 'maximum'/)
    expect(replaced({ total: 1024, reserved: 512, allocation_ratio: 3.40282e39 })).toMatch(
      /validating 'maximum'/,
    )
    expect(replaced({ reserved: 512 })).toMatch(/^'total' is a required property/)
    expect(replaced(5)).toMatch(/^5 is not of type 'object'/)
  })

  test('go unchecked under a name that no class can have', () => {
    expect(
      validate(inventoriesReplaceSchema, { resource_provider_generation: 1, inventories: { disk: 5 } }),
    ).toBeNull()
  })
})
