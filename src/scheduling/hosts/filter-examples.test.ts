import { expect, test } from 'vitest'
import type { Reason } from '../framework/refusal.ts'
import { reasonText } from '../framework/refusal-text.ts'
import { POOL_FILTERS } from '../pools/registry.ts'
import { evaluateFilter } from './evaluate-filter.ts'
import { ALL_FILTERS } from './registry.ts'

const EXAMPLES = ALL_FILTERS.flatMap(({ name, example }) =>
  example === undefined ? [] : [{ name, ...example }],
)

test.each(EXAMPLES)('the example of $name is what it says', ({ name, passes, refused, text }) => {
  const results = evaluateFilter(name, [passes, refused]) ?? []
  expect(results.map(one => one.passes)).toEqual([true, false])
  expect(results[1]?.reasons.map(reasonText)).toEqual([text])
})

test('every filter that refuses anything has an example', () => {
  const without = ALL_FILTERS.filter(({ example }) => example === undefined)
  expect(without.filter(({ reasons }) => reasons.length > 0)).toEqual([])
  expect(without.map(({ name }) => name)).toEqual(['AllHostsFilter'])
})

test('a reason that two filters give is the same reason', () => {
  const texts = new Map<string, (facts: Reason['facts']) => string>()
  for (const { reasons } of [...ALL_FILTERS, ...POOL_FILTERS])
    for (const { code, text } of reasons) {
      expect(texts.get(code) ?? text, code).toBe(text)
      texts.set(code, text)
    }
  expect(texts.size).toBeGreaterThan(35)
})
