import { expect, test } from 'vitest'
import { patientMatcher as matches } from './patient-matcher.ts'

test.each([
  ['^[a-z]+$', 'gold', true],
  ['^[a-z]+$', 'Gold', false],
  ['^\\d+(-\\d+)?(,\\d+(-\\d+)?)*$', '0-3,5', true],
  ['^\\d+(-\\d+)?(,\\d+(-\\d+)?)*$', '0-3,', false],
  ['old', 'golden', true],
])('%s and %s', (pattern, text, fits) => {
  expect(matches(pattern, text)).toBe(fits)
})

test('what is an expression for Python only says nothing', () => {
  expect(matches('(?P<name>a)', 'b')).toBeNull()
})

test.each(['^(a+)+$', '^(a|a)*$', '^a*a*a*a*a*a*a*$'])('%s is given up, once and for all', pattern => {
  const nearly = `${'a'.repeat(1_000)}!`
  expect(matches(pattern, nearly)).toBeNull()
  const began = performance.now()
  for (let time = 0; time < 100; time++) expect(matches(pattern, nearly)).toBeNull()
  expect(performance.now() - began).toBeLessThan(250)
})
