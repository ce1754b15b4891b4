import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, isNestedAtMost, parseExactly } from './exact-json.ts'

test('numbers that JavaScript cannot hold keep their digits', () => {
  const text = '{"a":9007199254740993,"b":[1e400,-0,1.0,0.5,18446744073709551615],"c":"1.0"}'
  expect(JSON.stringify(parseExactly(text))).toBe(text)
})

test('everything else is as JSON.parse has it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = JSON.stringify(value)
      expect(JSON.parse(JSON.stringify(parseExactly(text)))).toEqual(JSON.parse(text))
    }),
  )
})

test('a key named like a part of objects is a key like any other', () => {
  const text = '{"__proto__":{"a":1.5},"constructor":2}'
  expect(JSON.stringify(parseExactly(text))).toBe(text)
  expect(canonicalJson(parseExactly(text))).toBe(text)
})

test('the canonical text does not depend on the order of keys, and on nothing else', () => {
  const canonical = (text: string) => canonicalJson(parseExactly(text))
  expect(canonical('{"b":[1,{"d":1,"c":2}],"a":1}')).toBe(canonical('{"a":1,"b":[1,{"c":2,"d":1}]}'))
  expect(canonical('[1,2]')).not.toBe(canonical('[2,1]'))
  expect(canonical('9007199254740993')).not.toBe(canonical('9007199254740992'))
})

test('depth counts what lies within each other', () => {
  expect(isNestedAtMost(1, 0)).toBe(true)
  expect(isNestedAtMost([], 0)).toBe(false)
  expect(isNestedAtMost({ a: [1] }, 2)).toBe(true)
  expect(isNestedAtMost({ a: [[]] }, 2)).toBe(false)
  expect(isNestedAtMost(JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)), 64)).toBe(false)
})
