import { PASS, refuse } from '../../framework/refusal.ts'
import type { PoolFilter, ShareRequest } from '../pool-view.ts'

const SPEC = 'availability_zones'

/** The zones that the type allows; empty where it allows all. */
function zonesOfType({ extraSpecs }: ShareRequest): string[] {
  const text = extraSpecs.get(SPEC) ?? extraSpecs.get(`capabilities:${SPEC}`) ?? ''
  return text
    .split(',')
    .map(zone => zone.trim())
    .filter(zone => zone !== '')
}

export const poolZoneFilter: PoolFilter = {
  name: 'AvailabilityZoneFilter',
  summary: 'Keeps to back ends of the zone that is asked for, and of the zones that the share type allows.',
  reads: { extraSpecs: [SPEC], request: ['availability_zone'], host: ['availability_zone'] },
  check(request, { zone }) {
    const other = (asked: string) => refuse('zone.other', { asked, zones: [zone], from: [] })
    if (request.zone !== null && request.zone !== zone) return other(request.zone)
    const zones = zonesOfType(request)
    return zones.length === 0 || zones.includes(zone) ? PASS : other(zones.join(','))
  },
}
