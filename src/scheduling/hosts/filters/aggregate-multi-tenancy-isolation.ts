import { defineFilter } from '../../framework/filter.ts'
import { defineReason, PASS, quote, refuse } from '../../framework/refusal.ts'
import { aggregatesText, findEntry, foundText, isNamed, type MetadataEntry } from '../aggregate-metadata.ts'

const PREFIX = 'filter_tenant_id'

const notListed = defineReason({
  code: 'project.not-listed',
  text({
    project,
    allowed,
  }: {
    readonly project: string | null
    readonly allowed: readonly MetadataEntry[]
  }) {
    const who = project === null ? 'a request without a project' : `the project ${quote(project)}`
    return `${who} is not among ${foundText(allowed)}.`
  },
  hostsText: 'are in an aggregate that does not list the project',
  remedy: ({ allowed }) => `add the project to ${aggregatesText(allowed)}`,
})

/** As in the newest Nova: every key with this prefix counts, not only the first. */
export const aggregateMultiTenancyIsolation = defineFilter({
  name: 'AggregateMultiTenancyIsolation',
  summary: 'Where an aggregate of the host lists projects, passes only these projects.',
  reads: { request: ['project'], metadata: [`${PREFIX}*`] },
  reasons: [notListed],
  example: {
    passes: { project: 'p2', aggregates: [{ filter_tenant_id: 'p1', filter_tenant_id2: 'p2' }] },
    refused: { project: 'p3', aggregates: [{ filter_tenant_id: 'p1' }] },
    text: 'the project "p3" is not among "p1" from aggregate #1.',
  },
  byAggregates: true,
  check({ project }, { aggregates }) {
    const allowed = aggregates.flatMap(aggregate => {
      const keys = aggregate.metadata.keys().filter(key => key.startsWith(PREFIX))
      return [...keys].map(key => findEntry(aggregate, key) as MetadataEntry)
    })
    return allowed.length === 0 || (project !== null && isNamed(allowed, project))
      ? PASS
      : refuse(notListed, { project, allowed })
  },
})
