import { describe, expect, test } from 'vitest'
import { type Schema, validate } from '../http/formats/json-schema.ts'
import { byFeatures, CONSUMER_TYPE_ASKED, GROUP_NAME, NAME, NAME_CUSTOM, UUID_KEY } from './patterns.ts'
import { type Features, featuresOf } from './versions.ts'

describe('a schema by features', () => {
  const made: Features[] = []
  const schemaOf = byFeatures((features): Schema => {
    made.push(features)
    return { type: features.traits ? 'object' : 'array' }
  })

  test('is made once, and is the same object ever after', () => {
    const first = schemaOf(featuresOf(6))
    expect(schemaOf(featuresOf(6))).toBe(first)
    expect(made).toEqual([featuresOf(6)])
  })

  test('follows the features', () => {
    expect(schemaOf(featuresOf(5))).toEqual({ type: 'array' })
    expect(schemaOf(featuresOf(6))).toEqual({ type: 'object' })
  })
})

describe('a pattern', () => {
  const takes = (pattern: string, text: string) => validate({ pattern }, text) === null
  const cases: readonly (readonly [pattern: string, taken: readonly string[], refused: readonly string[]])[] =
    [
      [NAME, ['VCPU', 'CUSTOM_1', '_', '7'], ['', 'vcpu', 'V CPU', 'VCPÜ', 'A-B']],
      [NAME_CUSTOM, ['CUSTOM_A', 'CUSTOM_9_'], ['CUSTOM_', 'CUSTOM', 'VCPU', 'XCUSTOM_A', 'CUSTOM_a']],
      [
        UUID_KEY,
        ['e5cb8b12-3bd4-4a4b-A4A3-3a38c3f2f5f1', '-'.repeat(36)],
        ['e5cb8b123bd44a4ba4a33a38c3f2f5f1'],
      ],
      [CONSUMER_TYPE_ASKED, ['INSTANCE', 'all', 'unknown'], ['instance', 'unknowns', 'UNKNOWN!']],
      [`^x(${GROUP_NAME})?$`, ['x', 'x1', 'x_a-B', `x${'a'.repeat(64)}`], [`x${'a'.repeat(65)}`, 'x.', 'xé']],
    ]

  test.each(cases)('%s takes what it should', (pattern, taken) => {
    expect(taken.filter(text => !takes(pattern, text))).toEqual([])
  })

  test.each(cases)('%s refuses what it should', (pattern, _, refused) => {
    expect(refused.filter(text => takes(pattern, text))).toEqual([])
  })
})
