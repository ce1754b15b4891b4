import { describe, expect, test } from 'vitest'
import { validateQuery } from '../../http/formats/json-body.ts'
import { Query } from '../../http/request/query.ts'
import { featuresOf } from '../versions.ts'
import { candidatesQuerySchema } from './candidates.schemas.ts'

const asked = (minor: number, query: string) => () =>
  validateQuery(Query.parse(query)!, candidatesQuerySchema(featuresOf(minor)))

describe('before groups', () => {
  test('resources are required', () => {
    expect(asked(10, '')).toThrow("Invalid query string parameters: 'resources' is a required property")
    expect(asked(10, 'resources=VCPU:1')).not.toThrow()
    expect(asked(24, 'limit=1')).toThrow("'resources' is a required property")
  })

  test.each([
    ['limit', 16, '1'],
    ['required', 17, 'CUSTOM_A'],
    ['member_of', 21, 'in:a,b'],
  ])('%s comes with 1.%i', (name, minor, value) => {
    expect(asked(minor, `resources=VCPU:1&${name}=${value}`)).not.toThrow()
    expect(asked(minor - 1, `resources=VCPU:1&${name}=${value}`)).toThrow(
      `Invalid query string parameters: Additional properties are not allowed ('${name}' was unexpected)`,
    )
  })

  test.each(['resources1', 'required2', 'group_policy'])('%s is unexpected', name => {
    expect(asked(24, `resources=MEMORY_MB:1024&${name}=x`)).toThrow(`'${name}' was unexpected`)
  })
})

test.each(['cow', '-99', '0', '05', '1.5', ''])('a limit of %j is no limit', limit => {
  expect(asked(16, `resources=VCPU:1&limit=${limit}`)).toThrow(
    `Invalid query string parameters: '${limit}' does not match '^[1-9][0-9]*$'\n\nFailed validating 'pattern'`,
  )
  expect(asked(39, `resources=VCPU:1&limit=${limit}`)).toThrow("Failed validating 'pattern'")
})

describe('with groups', () => {
  test('nothing is required here: what a group needs is for its parser to say', () => {
    expect(asked(25, '')).not.toThrow()
  })

  test('groups have numbers', () => {
    expect(asked(25, 'resources=VCPU:1&resources1=VCPU:1&required20=A&member_of3=b')).not.toThrow()
    expect(asked(25, 'resources01=VCPU:1')).toThrow(
      "'resources01' does not match any of the regexes: '^member_of([1-9][0-9]*)?$', " +
        "'^required([1-9][0-9]*)?$', '^resources([1-9][0-9]*)?$'",
    )
    expect(asked(32, 'resources_A=VCPU:1')).toThrow("'resources_A' does not match any of the regexes")
  })

  test('groups have names of up to 64 characters since 1.33', () => {
    const name = 'resources_0123456701234567012345670123456701234567012345670123456701234567'
    expect(asked(33, 'resources01=VCPU:1&required_NET=A&member_of-x=b&in_tree_Z9=c')).not.toThrow()
    expect(asked(33, `${name}=VCPU:1`)).toThrow(
      `'${name}' does not match any of the regexes: '^in_tree([a-zA-Z0-9_-]{1,64})?$', '^member_of([a-zA-Z0-9_-]{1,64})?$'`,
    )
    expect(asked(33, `${name.slice(0, -1)}=VCPU:1`)).not.toThrow()
  })

  test('two strangers do not match', () => {
    expect(asked(39, 'spam=1&eggs=2')).toThrow("'eggs', 'spam' do not match any of the regexes")
  })

  test('group_policy is one of two', () => {
    expect(asked(25, 'resources=VCPU:1&group_policy=none')).not.toThrow()
    expect(asked(25, 'resources=VCPU:1&group_policy=isolate')).not.toThrow()
    expect(asked(25, 'resources=VCPU:1&group_policy=bogus')).toThrow(
      "'bogus' is not one of ['none', 'isolate']",
    )
  })

  test.each([
    ['in_tree', 31],
    ['in_tree1', 31],
    ['root_required', 35],
    ['same_subtree', 36],
  ])('%s comes with 1.%i', (name, minor) => {
    expect(asked(minor, `resources=VCPU:1&${name}=x`)).not.toThrow()
    expect(asked(minor - 1, `resources=VCPU:1&${name}=x`)).toThrow(
      `'${name}' does not match any of the regexes`,
    )
  })

  test('root_required and same_subtree belong to the whole request, so take no suffix', () => {
    expect(asked(39, 'root_required1=A')).toThrow("'root_required1' does not match any of the regexes")
    expect(asked(39, 'same_subtree_A=A')).toThrow("'same_subtree_A' does not match any of the regexes")
  })
})
