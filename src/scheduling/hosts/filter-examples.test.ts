import { expect, test } from 'vitest'
import { evaluateFilter } from './evaluate-filter.ts'
import { FILTER_EXAMPLES } from './filter-examples.ts'
import { ALL_FILTERS } from './registry.ts'

test.each(FILTER_EXAMPLES)('the examples of $filter are what they say', ({ filter, passes, refused }) => {
  expect(evaluateFilter(filter, [passes, refused])?.map(one => one.passes)).toEqual([true, false])
})

test('every filter has an example but the one that refuses nothing', () => {
  const shown = FILTER_EXAMPLES.map(({ filter }) => filter)
  expect(ALL_FILTERS.map(({ name }) => name).filter(name => name !== 'AllHostsFilter')).toEqual(shown)
})
