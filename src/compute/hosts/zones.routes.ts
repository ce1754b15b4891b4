import { json } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { flag, listOf, mapOf, objectOf, text } from '../../http/formats/schema-forms.ts'
import { byCodePoint } from '../../kernel/code-points.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { findZone, getHostRow, isHostUp, listAllHosts } from '../../scheduling/hosts/hosts.ts'
import type { World } from '../../world/world.ts'
import { renderTime } from '../bodies.ts'
import type { ComputeContext, ComputeRoute } from '../context.ts'

const POLICY = 'os_compute_api:os-availability-zone'

const hostsSchema: Schema = {
  ...mapOf(mapOf(objectOf({ available: flag, active: flag, updated_at: text }))),
  type: ['object', 'null'],
}

const zonesSchema = (hosts: Schema): Schema =>
  objectOf({
    availabilityZoneInfo: listOf(
      objectOf({ zoneName: text, zoneState: objectOf({ available: flag }), hosts }),
    ),
  })

export function zoneRoutes(context: ComputeContext): ComputeRoute[] {
  return [
    {
      method: 'GET',
      path: '/os-availability-zone',
      operation: `${POLICY}:list`,
      summary: 'List availability zones',
      answers: { 200: zonesSchema({ type: 'null' }) },
      handle: () => json(200, { availabilityZoneInfo: listZones(context, () => null) }),
    },
    {
      method: 'GET',
      path: '/os-availability-zone/detail',
      operation: `${POLICY}:detail`,
      summary: 'List availability zones with their hosts',
      answers: { 200: zonesSchema(hostsSchema) },
      handle: () =>
        json(200, { availabilityZoneInfo: listZones(context, hosts => hostsBody(context.world, hosts)) }),
    },
  ]
}

/** A zone is available if one of its hosts is enabled. Available ones come first, each group by name. */
function listZones(
  { world, defaultZone }: ComputeContext,
  hostsOf: (enabled: readonly ProviderSlot[]) => unknown,
) {
  const byZone = Map.groupBy(listAllHosts(world), host => findZone(world, host, defaultZone))
  const zones = [...byZone].map(([zoneName, hosts]) => {
    const enabled = hosts.filter(host => getHostRow(world, host).is_disabled === 0)
    const available = enabled.length > 0
    return { zoneName, zoneState: { available }, hosts: available ? hostsOf(enabled) : null }
  })
  const rank = (zone: { readonly zoneState: { readonly available: boolean } }) =>
    zone.zoneState.available ? 0 : 1
  return zones.sort((a, b) => rank(a) - rank(b) || byCodePoint(a.zoneName, b.zoneName))
}

function hostsBody(world: World, hosts: readonly ProviderSlot[]) {
  return Object.fromEntries(
    hosts.map(host => {
      const row = getHostRow(world, host)
      const updated_at = renderTime(Math.max(row.updated_at ?? 0, world.providers.updatedAt[host] as number))
      const service = { available: isHostUp(row), active: true, updated_at }
      return [world.providers.name(host), { 'nova-compute': service }]
    }),
  )
}
