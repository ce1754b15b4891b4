import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesPattern, PATTERN_STATES_MAX, Pattern } from './pattern.ts'

test.each([
  ['^[a-z]+$', 'gold', true],
  ['^[a-z]+$', 'Gold', false],
  ['^\\d+(-\\d+)?(,\\d+(-\\d+)?)*$', '0-3,5', true],
  ['^\\d+(-\\d+)?(,\\d+(-\\d+)?)*$', '0-3,', false],
  ['old', 'golden', true],
  ['', '', true],
  ['^a{2,3}$', 'aa', true],
  ['^a{2,3}$', 'aaaa', false],
  ['^a{,2}$', 'aaa', false],
  ['^a{2,}?$', 'aaa', true],
  ['^a{x}$', 'a{x}', true],
  ['^(?P<name>a)(?:b|c)$', 'ac', true],
  ['^[]x]+$', ']x', true],
  ['^[^-a]-[a-]$', 'b--', true],
  ['^\\w\\W\\s\\S$', 'ü- x', true],
  ['^.$', '\n', false],
  ['^.$', '\u{1f600}', true],
  ['^a$', 'a\n', true],
  ['^a\\Z', 'a\n', false],
  ['\\bb\\b', 'a b', true],
  ['\\Bb', 'ab', true],
  ['^<(?!=)', '<=', false],
  ['^<(?!=)', '<5', true],
  ['(?<! )$', 'a ', false],
  ['^\\x41\\u0042\\.$', 'AB.', true],
])('%s and %j: %s', (pattern, text, fits) => {
  expect(matchesPattern(pattern, text)).toBe(fits)
})

test.each([
  ['(', 'unbalanced'],
  ['a)', 'unbalanced'],
  ['[a', 'an open set'],
  ['a**', 'repeated twice'],
  ['*a', 'nothing to repeat'],
  ['(a)\\1', 'a back reference'],
  ['(?=ab)', 'an assertion about two characters'],
  ['(?i)a', 'a flag'],
  ['\\p{L}', 'no escape of Python'],
  ['a'.repeat(1_025), 'too long'],
  ['('.repeat(101) + ')'.repeat(101), 'nested too deep'],
  ['((a{100}){100}){100}', 'too many states'],
  ['(((){1000}){1000}){1000}', 'empty turns without end'],
  ['a{3,2}', 'a range the wrong way round'],
])('%s says nothing: %s', pattern => expect(matchesPattern(pattern, 'a')).toBeNull())

// Each of these would keep a backtracking engine busy practically forever.
test.each([
  '^(a+)+$',
  '^(a|a)*$',
  '^a*a*a*a*a*a*a*$',
  `^${'a?'.repeat(60)}${'a'.repeat(60)}!!$`,
  `^${'(a|a)'.repeat(60)}!!$`,
])('%s is decided', pattern => {
  expect(matchesPattern(pattern, `${'a'.repeat(1_000)}!`)).toBe(false)
})

test('a pattern has a bounded number of states', () => {
  expect(Pattern.parse('(a|b|[cd]){1,100}')?.states).toBeLessThanOrEqual(PATTERN_STATES_MAX)
  expect(Pattern.parse('(a|b|[cd]){1,300}')).toBeNull()
})

test('what JavaScript reads alike is matched alike', () => {
  const leaf = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\b', '^', '\\.', '1')
  const { pattern } = fc.letrec<{ pattern: string }>(tie => ({
    pattern: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.tuple(tie('pattern'), tie('pattern')).map(pair => pair.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map(pair => `(${pair.join('|')})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '*?'))
        .map(([inner, times]) => `(?:${inner})${times}`),
    ),
  }))
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', ' '), maxLength: 6 })
  fc.assert(
    fc.property(pattern, text, (source, subject) => {
      expect(matchesPattern(source, subject)).toBe(new RegExp(source, 'u').test(subject))
    }),
    { numRuns: 500 },
  )
})
