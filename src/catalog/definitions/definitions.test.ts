import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { SmallCatalog } from '../../../test/small-catalog.ts'
import standardClasses from '../../placement/data/standard-classes.json' with { type: 'json' }
import standardTraits from '../../placement/data/standard-traits.json' with { type: 'json' }
import { parse } from '../../scheduling/operators/form.ts'
import { checkSpecs } from '../check/check-specs.ts'
import {
  type DefinedKey,
  type DefinedKeys,
  type DefinitionSource,
  indexDefinitions,
} from '../check/defined-keys.ts'
import { AGGREGATE, FLAVOR, findReader, IMAGE, RESOURCE_TYPES, SHARE_TYPE } from '../check/readers.ts'
import { definitionFiles } from './index.ts'

const catalog = new SmallCatalog()
let source: DefinitionSource
const byType = new Map<string, DefinedKeys>()
/** Every key of every type of resource. */
const all: { readonly type: string; readonly defined: DefinedKey }[] = []

beforeAll(() => {
  catalog.import(definitionFiles.map(one => JSON.stringify(one)))
  const { world } = catalog
  source = indexDefinitions(world.catalog, world.catalog.namespaces.all())
  for (const type of RESOURCE_TYPES) {
    const keys = source(type)
    byType.set(type, keys)
    for (const defined of keys.values()) for (const one of defined) all.push({ type, defined: one })
  }
})

const schemaOf = (type: string, key: string) => byType.get(type)?.get(key)?.[0]?.schema

const operatorsOf = ({ schema }: DefinedKey): string[] => (schema.operators ?? []) as string[]

test('the importer of users accepts every file with everything in it', () => {
  expect(
    catalog.import(definitionFiles.map(one => JSON.stringify(one))).every(one => one.outcome === 'unchanged'),
  ).toBe(true)
  const files = readdirSync(new URL('data', import.meta.url))
  // Four more are made from the lists of standard classes and traits.
  expect(definitionFiles).toHaveLength(files.length + 4)
})

describe('operators', () => {
  test('of every definition are accepted by what reads the key', () => {
    for (const { type, defined } of all) {
      const reader = findReader(type, defined.key)
      expect(reader, `${type} ${defined.key}`).not.toBeNull()
      expect(reader?.operators, `${type} ${defined.key}`).toEqual(
        expect.arrayContaining(operatorsOf(defined)),
      )
    }
  })

  test('are read as such: a value written with one is no plain text', () => {
    const withOperators = all.filter(({ defined }) => operatorsOf(defined).length > 0)
    expect(withOperators.length).toBeGreaterThan(80)
    for (const { type, defined } of withOperators)
      for (const operator of operatorsOf(defined)) {
        const dialect = findReader(type, defined.key)?.dialect
        expect(parse(`${operator} 1`, dialect!).form.kind, `${defined.key} ${operator}`).toBe('operator')
      }
  })

  test('cpu_info:features has <or> and <all-in>, cpu_info:model has <or> only', () => {
    expect(schemaOf(FLAVOR, 'capabilities:cpu_info:features')?.operators).toEqual(['<or>', '<all-in>'])
    expect(schemaOf(FLAVOR, 'capabilities:cpu_info:model')?.operators).toEqual(['<or>'])
  })

  test('are declared for no key that is read as plain text', () => {
    for (const { type, defined } of all)
      if (findReader(type, defined.key)?.dialect === null)
        expect(operatorsOf(defined), `${type} ${defined.key}`).toEqual([])
    expect(schemaOf(FLAVOR, 'hw:cpu_policy')?.operators).toBeUndefined()
    expect(schemaOf(SHARE_TYPE, 'driver_handles_share_servers')?.operators).toBeUndefined()
  })

  test('that compare numbers are for texts with a pattern, which dashboards do not cut, <is> is for yes and no, and both are for nothing else', () => {
    const numeric = ['=', '==', '!=', '>=', '<=']
    const withNumbers = all.filter(({ defined }) => operatorsOf(defined).some(one => numeric.includes(one)))
    expect(withNumbers.filter(({ type }) => type === FLAVOR)).toHaveLength(32)
    for (const { defined } of withNumbers) {
      const { type, pattern } = defined.schema as { type: string; pattern: string }
      expect([type, operatorsOf(defined)], defined.key).toEqual(['string', numeric])
      for (const value of ['1', ...numeric.map(operator => `${operator} 1`)])
        expect(new RegExp(pattern, 'u').test(value), `${defined.key} ${value}`).toBe(true)
      for (const value of ['NaN', 'lots', '', '>=', '>= NaN', '> 1', '1 2'])
        expect(new RegExp(pattern, 'u').test(value), `${defined.key} ${value}`).toBe(false)
    }
    for (const { defined } of all) {
      const operators = operatorsOf(defined)
      const { type } = defined.schema
      if (type === 'integer' || type === 'number') expect(operators, defined.key).toEqual([])
      expect(operators.includes('<is>'), defined.key).toBe(type === 'boolean' && operators.length > 0)
    }
  })
})

