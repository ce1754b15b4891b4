import type { Filter } from '../../framework/filter.ts'
import { PASS, refuse } from '../../framework/refusal.ts'
import { allFound } from '../aggregate-metadata.ts'

const KEY = 'availability_zone'

export const availabilityZoneFilter: Filter = {
  name: 'AvailabilityZoneFilter',
  summary: 'Keeps to hosts of the zone asked for. A host whose aggregates name none is in the default zone.',
  reads: { request: ['zone'], metadata: [KEY], settings: ['defaultAvailabilityZone'] },
  byAggregates: true,
  check({ zone }, { aggregates }, { defaultAvailabilityZone }) {
    if (zone === null || zone === '') return PASS
    const from = allFound(aggregates, KEY)
    const zones = from.length === 0 ? [defaultAvailabilityZone] : from.flatMap(({ values }) => values)
    return zones.includes(zone) ? PASS : refuse('zone.other', { asked: zone, zones, from })
  },
}
