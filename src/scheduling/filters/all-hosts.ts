import type { Filter } from '../filter.ts'
import { PASS } from '../refusal.ts'

export const allHostsFilter: Filter = {
  name: 'AllHostsFilter',
  summary: 'Lets every host through.',
  reads: {},
  byAggregates: true,
  check: () => PASS,
}
