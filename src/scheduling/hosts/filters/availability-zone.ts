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

/** Also a reason for pools. */
export const otherZone = defineReason({
  code: 'zone.other',
  text: ({ asked, zones }: ZoneFacts) =>
    `the request asks for zone ${quote(asked)}, but the host is in ${listNames(zones)}.`,
  hostsText: 'are in another zone',
  remedy: ({ zones }, host) => `ask for a zone that ${host} is in: ${zones.join(', ')}`,
})

export const availabilityZoneFilter = defineFilter({
  name: 'AvailabilityZoneFilter',
  summary:
    'Passes only hosts of the requested zone. A host whose aggregates have no zone is in the default zone.',
  reads: { request: ['zone'], metadata: [KEY], settings: ['defaultAvailabilityZone'] },
  reasons: [otherZone],
  example: {
    passes: { zone: 'west', aggregates: [{ availability_zone: 'west' }] },
    refused: { zone: 'west', aggregates: [{ ssd: 'true' }] },
    text: 'the request asks for zone "west", but the host is in nova.',
  },
  byAggregates: true,
  check({ zone }, { aggregates }, { defaultAvailabilityZone }) {
    if (zone === null || zone === '') return PASS
    const from = findEntries(aggregates, KEY)
    const zones = from.length === 0 ? [defaultAvailabilityZone] : from.flatMap(({ values }) => values)
    return zones.includes(zone) ? PASS : refuse(otherZone, { asked: zone, zones, from })
  },
})
