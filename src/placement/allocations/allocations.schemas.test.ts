import { describe, expect, test } from 'vitest'
import { validate } from '../../http/formats/json-schema.ts'
import { featuresOf } from '../versions.ts'
import { allocationSchema, manyAllocationsSchema } from './allocations.schemas.ts'

const RP = 'e1e2f1ea-4a3b-4c3a-8a4c-1f1c2a0f6a11'
const CONSUMER = 'f5a91a0a-e111-4a9c-8a33-7b320ae1e52a'
const owner = { project_id: 'p', user_id: 'u' }
const put = (minor: number, body: unknown) => validate(allocationSchema(featuresOf(minor)), body)
const post = (minor: number, body: unknown) => validate(manyAllocationsSchema(featuresOf(minor)), body)

describe('allocations as a list', () => {
  const listed = (resources: unknown = { DISK_GB: 10 }) => [{ resource_provider: { uuid: RP }, resources }]

  test('stand alone before they have an owner', () => {
    expect(put(7, { allocations: listed() })).toBeNull()
    expect(put(7, { allocations: listed(), ...owner })).toMatch(/\('project_id', 'user_id' were unexpected\)/)
  })

  test('are at least one', () => {
    expect(put(0, { allocations: [] })).toMatch(
      /^\[\] is too short\n\nFailed validating 'minItems' in schema/,
    )
  })

  test('take at least one of a resource', () => {
    expect(put(0, { allocations: listed({ DISK_GB: 0 }) })).toMatch(
      /^0 is less than the minimum of 1\n\nFailed validating 'minimum' in schema/,
    )
    expect(put(0, { allocations: [{ resource_provider: { uuid: RP } }] })).toMatch(
      /^'resources' is a required property\n\nFailed validating 'required' in schema\['properties'\]\['allocations'\]\['items'\]:/,
    )
    expect(put(11, { allocations: listed({}), ...owner })).toMatch(/^{} does not have enough properties\n/)
    expect(put(0, { allocations: listed({ disk: 1 }) })).toMatch(
      /^'disk' does not match any of the regexes: '\^\[A-Z0-9_\]\+\$'\n/,
    )
  })

  test('have a provider and nothing but its uuid', () => {
    const of = (provider: unknown) =>
      put(0, { allocations: [{ resource_provider: provider, resources: { A: 1 } }] })
    expect(of({})).toMatch(/^'uuid' is a required property\n/)
    expect(of({ uuid: 'x' })).toMatch(/^'x' is not a 'uuid'\n/)
    expect(of({ name: 'x' })).toMatch(/\('name' was unexpected\)\n/)
  })

  test.each(['project_id', 'user_id'])('need a %s of 1 to 255 characters once they have an owner', name => {
    const body = { allocations: listed(), ...owner }
    expect(put(8, body)).toBeNull()
    expect(put(8, { ...body, [name]: null })).toMatch(/None is not of type 'string'/)
    expect(put(8, { ...body, [name]: '' })).toMatch(/Failed validating 'minLength'/)
    expect(put(8, { ...body, [name]: 'x'.repeat(256) })).toMatch(/Failed validating 'maxLength'/)
  })

  test('report a missing project first', () => {
    const allocations = listed()
    expect(put(8, { allocations })).toMatch(/^'project_id' is a.*\n\nFailed validating 'required' in schema:/)
    expect(put(8, { allocations, user_id: 'u' })).toMatch(/^'project_id' is a required property\n/)
    expect(put(8, { allocations, project_id: 'p' })).toMatch(/^'user_id' is a required property\n/)
  })

  test('end where allocations are keyed by provider', () => {
    expect(put(11, { allocations: listed(), ...owner })).toBeNull()
    expect(put(12, { allocations: listed(), ...owner })).toMatch(/ is not of type 'object'\n/)
  })
})

