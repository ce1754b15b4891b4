import { describe, expect, test } from 'vitest'
import { ApiError } from '../api.ts'
import { Query } from '../request/query.ts'
import { parseJsonBody, requireValidJson, validateQuery } from './json-body.ts'
import type { Schema } from './json-schema.ts'

const anything: Schema = {}
const named: Schema = {
  type: 'object',
  properties: { name: { type: 'string' } },
  additionalProperties: false,
}

const parse = (text: string, schema = anything) => parseJsonBody(Buffer.from(text), schema)

/** The 400 that the call must end in. */
function refusal(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    expect((error as ApiError).status).toBe(400)
    return (error as ApiError).message
  }
  throw new Error('nothing was refused')
}

describe('a body', () => {
  test('is what its JSON spells', () => {
    expect(parse('{"name": "é\u{1f600}"}', named)).toEqual({ name: 'é\u{1f600}' })
  })

  test.each(['', '{"bad", "not json"}', '{"foo": }', '[1,]', "{'a': 1}", '\ufeff{}', 'NaN'])(
    'that is no JSON is malformed: %j',
    text => {
      expect(refusal(() => parse(text))).toMatch(/^Malformed JSON: ./)
    },
  )

  test.each([
    ['a stray byte', [0x22, 0xff, 0x22]],
    ['a cut character', [0x22, 0xc3, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00]],
  ])('that is no UTF-8 is malformed: %s', (_, bytes) => {
    expect(refusal(() => parseJsonBody(Buffer.from(bytes), anything))).toMatch(/^Malformed JSON: /)
  })

  test('that breaks the schema gets the reason', () => {
    expect(refusal(() => parse('{"name": 1}', named))).toMatch(
      /^JSON does not validate: 1 is not of type 'string'\n\nFailed validating 'type' in schema\['properties'\]\['name'\]:/,
    )
  })

  test('that repeats a key means the last', () => {
    expect(parse('{"name": 1, "name": "b"}', named)).toEqual({ name: 'b' })
  })

  test('with a key __proto__ changes no prototype', () => {
    expect(refusal(() => parse('{"__proto__": {"name": 1}}', named))).toMatch(/'__proto__' was unexpected/)
    const value = parse('{"__proto__": {"name": 1}}') as object
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.keys(value)).toEqual(['__proto__'])
  })

  test('nested too deep is refused before it is parsed', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}"]]\\""${']'.repeat(depth)}`
    expect(refusal(() => parse(nested(1_000_000), named))).toBe(
      'Malformed JSON: it is nested more than 100 deep',
    )
    expect(refusal(() => parse(nested(101), named))).toMatch(/more than 100 deep/)
    expect(refusal(() => parse(nested(100), named))).toMatch(/is not of type 'object'/)
  })

  test('with an object of too many members is refused before it is parsed; a list may be longer', () => {
    const wide = (members: number) => `[[${'0,'.repeat(20_000)}0],{${'"a,":0,'.repeat(members - 1)}"a":0}]`
    expect(refusal(() => parse(wide(10_001), named))).toBe(
      'Malformed JSON: an object has more than 10000 members',
    )
    expect(refusal(() => parse(wide(10_000), named))).toMatch(/is not of type 'object'/)
  })
})

test('what came another way is refused like a body', () => {
  expect(refusal(() => requireValidJson({ name: null }, named))).toMatch(
    /^JSON does not validate: None is not of type 'string'/,
  )
  expect(() => requireValidJson({ name: 'a' }, named)).not.toThrow()
})

describe('a query', () => {
  const check = (text: string, schema = named) => validateQuery(Query.parse(text)!, schema)

  test('is valid, or the error says why not', () => {
    expect(() => check('name=a')).not.toThrow()
    expect(refusal(() => check('name=a&spam=eggs'))).toMatch(
      /^Invalid query string parameters: Additional properties are not allowed \('spam' was unexpected\)/,
    )
  })

  test('of a repeated key only the last value is looked at', () => {
    const short: Schema = { properties: { name: { maxLength: 1 } } }
    expect(() => check('name=long&name=s', short)).not.toThrow()
    expect(refusal(() => check('name=s&name=long', short))).toMatch(/'long' is too long/)
  })

  test('__proto__ is a parameter like any other', () => {
    expect(refusal(() => check('__proto__=1'))).toMatch(/'__proto__' was unexpected/)
  })

  test('takes every form of a uuid that a body takes', () => {
    const schema: Schema = { properties: { uuid: { type: 'string', format: 'uuid' } } }
    const bare = 'e5cb8b123bd44a4ba4a33a38c3f2f5f1'
    expect(() => parse(`{"uuid": "${bare}"}`, schema)).not.toThrow()
    expect(() => check(`uuid=${bare}`, schema)).not.toThrow()
    expect(refusal(() => check('uuid=x', schema))).toMatch(/Failed validating 'format'/)
  })
})
