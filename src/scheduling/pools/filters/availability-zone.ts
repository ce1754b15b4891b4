import { PASS, refuse } from '../../framework/refusal.ts'
import { otherZone } from '../../hosts/filters/availability-zone.ts'
import { definePoolFilter, definePoolReason, type ShareRequest } from '../pool-view.ts'

const SPEC = 'availability_zones'

/** The zones that the type allows; empty if it allows all. */
function listZones({ extraSpecs }: ShareRequest): string[] {
  const text = extraSpecs.get(SPEC) ?? extraSpecs.get(`capabilities:${SPEC}`) ?? ''
  return text
    .split(',')
    .map(zone => zone.trim())
    .filter(zone => zone !== '')
}

const otherPoolZone = definePoolReason({
  ...otherZone,
  memberText: ({ asked }) => `no back end that could take the share is in ${asked}.`,
})

export const poolZoneFilter = definePoolFilter({
  name: 'AvailabilityZoneFilter',
  summary: 'Passes only back ends of the requested zone, and of the zones that the share type allows.',
  reads: { extraSpecs: [SPEC], request: ['availability_zone'], host: ['availability_zone'] },
  reasons: [otherPoolZone],
  messageDetail: '007',
  check(request, { zone }) {
    const refuseOther = (asked: string) => refuse(otherPoolZone, { asked, zones: [zone], from: [] })
    if (request.zone !== null && request.zone !== zone) return refuseOther(request.zone)
    const zones = listZones(request)
    return zones.length === 0 || zones.includes(zone) ? PASS : refuseOther(zones.join(','))
  },
})
