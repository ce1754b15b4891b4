import { expect, test } from 'vitest'
import { validate } from '../../http/formats/json-schema.ts'
import { featuresOf } from '../versions.ts'
import { aggregatesSchema } from './aggregates.schemas.ts'

const A = 'f918801a-5e54-4bee-9095-09a9d0c786b8'
const B = 'a893eb5c-e2a0-4251-ab26-f71d3b0cfc0b'
const set = (minor: number, body: unknown) => validate(aggregatesSchema(featuresOf(minor)), body)

test('aggregates are a list until they come with a generation', () => {
  const listed = [A, B]
  const withGeneration = { aggregates: listed, resource_provider_generation: 0 }
  expect(set(18, listed)).toBeNull()
  expect(set(18, withGeneration)).toMatch(/^{'aggregates': \['f918.* is not of type 'array'\n/)
  expect(set(19, withGeneration)).toBeNull()
  expect(set(19, listed)).toMatch(/^\['f918.* is not of type 'object'\n/)
})

test('aggregates without their generation are refused', () => {
  expect(set(39, { aggregates: [A, B] })).toMatch(/^'resource_provider_generation' is a required property\n/)
})

test('the same aggregate twice is refused', () => {
  expect(set(1, [A, A])).toMatch(/ has non-unique elements\n\nFailed validating 'uniqueItems' in schema:/)
  expect(set(39, { aggregates: [A, A], resource_provider_generation: 2 })).toMatch(
    / has non-unique elements\n\nFailed validating 'uniqueItems' in schema\['properties'\]\['aggregates'\]:/,
  )
})

test('an aggregate is a uuid', () => {
  expect(set(1, ['x'])).toMatch(/^'x' is not a 'uuid'\n\nFailed validating 'format' in schema\['items'\]:/)
})
