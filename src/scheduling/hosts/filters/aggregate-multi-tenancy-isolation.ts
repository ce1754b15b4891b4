import type { Filter } from '../../framework/filter.ts'
import { type MetadataEntry, PASS, refuse } from '../../framework/refusal.ts'
import { foundIn, isNamed } from '../aggregate-metadata.ts'

const PREFIX = 'filter_tenant_id'

/** As the newest Nova has it: every key that begins so counts, not only the first. */
export const aggregateMultiTenancyIsolation: Filter = {
  name: 'AggregateMultiTenancyIsolation',
  summary: 'Where an aggregate of the host lists projects, keeps to these projects.',
  reads: { request: ['project'], metadata: [`${PREFIX}*`] },
  byAggregates: true,
  check({ project }, { aggregates }) {
    const allowed = aggregates.flatMap(aggregate => {
      const keys = aggregate.metadata.keys().filter(key => key.startsWith(PREFIX))
      return [...keys].map(key => foundIn(aggregate, key) as MetadataEntry)
    })
    return allowed.length === 0 || (project !== null && isNamed(allowed, project))
      ? PASS
      : refuse('project.not-listed', { project, allowed })
  },
}
