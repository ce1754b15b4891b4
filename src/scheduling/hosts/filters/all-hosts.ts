import { defineFilter } from '../../framework/filter.ts'
import { PASS } from '../../framework/refusal.ts'

export const allHostsFilter = defineFilter({
  name: 'AllHostsFilter',
  summary: 'Passes every host.',
  reads: {},
  reasons: [],
  byAggregates: true,
  check: () => PASS,
})
