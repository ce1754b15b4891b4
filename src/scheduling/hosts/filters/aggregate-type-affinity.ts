import { defineFilter } from '../../framework/filter.ts'
import { defineReason, PASS, quote, refuse } from '../../framework/refusal.ts'
import { aggregatesText, findEntries, foundText, isNamed, type MetadataEntry } from '../aggregate-metadata.ts'

const KEY = 'instance_type'

const notListed = defineReason({
  code: 'flavor.not-listed',
  text: ({ flavor, allowed }: { readonly flavor: string; readonly allowed: readonly MetadataEntry[] }) =>
    `the flavor ${quote(flavor)} is not among ${foundText(allowed)}.`,
  hostsText: 'are in an aggregate that does not list the flavor',
  remedy: ({ allowed }) => `add the flavor to ${aggregatesText(allowed)}`,
})

export const aggregateTypeAffinityFilter = defineFilter({
  name: 'AggregateTypeAffinityFilter',
  summary: 'Where an aggregate of the host lists flavors by name, passes only these flavors.',
  reads: { request: ['flavor name'], metadata: [KEY] },
  reasons: [notListed],
  example: {
    passes: { flavor: 'm1', aggregates: [{ instance_type: 'm1,m2' }] },
    refused: { flavor: 'm3', aggregates: [{ instance_type: 'm1,m2' }] },
    text: 'the flavor "m3" is not among "m1,m2" from aggregate #1.',
  },
  byAggregates: true,
  check({ flavor }, { aggregates }) {
    const allowed = findEntries(aggregates, KEY)
    return allowed.length === 0 || isNamed(allowed, flavor.name)
      ? PASS
      : refuse(notListed, { flavor: flavor.name, allowed })
  },
})
