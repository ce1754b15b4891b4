import { createHash } from 'node:crypto'
import { json } from '../../http/api.ts'
import { listOf, objectOf, text, textOrNull } from '../../http/formats/schema-forms.ts'
import type { World } from '../../world/world.ts'
import { renderTime } from '../bodies.ts'
import type { ShareContext, ShareRoute } from '../context.ts'

/** Zones are names on back ends and have no rows: the id is derived from the name. */
function makeZoneId(name: string): string {
  const hex = createHash('sha256').update(`berth zone ${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** With the creation time of the first back end of each. */
function listZones({ shares }: World): Map<string, number> {
  const zones = new Map<string, number>()
  for (const { availability_zone: zone, created_at } of shares.backends.rows())
    zones.set(zone, Math.min(zones.get(zone) ?? created_at, created_at))
  return new Map([...zones].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** By name or id. */
export const findZone = (world: World, nameOrId: string): string | undefined =>
  [...listZones(world).keys()].find(name => name === nameOrId || makeZoneId(name) === nameOrId)

const zoneSchema = objectOf({ id: text, name: text, created_at: text, updated_at: textOrNull })

export function zoneRoutes({ world }: ShareContext): ShareRoute[] {
  const list = (path: string, gate: Pick<ShareRoute, 'since' | 'until'>): ShareRoute => ({
    method: 'GET',
    path,
    operation: 'availability_zone:index',
    summary: 'List availability zones',
    answers: { 200: objectOf({ availability_zones: listOf(zoneSchema) }) },
    ...gate,
    handle: () =>
      json(200, {
        availability_zones: [...listZones(world)].map(([name, atMs]) => ({
          id: makeZoneId(name),
          name,
          created_at: renderTime(atMs),
          updated_at: null,
        })),
      }),
  })
  return [
    list('/availability-zones', { since: 'coreNames' }),
    list('/os-availability-zone', { until: 'coreNames' }),
  ]
}
