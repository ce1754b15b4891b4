import { findHostByName, findZone, listAllHosts } from '../../scheduling/hosts/hosts.ts'
import { aggregateScope, CLOUD_SCOPE, zoneScope } from '../../usage-history/sample.ts'
import type { HistoryScope } from '../../wire/history.ts'
import { text } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'

/** A scope by the name that callers use, and the one that is stored; the stored one of a host is its uuid. */
export interface FoundScope {
  readonly scope: HistoryScope
  readonly stored: string
}

export const CLOUD: FoundScope = { scope: { kind: 'cloud', name: null }, stored: CLOUD_SCOPE }

export const scopeFields = {
  zone: text('Of this availability zone.', { maxLength: 255 }),
  aggregate: text('Of this host aggregate, by name, number or uuid.', { maxLength: 255 }),
}

interface ScopeAsk {
  readonly zone?: string
  readonly aggregate?: string
  readonly host?: string
}

/** At most one of them; without any, the whole cloud. */
export function findScope(world: World, asked: ScopeAsk, defaultZone: string): FoundScope {
  const given = Object.entries(asked).filter(([, name]) => name !== undefined)
  if (given.length > 1)
    throw new Problem(
      400,
      'history.two-scopes',
      `Ask for one of ${given.map(([kind]) => kind).join(' and ')}, not for both.`,
    )
  const { zone, aggregate, host } = asked
  if (zone !== undefined) return findZoneScope(world, zone, defaultZone)
  if (aggregate !== undefined) return findAggregateScope(world, aggregate)
  return host === undefined ? CLOUD : findHostScope(world, host)
}

/** All zones with hosts, by name. */
export const listZones = (world: World, defaultZone: string): string[] =>
  [...new Set(listAllHosts(world).map(slot => findZone(world, slot, defaultZone)))].sort()

export const toZone = (zone: string): FoundScope => ({
  scope: { kind: 'zone', name: zone },
  stored: zoneScope(zone),
})

function findZoneScope(world: World, zone: string, defaultZone: string): FoundScope {
  if (!listZones(world, defaultZone).includes(zone)) throw makeMissing('zone', zone)
  return toZone(zone)
}

function findAggregateScope({ compute }: World, given: string): FoundScope {
  const found =
    compute.findAggregateByName(given) ??
    compute.aggregates.find(given) ??
    compute.aggregates.all().find(({ id }) => String(id) === given)
  if (found === undefined) throw makeMissing('aggregate', given)
  return { scope: { kind: 'aggregate', name: found.name }, stored: aggregateScope(found.uuid) }
}

function findHostScope(world: World, given: string): FoundScope {
  const slot = findHostByName(world, given)
  if (slot === undefined) throw makeMissing('host', given)
  return { scope: { kind: 'host', name: given }, stored: world.providers.uuid(slot) }
}

const makeMissing = (kind: string, name: string): Problem =>
  new Problem(404, 'history.scope-missing', `${kind}: there is no ${kind} ${name}.`, { [kind]: name })
