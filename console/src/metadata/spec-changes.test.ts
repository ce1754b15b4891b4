import { describe, expect, test } from 'vitest'
import { valueOfNew } from './adding.ts'
import { firstValue, keyGroups, searched } from './known-keys.ts'
import { isCompared, sentinelsIn } from './sentinels.ts'
import { specChanges } from './spec-changes.ts'

describe('changes of specs', () => {
  test('what is the same is not written, what is gone is removed', () => {
    expect(specChanges({ a: '1', b: '2', c: '3' }, { a: '1', b: '9', d: '4' })).toEqual({
      set: { b: '9', d: '4' },
      removed: ['c'],
    })
  })
})

describe('keys of the catalog', () => {
  const definitions = [
    {
      namespace: 'N',
      display_name: 'Disks',
      resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'hw:' }],
      properties: { tier: { title: 'Tier', type: 'string', enum: ['gold', 'lead'] } },
      objects: [{ name: 'o', properties: { size: { type: 'integer', minimum: 4 } } }],
    },
    { namespace: 'M', resource_type_associations: [{ name: 'OS::Glance::Image' }], properties: { x: {} } },
  ]

  test('have the prefix of their namespace, also within objects, and are for one type', () => {
    const groups = keyGroups(definitions, 'OS::Nova::Flavor')
    expect(groups.map(({ title }) => title)).toEqual(['Disks'])
    expect(groups[0]?.keys.map(({ key }) => key)).toEqual(['hw:tier', 'hw:size'])
  })

  test('are found by all words in key, title and namespace', () => {
    const groups = keyGroups(definitions, 'OS::Nova::Flavor')
    expect(searched(groups, 'disk TIER')[0]?.keys).toHaveLength(1)
    expect(searched(groups, 'disk pony')).toEqual([])
  })

  test('start with a value that is allowed', () => {
    expect(firstValue({ type: 'string', enum: ['gold'] })).toBe('gold')
    expect(firstValue({ type: 'integer', minimum: 4 })).toBe('4')
    expect(firstValue({ type: 'boolean' })).toBe('true')
    expect(firstValue({ type: 'array', items: { enum: ['a'] } })).toBe('a')
    expect(firstValue({})).toBe('')
  })

  test('start with several values in a form that their reader knows, not with commas', () => {
    const given = { type: 'array', default: ['aes', 'vmx'] }
    expect(firstValue({ ...given, operators: ['<or>', '<all-in>'] })).toBe('<all-in> aes vmx')
    expect(firstValue({ ...given, operators: ['<or>'] })).toBe('<or> aes <or> vmx')
    expect(firstValue({ ...given, operators: ['<in>'] })).toBe('<in> aes')
    expect(firstValue(given)).toBe('aes,vmx')
    expect(firstValue({ ...given, default: ['aes'], operators: ['<or>'] })).toBe('aes')
  })

  test('a key that is typed is not blanked: it is there, comes back, or starts as the catalog says', () => {
    const groups = keyGroups(definitions, 'OS::Nova::Flavor')
    const known = new Map(groups.flatMap(({ keys }) => keys).map(key => [key.key, key]))
    const world = { specs: { 'hw:tier': 'lead' }, base: { 'hw:size': '8' }, known }
    expect(valueOfNew('hw:tier', world)).toBeNull()
    expect(valueOfNew('hw:size', world)).toBe('8')
    expect(valueOfNew('hw:size', { ...world, base: {} })).toBe('4')
    expect(valueOfNew('other', world)).toBe('')
  })
})

describe('sentinels', () => {
  test('are words by themselves, on keys that are compared with aggregates', () => {
    expect(sentinelsIn('<or> gold <or> ~')).toEqual(['~'])
    expect(sentinelsIn(' * ')).toEqual(['*'])
    expect(sentinelsIn('a!b')).toEqual([])
    expect(isCompared('hw:cpu_policy')).toBe(false)
    expect(isCompared('aggregate_instance_extra_specs:tier')).toBe(true)
    expect(isCompared('tier')).toBe(true)
  })
})
