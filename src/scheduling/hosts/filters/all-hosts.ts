import type { Filter } from '../../framework/filter.ts'
import { PASS } from '../../framework/refusal.ts'

export const allHostsFilter: Filter = {
  name: 'AllHostsFilter',
  summary: 'Lets every host through.',
  reads: {},
  byAggregates: true,
  check: () => PASS,
}
