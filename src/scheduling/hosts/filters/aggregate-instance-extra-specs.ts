import type { Filter } from '../../framework/filter.ts'
import { type Reason, reason, verdictOf } from '../../framework/refusal.ts'
import { allFound } from '../aggregate-metadata.ts'
import type { AggregateView } from '../host-view.ts'
import { comparedWith, type FlavorWant, flavorWants } from './aggregate-instance-type/flavor-wants.ts'

/** The older of the two: no sentinels, nothing asked of flavors, namespaced keys passed over. */
export const aggregateInstanceExtraSpecsFilter: Filter = {
  name: 'AggregateInstanceExtraSpecsFilter',
  summary:
    'Compares extra specs, bare or in the scope `aggregate_instance_extra_specs`, with the metadata of the ' +
    'aggregates of the host. Each must find a value that fits.',
  reads: { extraSpecs: ['*', 'aggregate_instance_extra_specs:*'], metadata: ['*'] },
  byAggregates: true,
  check: ({ flavor }, { aggregates }) =>
    verdictOf(
      flavorWants(flavor).flatMap(want => (want.isScoped ? [] : judged(want, aggregates))),
      [],
    ),
}

function judged(want: FlavorWant, aggregates: readonly AggregateView[]): Reason[] {
  const { key, name, requirement, plain } = want
  const found = allFound(aggregates, name)
  const { fits, incomparable } = comparedWith(
    plain,
    found.flatMap(({ values }) => values),
  )
  if (fits) return []
  return [
    reason(found.length === 0 ? 'extra-spec.missing' : 'extra-spec.mismatch', {
      direction: 'flavor-to-host',
      key,
      name,
      requirement,
      meaning: 'value',
      found: found.map(one => ({ ...one, forced: false, meaning: 'value' })),
      incomparable,
    }),
  ]
}
