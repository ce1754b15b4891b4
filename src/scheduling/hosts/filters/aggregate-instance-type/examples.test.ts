import { describe, expect, test } from 'vitest'
import { reasonText } from '../../../framework/refusal-text.ts'
import { evaluateFilter } from '../../evaluate-filter.ts'
import { RULINGS } from './rulings.fixture.ts'
import { USE_CASES } from './use-cases.fixture.ts'

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
  // These rules have examples of one kind only. An open choice fits everywhere; the other three only refuse.
  expect(oneSided.map(({ title }) => title)).toEqual([
    '`*` with `~`',
    '`!` with `~` or `*`',
    '`*` with `~` in a forced aggregate',
    'A flavor with `*` and `~`',
    'A flavor without extra specs',
    'R1',
    'R18',
    'R20',
  ])
})

test('no two rules have one title, and none has two examples with one claim', () => {
  const all = [...USE_CASES, ...RULINGS]
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length)
  for (const { title, examples } of all)
    expect(new Set(examples.map(({ claim }) => claim)).size, title).toBe(examples.length)
})

test('the seven use cases and the rulings on this filter are all there', () => {
  const numbers = USE_CASES.flatMap(({ title }) => /^Use case (\d)/.exec(title)?.[1] ?? [])
  expect([...new Set(numbers)]).toEqual(['1', '2', '3', '4', '5', '6', '7'])
  expect(RULINGS.map(({ title }) => title)).toEqual([
    ...Array.from({ length: 24 }, (_, at) => `R${at + 1}`),
    'R26',
    'R27',
  ])
})
