import { defineFilter } from '../../framework/filter.ts'
import { reason, verdictOf } from '../../framework/refusal.ts'
import { findEntries } from '../aggregate-metadata.ts'
import type { AggregateView } from '../host-view.ts'
import { compareWith, type FlavorWant, flavorWants } from './aggregate-instance-type/flavor-wants.ts'
import { specMismatch, specMissing } from './aggregate-instance-type/reasons.ts'

/** The older of the two: no sentinels, no demands of aggregates, namespaced keys skipped. */
export const aggregateInstanceExtraSpecsFilter = defineFilter({
  name: 'AggregateInstanceExtraSpecsFilter',
  summary:
    'Compares extra specs, bare or in the scope `aggregate_instance_extra_specs`, with the metadata of the ' +
    'aggregates of the host. Each must find a value that fits.',
  reads: { extraSpecs: ['*', 'aggregate_instance_extra_specs:*'], metadata: ['*'] },
  reasons: [specMissing, specMismatch],
  example: {
    passes: {
      extra_specs: { 'aggregate_instance_extra_specs:ssd': '<or> nvme <or> sata' },
      aggregates: [{ ssd: 'sata' }],
    },
    refused: { extra_specs: { ssd: 'nvme' }, aggregates: [{ ssd: 'sata' }] },
    text: 'the flavor asks for ssd = "nvme", but the host has "sata" from aggregate #1.',
  },
  byAggregates: true,
  check: ({ flavor }, { aggregates }) =>
    verdictOf(flavorWants(flavor).flatMap(want => (want.isScoped ? [] : judgeWant(want, aggregates)))),
})

function judgeWant(want: FlavorWant, aggregates: readonly AggregateView[]) {
  const { key, name, requirement, plain } = want
  const found = findEntries(aggregates, name)
  const { fits, incomparable } = compareWith(
    plain,
    found.flatMap(({ values }) => values),
  )
  if (fits) return []
  return [
    reason(found.length === 0 ? specMissing : specMismatch, {
      direction: 'flavor-to-host',
      key,
      name,
      requirement,
      meaning: 'value',
      found: found.map(one => ({ ...one, forced: false, meaning: 'value' as const })),
      incomparable,
    }),
  ]
}
