import { describe, expect, test } from 'vitest'
import { validateQuery } from '../../http/formats/json-body.ts'
import { validate } from '../../http/formats/json-schema.ts'
import { Query } from '../../http/request/query.ts'
import { featuresOf } from '../versions.ts'
import { providerCreateSchema, providersQuerySchema, providerUpdateSchema } from './providers.schemas.ts'

const UUID = 'd67370b5-4dc0-470d-a4fa-85e8e89abc6c'
const created = (minor: number, body: unknown) => validate(providerCreateSchema(featuresOf(minor)), body)
const updated = (minor: number, body: unknown) => validate(providerUpdateSchema(featuresOf(minor)), body)
const asked = (minor: number, query: string) => () =>
  validateQuery(Query.parse(query)!, providersQuerySchema(featuresOf(minor)))

describe('a new provider', () => {
  test('needs a name and may have a uuid of any form', () => {
    expect(created(0, { name: 'a', uuid: UUID })).toBeNull()
    expect(created(0, { name: 'a', uuid: UUID.replaceAll('-', '').toUpperCase() })).toBeNull()
    expect(created(0, {})).toMatch(
      /^'name' is a required property\n\nFailed validating 'required' in schema:/,
    )
  })

  test('may have a name of 200 characters, whatever they are, and no more', () => {
    expect(created(39, { name: '\u{1f600}'.repeat(200) })).toBeNull()
    expect(created(39, { name: 'n'.repeat(201) })).toMatch(
      /^'n+' is too long\n\nFailed validating 'maxLength' in schema\['properties'\]\['name'\]:\n {4}{'maxLength': 200, 'type': 'string'}/,
    )
  })

  test('is refused a bad uuid', () => {
    expect(created(39, { name: 'my bad rp', uuid: 'this is not a uuid' })).toMatch(
      /^'this is not a uuid' is not a 'uuid'\n\nFailed validating 'format' in schema\['properties'\]\['uuid'\]:/,
    )
  })

  test('has a parent only where providers form trees', () => {
    expect(created(13, { name: 'child', parent_provider_uuid: UUID })).toMatch(
      /^Additional properties are not allowed \('parent_provider_uuid' was unexpected\)/,
    )
    expect(created(14, { name: 'child', parent_provider_uuid: UUID })).toBeNull()
    expect(created(14, { name: 'child', parent_provider_uuid: null })).toBeNull()
  })

  test('gets the reason why its parent is no uuid, and the version that allows null', () => {
    expect(created(14, { name: 'child', parent_provider_uuid: 'x' })).toBe(
      "'x' is not a 'uuid'\n\nFailed validating 'format' in schema[0]:\n    {'format': 'uuid', 'type': 'string'}\n\n" +
        "On instance:\n    'x'",
    )
    expect(created(14, { name: 'child', parent_provider_uuid: 7 })).toMatch(
      /^7 is not valid under any of the given schemas\n\nFailed validating 'anyOf' in schema\['properties'\]\['parent_provider_uuid'\]:/,
    )
  })
})

describe('a changed provider', () => {
  test('keeps its uuid and its root', () => {
    expect(updated(39, { name: 'a', uuid: UUID })).toMatch(/'uuid' was unexpected/)
    expect(updated(39, { name: 'a', root_provider_uuid: UUID })).toMatch(
      /'root_provider_uuid' was unexpected/,
    )
    expect(updated(39, { root_provider_uuid: UUID })).toMatch(/^'name' is a required property/)
  })

  test('needs a name, which is reported before unknown members', () => {
    expect(updated(39, { badfield: 'new name' })).toMatch(/^'name' is a required property/)
    expect(updated(39, { name: 'n'.repeat(201) })).toMatch(/Failed validating 'maxLength'/)
    expect(updated(39, { name: 'a' })).toBeNull()
  })

  test('has a parent only where providers form trees', () => {
    expect(updated(13, { name: 'child', parent_provider_uuid: UUID })).toMatch(
      /'parent_provider_uuid' was unexpected/,
    )
    expect(updated(14, { name: 'child', parent_provider_uuid: UUID })).toBeNull()
  })
})

describe('a list of providers', () => {
  test.each([
    ['member_of', 3, 'in:a,b'],
    ['resources', 4, 'VCPU:1'],
    ['in_tree', 14, UUID],
    ['required', 18, 'CUSTOM_A'],
  ])('takes %s since 1.%i', (name, minor, value) => {
    expect(asked(minor, `${name}=${value}`)).not.toThrow()
    expect(asked(minor - 1, `${name}=${value}`)).toThrow(
      `Invalid query string parameters: Additional properties are not allowed ('${name}' was unexpected)`,
    )
  })

  test('takes name and uuid in every version', () => {
    expect(asked(0, `name=&uuid=${UUID}`)).not.toThrow()
  })

  test('takes no uuid that is none', () => {
    expect(asked(39, 'uuid=spameggs')).toThrow("Invalid query string parameters: 'spameggs' is not a 'uuid'")
    expect(asked(39, `in_tree=${UUID.replaceAll('-', '')}`)).not.toThrow()
  })

  test('takes nothing unknown', () => {
    expect(asked(39, 'spam=eggs')).toThrow("('spam' was unexpected)")
  })
})
