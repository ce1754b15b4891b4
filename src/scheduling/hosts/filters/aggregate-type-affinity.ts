import type { Filter } from '../../framework/filter.ts'
import { PASS, refuse } from '../../framework/refusal.ts'
import { allFound, isNamed } from '../aggregate-metadata.ts'

const KEY = 'instance_type'

export const aggregateTypeAffinityFilter: Filter = {
  name: 'AggregateTypeAffinityFilter',
  summary: 'Where an aggregate of the host lists flavors by name, keeps to these flavors.',
  reads: { request: ['flavor name'], metadata: [KEY] },
  byAggregates: true,
  check({ flavor }, { aggregates }) {
    const allowed = allFound(aggregates, KEY)
    return allowed.length === 0 || isNamed(allowed, flavor.name)
      ? PASS
      : refuse('flavor.not-listed', { flavor: flavor.name, allowed })
  },
}
