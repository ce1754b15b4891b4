import { describe, expect, test } from 'vitest'
import { evaluateFilter } from '../../evaluate-filter.ts'
import { reasonText } from '../../refusal-text.ts'
import { RULINGS } from './rulings.ts'
import { USE_CASES } from './use-cases.ts'

for (const { title, examples } of [...USE_CASES, ...RULINGS])
  describe(title, () => {
    for (const { claim, extraSpecs, aggregates, passes } of examples)
      test(`${claim}: ${passes ? 'the flavor goes there' : 'refused, with a reason'}`, () => {
        const [result] =
          evaluateFilter('AggregateInstanceTypeFilter', [{ extra_specs: extraSpecs, aggregates }]) ?? []
        expect(result?.passes).toBe(passes)
        expect(result?.reasons.length === 0).toBe(passes)
        for (const reason of result?.reasons ?? []) expect(reasonText(reason)).toMatch(/\.$/)
      })
  })

test('every rule is shown both ways, or says why a single example tells it all', () => {
  const oneSided = [...USE_CASES, ...RULINGS].filter(
    ({ examples }) => new Set(examples.map(({ passes }) => passes)).size === 1,
  )
  // A flavor that asks for nothing goes everywhere; force that adds a check, and an empty choice, only refuse.
  expect(oneSided.map(({ title }) => title)).toEqual(['R1', 'R18', 'R20'])
})
