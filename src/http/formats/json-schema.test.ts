import { describe, expect, test } from 'vitest'
import { findFirstFault, type Schema, validate } from './json-schema.ts'

const DASHED = 'e5cb8b12-3bd4-4a4b-a4a3-3a38c3f2f5f1'
const DEPTH = 200_000
const deep = (): unknown => JSON.parse('['.repeat(DEPTH) + ']'.repeat(DEPTH))
const deepObject = (): unknown => JSON.parse(`${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`)

describe('a valid value is null', () => {
  const valid: readonly (readonly [claim: string, schema: Schema, json: string])[] = [
    ['1.0 is an integer', { type: 'integer' }, '1.0'],
    ['-0 is no less than 0', { type: 'integer', minimum: 0 }, '-0'],
    ['an integer is a number', { type: 'number' }, '3'],
    ['infinity is a number', { type: 'number' }, '1e400'],
    ['one of several types is enough', { type: ['integer', 'null'] }, 'null'],
    ['a pattern is searched for, not matched from the start', { pattern: 'b' }, '"abc"'],
    ['$ also stands before a newline at the end', { pattern: '^[A-Z]+$' }, '"VCPU\\n"'],
    ['length is counted in code points', { minLength: 2, maxLength: 2 }, '"\u{1f600}\u{1f600}"'],
    ['half a surrogate pair is one code point', { minLength: 2, maxLength: 2 }, '"\\ud83d\\ud83d"'],
    ['true differs from 1, and 0 from false', { uniqueItems: true }, '[true, 1, false, 0]'],
    ['"1" differs from 1, and "null" from null', { uniqueItems: true }, '["1", 1, "null", null]'],
    ['nesting tells values apart', { uniqueItems: true }, '[[1, [2]], [[1], 2], [[1, 2]], [1, 2], [], {}]'],
    ['what is no object has no properties to lack', { required: ['a'], additionalProperties: false }, '[]'],
    ['what is no text has no pattern to match', { pattern: 'a', minLength: 3 }, '1'],
    ['no properties at all may be enough', { type: 'object', minProperties: 0 }, '{}'],
    ['any branch will do', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'null'],
    ['a property the schema does not know', { properties: { a: { type: 'null' } } }, '{"b": 1}'],
  ]
  test.each(valid)('%s', (_, schema, json) => {
    expect(validate(schema, JSON.parse(json))).toBeNull()
  })
})

test('an error text has the form of Python, line by line', () => {
  const schema: Schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'integer' } } } }
  expect(validate(schema, { a: [1, 'x'] })).toBe(
    "'x' is not of type 'integer'\n\nFailed validating 'type' in schema['properties']['a']['items']:\n" +
      "    {'type': 'integer'}\n\nOn instance['a'][1]:\n    'x'",
  )
})

describe('uuids', () => {
  const schema: Schema = { type: 'string', format: 'uuid' }
  const bare = DASHED.replaceAll('-', '')
  const forms = [DASHED, DASHED.toUpperCase(), bare, `{${DASHED}}`, `urn:uuid:${DASHED}`]

  test.each(forms)('OpenStack takes %s', form => {
    expect(validate(schema, form)).toBeNull()
  })
})

describe('names that objects inherit are nothing special', () => {
  const closed: Schema = { type: 'object', properties: { a: {} }, additionalProperties: false }

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is unexpected', name => {
    const told = validate(closed, JSON.parse(`{"${name}": {"a": 1}}`))
    expect(told).toMatch(
      new RegExp(`^Additional properties are not allowed \\('${name}' was unexpected\\)\n`),
    )
    expect(told).toContain(`On instance:\n    {'${name}': {'a': 1}}`)
  })

  test('toString is missing until it is given', () => {
    const schema: Schema = { required: ['toString'] }
    expect(validate(schema, {})).toMatch(/^'toString' is a required property/)
    expect(validate(schema, JSON.parse('{"toString": 1}'))).toBeNull()
  })

  test('toString is not looked into until it is given', () => {
    expect(validate({ properties: { toString: { type: 'null' } } } as Schema, {})).toBeNull()
  })

  test('an object without prototype is an object', () => {
    expect(validate(closed, Object.assign(Object.create(null), { a: 1 }))).toBeNull()
    expect(validate(closed, Object.assign(Object.create(null), { b: 1 }))).toMatch(/'b' was unexpected/)
  })
})

