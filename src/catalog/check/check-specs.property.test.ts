import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../../test/property-runs.ts'
import { SmallCatalog } from '../../../test/small-catalog.ts'
import { listOperators } from '../../scheduling/operators/dialects.ts'
import { definitionFiles } from '../definitions/index.ts'
import { checkSpecs } from './check-specs.ts'
import { indexDefinitions } from './defined-keys.ts'
import { RESOURCE_TYPES } from './readers.ts'

const numRuns = countRuns(300)

const small = new SmallCatalog()
small.import(definitionFiles.map(one => JSON.stringify(one)))
const source = indexDefinitions(small.world.catalog, small.world.catalog.namespaces.all())

const symbols = [...listOperators('nova'), ...listOperators('manila')].map(({ symbol }) => symbol)
const words = fc.oneof(
  fc.constantFrom(
    ...symbols,
    '<',
    '>',
    'undefined',
    '*',
    '~',
    '!',
    'a,b',
    'in:A,B',
    '1',
    '-4',
    'True',
    'aes',
    ',',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const values = fc.array(words, { maxLength: 4 }).map(parts => parts.join(' '))
const questions = fc.constantFrom(...RESOURCE_TYPES, 'OS::Trove::Instance').chain(type => {
  const keys = fc.oneof(fc.constantFrom(...source(type).keys(), 'force_metadata_check'), words)
  return fc.record({ type: fc.constant(type), specs: fc.dictionary(keys, values, { maxKeys: 4 }) })
})

test('every key of a resource gets a report, in order, and nothing throws', () => {
  fc.assert(
    fc.property(questions, ({ type, specs }) => {
      const { keys } = checkSpecs(source, type, specs)
      expect(keys.map(({ key, value }) => [key, value])).toEqual(Object.entries(specs))
      for (const { definitions, findings, near } of keys) {
        if (definitions.length === 0) expect(findings).not.toEqual([])
        else expect(near).toEqual([])
        for (const { text } of findings) expect(text).toMatch(/\S/)
      }
    }),
    { numRuns },
  )
})

test('what is suggested instead of a comma form is read by the same reader without a word about commas', () => {
  const lists = fc.array(fc.constantFrom('aes', 'vme', 'sse'), { minLength: 2, maxLength: 3 })
  const operators = fc.constantFrom('<or>', '<all-in>', '<in>', 'undefined')
  fc.assert(
    fc.property(operators, lists, (operator, list) => {
      const check = (value: string) =>
        checkSpecs(source, 'OS::Nova::Flavor', { 'capabilities:cpu_info:features': value }).keys[0]!.findings
      const [finding] = check(`${operator} ${list.join(',')}`)
      expect(finding?.code).toBe('operator-comma-form')
      expect(check(finding?.suggestion as string)).toEqual([])
    }),
    { numRuns },
  )
})

/** Defined keys with one letter missing, and values as dashboards write them. */
const mistakes = fc.constantFrom(...RESOURCE_TYPES).chain(type => {
  const known = fc.constantFrom(...source(type).keys())
  const misspelt = fc
    .tuple(known, fc.nat({ max: 30 }))
    .map(([key, at]) => key.slice(0, at) + key.slice(at + 1))
  const lists = fc.tuple(
    fc.constantFrom('<or>', '<in>', '<all-in>', 'undefined'),
    fc.constantFrom('a,b', 'a', 'a,!'),
  )
  const odd = fc.oneof(
    values,
    lists.map(parts => parts.join(' ')),
  )
  return fc.record({
    type: fc.constant(type),
    specs: fc.dictionary(fc.oneof(known, misspelt), odd, { maxKeys: 4 }),
  })
})

test('no suggestion is one that the reader of its key cannot read', () => {
  let suggested = 0
  fc.assert(
    fc.property(mistakes, ({ type, specs }) => {
      for (const { key, value, findings } of checkSpecs(source, type, specs).keys)
        for (const { code, suggestion } of findings) {
          if (suggestion === null || code === 'key-group-empty') continue
          suggested++
          const isKey = code === 'key-undefined'
          const { [key]: _, ...others } = specs
          const followed = isKey ? { ...others, [suggestion]: value } : { ...specs, [key]: suggestion }
          const after = checkSpecs(source, type, followed).keys.find(
            one => one.key === (isKey ? suggestion : key),
          )
          const codes = after?.findings.map(one => one.code) ?? []
          expect(codes).not.toContain('operator-unread')
          expect(codes).not.toContain('operator-comma-form')
          if (isKey) expect(codes).not.toContain('key-undefined')
        }
    }),
    { numRuns },
  )
  expect(suggested).toBeGreaterThan(numRuns / 10)
})
