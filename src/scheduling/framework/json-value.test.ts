import { expect, test } from 'vitest'
import { areEqual, compareValues, isTrue, type JsonValue, parseJson, toText } from './json-value.ts'

test.each<[JsonValue, string]>([
  ['a b', 'a b'],
  [8, '8'],
  [1.5, '1.5'],
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
  [['aes', 'vme'], "['aes', 'vme']"],
  [{ cores: 8, on: true }, "{'cores': 8, 'on': True}"],
  [["it's"], `["it's"]`],
  [[`"it's"`], `['"it\\'s"']`],
  [['a\\b\n'], "['a\\\\b\\n']"],
])('%j prints as %s', (value, text) => {
  expect(toText(value)).toBe(text)
})

test('empty things are not true', () => {
  for (const value of [null, false, 0, '', [], {}]) expect(isTrue(value)).toBe(false)
  for (const value of [true, 1, 'a', [0], { a: 0 }]) expect(isTrue(value)).toBe(true)
})

test('equality looks inside, and takes yes and no for numbers', () => {
  expect(areEqual(1, true)).toBe(true)
  expect(areEqual('1', 1)).toBe(false)
  expect(areEqual([1, { a: 2 }], [true, { a: 2 }])).toBe(true)
  expect(areEqual({ a: 1 }, { b: 1 })).toBe(false)
  expect(areEqual({ a: 1 }, { a: 1, b: 2 })).toBe(false)
  expect(areEqual([1], [1, 2])).toBe(false)
})

test('only like things have an order', () => {
  expect(compareValues(1, 2)).toBeLessThan(0)
  expect(compareValues(true, 0)).toBeGreaterThan(0)
  expect(compareValues('\ufb00', '\u{10000}')).toBeLessThan(0)
  expect(compareValues([1, 2], [1, 3])).toBeLessThan(0)
  expect(compareValues([1, 2], [1])).toBeGreaterThan(0)
  expect(compareValues([1], [1])).toBe(0)
  expect(compareValues([1], ['a'])).toBeNull()
  for (const [a, b] of [
    ['1', 1],
    [{}, {}],
    [null, null],
    [[1], 1],
  ] as const)
    expect(compareValues(a, b)).toBeNull()
})

test('what is no JSON is nothing', () => {
  expect(parseJson('{"a": [1]}')).toEqual({ a: [1] })
  expect(parseJson('{a')).toBeUndefined()
})
