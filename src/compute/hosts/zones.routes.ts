import { json } from '../../http/api.ts'
import { byCodePoint } from '../../kernel/code-points.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { allHosts, hostRowOf, zoneOf } from '../../scheduling/hosts/hosts.ts'
import type { World } from '../../world/world.ts'
import { timeOf } from '../bodies.ts'
import type { ComputeContext, ComputeRoute } from '../context.ts'

const POLICY = 'os_compute_api:os-availability-zone'

export function zoneRoutes(context: ComputeContext): ComputeRoute[] {
  return [
    {
      method: 'GET',
      path: '/os-availability-zone',
      operation: `${POLICY}:list`,
      handle: () => json(200, { availabilityZoneInfo: zones(context, () => null) }),
    },
    {
      method: 'GET',
      path: '/os-availability-zone/detail',
      operation: `${POLICY}:detail`,
      handle: () =>
        json(200, { availabilityZoneInfo: zones(context, hosts => hostsBody(context.world, hosts)) }),
    },
  ]
}

/** A zone is available if one of its hosts is enabled. Those that are come first, each kind by name. */
function zones(
  { world, defaultZone }: ComputeContext,
  hostsOf: (enabled: readonly ProviderSlot[]) => unknown,
) {
  const byZone = Map.groupBy(allHosts(world), host => zoneOf(world, host, defaultZone))
  const told = [...byZone].map(([zoneName, hosts]) => {
    const enabled = hosts.filter(host => hostRowOf(world, host).is_disabled === 0)
    const available = enabled.length > 0
    return { zoneName, zoneState: { available }, hosts: available ? hostsOf(enabled) : null }
  })
  const rank = (zone: { readonly zoneState: { readonly available: boolean } }) =>
    zone.zoneState.available ? 0 : 1
  return told.sort((a, b) => rank(a) - rank(b) || byCodePoint(a.zoneName, b.zoneName))
}

function hostsBody(world: World, hosts: readonly ProviderSlot[]) {
  return Object.fromEntries(
    hosts.map(host => {
      const said = hostRowOf(world, host)
      const updated_at = timeOf(Math.max(said.updated_at ?? 0, world.providers.updatedAt[host] as number))
      const service = { available: said.is_forced_down === 0, active: true, updated_at }
      return [world.providers.name(host), { 'nova-compute': service }]
    }),
  )
}
