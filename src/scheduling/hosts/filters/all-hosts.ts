import { defineFilter } from '../../framework/filter.ts'
import { PASS } from '../../framework/refusal.ts'

export const allHostsFilter = defineFilter({
  name: 'AllHostsFilter',
  summary: 'Lets every host through.',
  reads: {},
  reasons: [],
  byAggregates: true,
  check: () => PASS,
})