describe('allocations keyed by provider', () => {
  const keyed = (resources: unknown = { DISK_GB: 10 }) => ({ [RP]: { resources } })
  const body = { allocations: keyed(), ...owner }

  test('may name a generation of the provider, and nothing else', () => {
    expect(put(12, body)).toBeNull()
    expect(put(12, { ...body, allocations: { [RP]: { resources: { A: 1 }, generation: 3 } } })).toBeNull()
    expect(put(12, { ...body, allocations: { [RP]: { generation: 3 } } })).toMatch(
      /^'resources' is a required/,
    )
    expect(put(12, { ...body, allocations: { [RP]: { resources: { A: 1 }, x: 3 } } })).toMatch(
      /'x' was unexpected/,
    )
  })

  test('have keys that look like uuids', () => {
    expect(put(12, { ...body, allocations: { x: { resources: { A: 1 } } } })).toMatch(
      /^'x' does not match any of the regexes: '\^\[0-9a-fA-F-\]\{36\}\$'\n/,
    )
  })

  test('take at least one resource', () => {
    expect(put(12, { ...body, allocations: keyed({}) })).toMatch(/^{} does not have enough properties\n/)
  })

  test('may be none since consumers have generations', () => {
    expect(put(27, { ...body, allocations: {} })).toMatch(/^{} does not have enough properties\n/)
    expect(put(28, { ...body, allocations: {}, consumer_generation: null })).toBeNull()
  })

  test('need a generation of the consumer, which may be null, once there is one', () => {
    expect(put(28, body)).toMatch(/^'consumer_generation' is a required property\n/)
    expect(put(28, { ...body, consumer_generation: 0 })).toBeNull()
    expect(put(28, { ...body, consumer_generation: '0' })).toMatch(/^'0' is not of type 'integer', 'null'\n/)
    expect(put(28, { ...body, consumer_generation: { a: 1 } })).toMatch(
      /^{'a': 1} is not of type 'integer', 'null'\n/,
    )
    expect(put(27, { ...body, consumer_generation: 0 })).toMatch(/'consumer_generation' was unexpected/)
  })

  test('may have mappings, if any then not empty ones', () => {
    const mapped = (mappings: unknown) => put(34, { ...body, consumer_generation: 1, mappings })
    expect(mapped({ '': ['anything'], _A: [RP] })).toBeNull()
    expect(mapped({ alpha: 'beta' })).toMatch(/^'beta' is not of type 'array'\n/)
    expect(mapped({ alpha: ['beta'] })).toMatch(/^'beta' is not a 'uuid'\n/)
    expect(mapped({ alpha: [] })).toMatch(/^\[\] is too short\n/)
    expect(mapped({})).toMatch(/^{} does not have enough properties\n/)
    expect(put(33, { ...body, consumer_generation: 1, mappings: { a: [RP] } })).toMatch(
      /'mappings' was unexpected/,
    )
  })

  test('need a type of consumer once there is one', () => {
    const typed = { ...body, consumer_generation: 1, consumer_type: 'INSTANCE' }
    expect(put(38, typed)).toBeNull()
    expect(put(37, typed)).toMatch(/'consumer_type' was unexpected/)
    expect(put(38, { ...body, consumer_generation: null })).toMatch(
      /^'consumer_type' is a required property\n/,
    )
    expect(put(38, { ...typed, consumer_type: 'instance' })).toMatch(
      /^'instance' does not match '\^\[A-Z0-9_\]\+\$'\n/,
    )
  })
})

describe('allocations of several consumers', () => {
  const body = { allocations: { [RP]: { resources: { DISK_GB: 10 } } }, ...owner }

  test('are those of at least one, who may hold nothing', () => {
    expect(post(13, { [CONSUMER]: body })).toBeNull()
    expect(post(13, { [CONSUMER]: { ...body, allocations: {} } })).toBeNull()
    expect(post(13, {})).toMatch(/^{} does not have enough properties\n/)
    expect(post(13, { x: body })).toMatch(/^'x' does not match any of the regexes/)
  })

  test('follow what one consumer must say', () => {
    expect(post(28, { [CONSUMER]: body })).toMatch(/^'consumer_generation' is a required property\n/)
    const generation = { ...body, consumer_generation: null }
    expect(post(33, { [CONSUMER]: { ...generation, mappings: { a: [RP] } } })).toMatch(
      /'mappings' was unexpected/,
    )
    expect(post(34, { [CONSUMER]: { ...generation, mappings: { a: [RP] } } })).toBeNull()
    expect(post(38, { [CONSUMER]: generation })).toMatch(/^'consumer_type' is a required property\n/)
    expect(post(38, { [CONSUMER]: { ...generation, consumer_type: 'instance' } })).toMatch(
      /^'instance' does not match '\^\[A-Z0-9_\]\+\$'\n/,
    )
  })

  test('name the consumer that is wrong', () => {
    const told = post(13, { [CONSUMER]: { ...body, project_id: '' } })
    expect(told).toContain(
      "Failed validating 'minLength' in schema['patternProperties']['^[0-9a-fA-F-]{36}$']['properties']['project_id']:",
    )
    expect(told).toContain(`On instance['${CONSUMER}']['project_id']:\n    ''`)
  })
})

test('the schemas of a version are made once', () => {
  expect(allocationSchema(featuresOf(38))).toBe(allocationSchema(featuresOf(38)))
  expect(manyAllocationsSchema(featuresOf(38))).toBe(manyAllocationsSchema(featuresOf(38)))
})
