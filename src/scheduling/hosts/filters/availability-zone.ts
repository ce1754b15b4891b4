import { defineFilter } from '../../framework/filter.ts'
import { defineReason, listNames, PASS, quote, refuse } from '../../framework/refusal.ts'
import { findEntries, type MetadataEntry } from '../aggregate-metadata.ts'

const KEY = 'availability_zone'

type ZoneFacts = {
  readonly asked: string
  readonly zones: readonly string[]
  /** Empty where the host is in the default zone. */
  readonly from: readonly MetadataEntry[]
}

/** Of pools too. */
export const otherZone = defineReason({
  code: 'zone.other',
  text: ({ asked, zones }: ZoneFacts) =>
    `zone ${quote(asked)} is asked for, but the host is in ${listNames(zones)}.`,
  hostsText: 'are in another zone',
  remedy: ({ zones }, host) => `ask for a zone that ${host} is in: ${zones.join(', ')}`,
})

export const availabilityZoneFilter = defineFilter({
  name: 'AvailabilityZoneFilter',
  summary: 'Keeps to hosts of the zone asked for. A host whose aggregates name none is in the default zone.',
  reads: { request: ['zone'], metadata: [KEY], settings: ['defaultAvailabilityZone'] },
  reasons: [otherZone],
  example: {
    passes: { zone: 'west', aggregates: [{ availability_zone: 'west' }] },
    refused: { zone: 'west', aggregates: [{ ssd: 'true' }] },
    text: 'zone "west" is asked for, but the host is in nova.',
  },
  byAggregates: true,
  check({ zone }, { aggregates }, { defaultAvailabilityZone }) {
    if (zone === null || zone === '') return PASS
    const from = findEntries(aggregates, KEY)
    const zones = from.length === 0 ? [defaultAvailabilityZone] : from.flatMap(({ values }) => values)
    return zones.includes(zone) ? PASS : refuse(otherZone, { asked: zone, zones, from })
  },
})