describe('a value nested beyond all measure is answered, not crashed on', () => {
  test('by its type, with an elided text', () => {
    const told = validate({ type: 'integer' }, deep())
    expect(told).toMatch(/^\[+\.\.\.\]+ is not of type 'integer'\n/)
    expect(told?.length).toBeLessThan(1000)
  })

  test('by uniqueItems, which still tells equal from different', () => {
    expect(validate({ uniqueItems: true }, [deep(), deepObject()])).toBeNull()
    expect(validate({ uniqueItems: true }, [deepObject(), deepObject()])).toMatch(
      / has non-unique elements\n/,
    )
  })

  test('by enum', () => {
    expect(validate({ enum: ['a'] }, deepObject())).toMatch(/ is not one of \['a'\]\n/)
  })

  test('by a schema that does not look inside', () => {
    expect(validate({ type: 'object', properties: { b: { type: 'string' } } }, deepObject())).toBeNull()
  })
})

describe('a value of great length is answered in bounded time and text', () => {
  test('many unexpected names', () => {
    const value = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`name${at}`, at]))
    const told = validate({ properties: {}, additionalProperties: false }, value)
    expect(told).toMatch(/^Additional properties are not allowed \('name0', .*, \.\.\. were unexpected\)\n/)
    expect(told?.length).toBeLessThan(100_000)
  })

  test('many wrong items', () => {
    const told = validate({ items: { type: 'integer' } }, new Array(300_000).fill('x'))
    expect(told).toMatch(/^'x' is not of type 'integer'\n/)
    expect(told).toMatch(/On instance\[0\]:\n/)
  })

  test('many different items, the last of them twice', () => {
    const items: unknown[] = Array.from({ length: 100_000 }, (_, at) => ({ at }))
    expect(validate({ uniqueItems: true }, items)).toBeNull()
    expect(validate({ uniqueItems: true }, [...items, { at: 99_999 }])).toMatch(/has non-unique elements/)
  })

  test('one long text', () => {
    const told = validate({ maxLength: 5 }, 'x'.repeat(1_000_000))
    expect(told).toMatch(/^'x+'\.\.\. is too long\n/)
    expect(told?.length).toBeLessThan(100_000)
  })
})

test('a keyword we do not have is our own bug', () => {
  expect(() => validate({ oneOf: [] } as Schema, 1)).toThrow('no such keyword of a schema: oneOf')
})

test.each(['^\\d+$', '[$]'])('a pattern that would read differently here is our own bug: %s', pattern => {
  expect(() => validate({ pattern }, 'a')).toThrow('a pattern that cannot be translated')
})

test('the first fault is reported with its whole path, also below a choice', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      a: { items: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }] } },
    },
  }
  expect(findFirstFault(schema, { a: ['x', [1]] })).toBeNull()
  expect(findFirstFault(schema, { a: ['x', [1, 'y']] })).toEqual({
    path: 'a.1.1',
    message: "'y' is not of type 'integer'",
    steps: ['a', 1, 1],
    value: 'y',
  })
})

test('the most that an object or a list may have', () => {
  const schema: Schema = { maxProperties: 1, maxItems: 1 }
  expect(findFirstFault(schema, { a: 1 })).toBeNull()
  expect(findFirstFault(schema, { a: 1, b: 2 })?.message).toBe('has 2 members, and at most 1 are allowed')
  expect(findFirstFault(schema, [1])).toBeNull()
  expect(findFirstFault(schema, [1, 2])?.message).toBe('has 2 items, and at most 1 are allowed')
  expect(validate(schema, [1, 2])).toMatch(/^\[1, 2\] is too long\n/)
  expect(findFirstFault({ maxLength: 3 }, 'x'.repeat(100_000))?.message).toBe(
    'has 100000 characters, and at most 3 are allowed',
  )
})

test('of a long list of wrong items only the first are looked at closely', () => {
  const instances = { count: 0 }
  const items = Array.from({ length: 100_000 }, () => ({
    get a() {
      instances.count++
      return 'not a number'
    },
  }))
  const schema: Schema = { items: { properties: { a: { type: 'number' } } } }
  expect(findFirstFault(schema, items)?.path).toBe('0.a')
  expect(instances.count).toBeLessThan(20_000)
})
