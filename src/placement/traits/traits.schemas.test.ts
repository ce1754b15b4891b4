import { describe, expect, test } from 'vitest'
import { validateQuery } from '../../http/formats/json-body.ts'
import { validate } from '../../http/formats/json-schema.ts'
import { Query } from '../../http/request/query.ts'
import { customTraitSchema, providerTraitsSchema, traitsQuerySchema } from './traits.schemas.ts'

test('a custom trait has its prefix, few kinds of characters, and at most 255 of them', () => {
  expect(validate(customTraitSchema, `CUSTOM_${'A'.repeat(248)}`)).toBeNull()
  expect(validate(customTraitSchema, `CUSTOM_${'A'.repeat(249)}`)).toMatch(/Failed validating 'maxLength'/)
  expect(validate(customTraitSchema, '')).toMatch(/Failed validating 'minLength'/)
  expect(validate(customTraitSchema, 'HW_CPU_X86_AVX2')).toMatch(/Failed validating 'pattern'/)
})

describe('the traits of a provider', () => {
  const set = (body: unknown) => validate(providerTraitsSchema, body)

  test('may be none, and need not be custom', () => {
    expect(set({ traits: [], resource_provider_generation: 0 })).toBeNull()
    expect(set({ traits: ['HW_CPU_X86_AVX2', 'lower'], resource_provider_generation: 0 })).toBeNull()
  })

  test('come with a generation', () => {
    expect(set({ traits: ['CUSTOM_TRAIT_1', 'CUSTOM_TRAIT_2'] })).toMatch(
      /^'resource_provider_generation' is a required property\n/,
    )
    expect(set({ traits: ['CUSTOM_TRAIT_1'], resource_provider_generation: 'invalid_generation' })).toMatch(
      /^'invalid_generation' is not of type 'integer'\n/,
    )
  })

  test('are a list of names', () => {
    expect(set({ resource_provider_generation: 1 })).toMatch(/^'traits' is a required property\n/)
    expect(set({ traits: 'invalid_type', resource_provider_generation: 1 })).toMatch(
      /^'invalid_type' is not of type 'array'\n/,
    )
    expect(set({ traits: [''], resource_provider_generation: 1 })).toMatch(
      /^'' is too short\n\nFailed validating 'minLength' in schema\['properties'\]\['traits'\]\['items'\]:/,
    )
  })
})

test('a list of traits is asked for by name or association and nothing else', () => {
  const asked = (query: string) => () => validateQuery(Query.parse(query)!, traitsQuerySchema)
  expect(asked('name=startswith:CUSTOM&associated=true')).not.toThrow()
  expect(asked('bad_param=in:A')).toThrow(
    "Invalid query string parameters: Additional properties are not allowed ('bad_param' was unexpected)",
  )
})