describe('keys', () => {
  test('are such that Nova and Manila store them, and are defined once for each type of resource', () => {
    for (const { defined } of all) expect(defined.key).toMatch(/^[A-Za-z0-9_:. -]{1,255}$/)
    for (const [type, keys] of byType)
      for (const [key, defined] of keys) expect(defined, `${type} ${key}`).toHaveLength(1)
  })

  test('of traits begin with trait:, as Nova reads them, and there is one for every standard trait', () => {
    for (const type of [FLAVOR, IMAGE, AGGREGATE]) {
      const traits = [...byType.get(type)!.keys()].filter(key => /^traits?:/.test(key))
      expect(traits).toEqual(standardTraits.map(name => `trait:${name}`))
    }
    expect(schemaOf(FLAVOR, 'trait:HW_CPU_X86_AVX2')?.enum).toEqual([
      'required',
      'forbidden',
      'preferred',
      'avoided',
    ])
    expect(schemaOf(IMAGE, 'trait:HW_CPU_X86_AVX2')?.enum).toEqual(['required', 'preferred', 'avoided'])
    expect(schemaOf(AGGREGATE, 'trait:HW_CPU_X86_AVX2')?.enum).toEqual(['required'])
  })

  test('of resources are those of the standard classes', () => {
    const resources = [...byType.get(FLAVOR)!.keys()].filter(key => key.startsWith('resources:'))
    expect(resources).toEqual(standardClasses.map(name => `resources:${name}`))
  })

  test('that each scope of Nova has are there', () => {
    const scopes = new Set([...byType.get(FLAVOR)!.keys()].map(key => key.split(':')[0]))
    expect([...scopes].sort()).toEqual(
      [
        ...['accel', 'capabilities', 'group_policy', 'hide_hypervisor_id', 'hw', 'hw_rng', 'hw_video', 'os'],
        ...['pci_passthrough', 'quota', 'resources', 'trait', 'vmware'],
      ].sort(),
    )
  })
})

describe('properties', () => {
  test('have a title, a description that is a sentence, and a type', () => {
    const types = ['string', 'integer', 'number', 'boolean', 'array']
    for (const { defined } of all) {
      const { title, description, type } = defined.schema as Record<string, unknown>
      expect(types, defined.key).toContain(type)
      expect(title, defined.key).toMatch(/\S/)
      expect(description, defined.key).toMatch(/^[A-Za-z<].*\.$/)
    }
  })

  test('have bounds that leave room, patterns that compile, and no member of an enum twice', () => {
    for (const { defined } of all) {
      const {
        minimum = -Infinity,
        maximum = Infinity,
        pattern,
        type,
      } = defined.schema as Record<string, never>
      expect(minimum <= maximum, defined.key).toBe(true)
      if (minimum !== -Infinity) expect(['integer', 'number'], defined.key).toContain(type)
      if (pattern !== undefined) expect(() => new RegExp(pattern, 'u'), defined.key).not.toThrow()
      const members = membersOf(defined)
      expect(new Set(members).size, defined.key).toBe(members.length)
    }
  })

  test('have patterns that match any text in linear time', () => {
    const monsters = ['a', '1,', '1-2,^', '<=1,', '< 1 , ', 'a:1, ', 'a_1', ' ', '0-'].map(
      part => `${part.repeat(400)}!`,
    )
    const began = performance.now()
    for (const { defined } of all) {
      const { pattern } = defined.schema as { pattern?: string }
      if (pattern !== undefined) for (const monster of monsters) new RegExp(pattern, 'u').test(monster)
    }
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  test.each([
    ['hw:pmem', ['4GB', '4GB,SMALL', 'A,B,'], ['', ',A', 'A,,B', 'A B']],
    ['hw:cpu_realtime_mask', ['^0-1', '2', '0-3,^1'], ['', '-1', '1,,2', 'a']],
    ['hw:mem_page_size', ['large', '2048', '1GB', '2MiB'], ['huge', '-1', '1 GB']],
    ['pci_passthrough:alias', ['a:1', 'a:1,b:2', 'a:1 , b:2'], ['a', 'a:', 'a:1;b:2', 'a:1,']],
  ])('%s has a pattern that knows its values', (key, right, wrong) => {
    const expression = new RegExp(schemaOf(FLAVOR, key)?.pattern as string, 'u')
    for (const value of right) expect(expression.test(value), value).toBe(true)
    for (const value of wrong) expect(expression.test(value), value).toBe(false)
  })

  test('allow every value that they list, plain or with any operator that they declare', () => {
    for (const { type, defined } of all) {
      const samples = [...membersOf(defined), ...(SAMPLES[defined.schema.type as string] ?? [])]
      const words = samples.filter(value => !value.includes(' '))
      const written = operatorsOf(defined).flatMap(operator => words.map(value => `${operator} ${value}`))
      // A list is looked into, so that it is never required as plain text.
      for (const value of defined.schema.type === 'array' ? written : [...samples, ...written]) {
        const [report] = checkSpecs(source, type, { [defined.key]: value }).keys
        expect(report?.findings, `${defined.key}=${value}`).toEqual([])
      }
    }
  })
})

const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  integer: ['1'],
  number: ['1.5'],
  boolean: ['True', 'no'],
}

function membersOf({ schema }: DefinedKey): string[] {
  const { items } = schema as { items?: { enum?: string[] } }
  return (schema.enum ?? items?.enum ?? []) as string[]
}
