import fc from 'fast-check'
import { expect, test } from 'vitest'
import { globMatcher } from './glob.ts'

test.each([
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['a*', 'abc', true],
  ['*c', 'abc', true],
  ['*b*', 'abc', true],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['?', '🐑', true],
  ['a.c', 'abc', false],
  ['[a]', 'a', false],
])('%j and %j: %j', (glob, text, fits) => {
  expect(globMatcher(glob)(text)).toBe(fits)
})

test('it agrees with a regular expression', () => {
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
  fc.assert(
    fc.property(glob, text, (pattern, subject) => {
      const regex = new RegExp(`^${pattern.replaceAll('?', '.').replaceAll('*', '.*')}$`)
      expect(globMatcher(pattern)(subject)).toBe(regex.test(subject))
    }),
    { numRuns: 2_000 },
  )
})

test('a pattern that would keep a regular expression busy for years is answered', () => {
  expect(globMatcher(`${'*a'.repeat(90)}*b`)('a'.repeat(200))).toBe(false)
})
