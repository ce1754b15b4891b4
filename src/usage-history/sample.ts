import { type ClassId, classId, type ProviderSlot, providerSlot } from '../kernel/ids.ts'
import { findZone, listAllHosts } from '../scheduling/hosts/hosts.ts'
import type { InventoryColumns } from '../world/inventories.ts'
import type { World } from '../world/world.ts'
import type { HostFullness } from './host-blocks.ts'
import { type Points, pointOf } from './points.ts'

/** Zones and aggregates beyond these have no history. */
export const ZONES_MAX = 50
const AGGREGATES_MAX = 200
const HOSTS_MAX = 20_000

/** What every server takes from its host: the tightest of these decides how full the host is. */
export const HOST_CLASSES = ['VCPU', 'PCPU', 'MEMORY_MB', 'DISK_GB'] as const

export const CLOUD_SCOPE = 'cloud'
export const zoneScope = (zone: string): string => `zone:${zone}`
export const aggregateScope = (uuid: string): string => `aggregate:${uuid}`

/** Lets other requests run; the state may change in between. */
export interface Turns {
  give(): Promise<unknown>
}

/** Usage of the cloud and of each zone, by class. A provider that no host has, such as shared storage, counts in the cloud only. */
export async function sampleZones(
  world: World,
  defaultZone: string,
  turns: Turns,
): Promise<ReadonlyMap<string, Points>> {
  const { zones, zoneOfRoot } = indexZones(world, defaultZone)
  const scopes = new Map<string, Map<string, ReturnType<typeof pointOf>>>([[CLOUD_SCOPE, new Map()]])
  for (const zone of zones) scopes.set(zoneScope(zone), new Map())
  for (const { id, name } of [...world.classes.listInOrder()]) {
    await turns.give()
    const columns = world.inventories.columns(classId(id))
    if (columns === undefined || columns.present.size === 0) continue
    const sums = new Float64Array(2 * (zones.length + 1))
    const counts = new Int32Array(zones.length + 1)
    for (const slot of columns.present) {
      const capacity = capacityOf(columns, slot)
      const used = columns.used[slot]!
      sums[0]! += capacity
      sums[1]! += used
      counts[0]!++
      const zone = zoneOfRoot[world.providers.rootOf(providerSlot(slot))] ?? 0
      if (zone === 0) continue
      sums[2 * zone]! += capacity
      sums[2 * zone + 1]! += used
      counts[zone]!++
    }
    for (const [at, points] of [...scopes.values()].entries())
      if (counts[at]! > 0) points.set(name, pointOf(sums[2 * at]!, sums[2 * at + 1]!))
  }
  return scopes
}

/** In whole pieces, as a claim counts it. */
const capacityOf = ({ capacity }: InventoryColumns, slot: number): number => Math.floor(capacity[slot]!)

/** The zones by name, and for each root the number of its zone, from 1; 0 for none. */
function indexZones(world: World, defaultZone: string) {
  const zoneOf = listAllHosts(world).map(slot => [slot, findZone(world, slot, defaultZone)] as const)
  const zones = [...new Set(zoneOf.map(([, zone]) => zone))].sort().slice(0, ZONES_MAX)
  const numbers = new Map(zones.map((zone, at) => [zone, at + 1]))
  const zoneOfRoot = new Uint8Array(world.providers.slots)
  for (const [slot, zone] of zoneOf) zoneOfRoot[slot] = numbers.get(zone) ?? 0
  return { zones, zoneOfRoot }
}

/** Usage of the oldest host aggregates, by class. */
export async function sampleAggregates(world: World, turns: Turns): Promise<ReadonlyMap<string, Points>> {
  const scopes = new Map<string, Points>()
  for (const { id, uuid } of world.compute.listAggregates().slice(0, AGGREGATES_MAX)) {
    await turns.give()
    const points = new Map<string, ReturnType<typeof pointOf>>()
    const slots = world.compute.aggregateHosts
      .list(id)
      .flatMap(({ provider_id }) => listTree(world, providerSlot(provider_id)))
    for (const { id: unit, name } of world.classes.listInOrder()) {
      const sum = sumOf(world, classId(unit), slots)
      if (sum !== null) points.set(name, pointOf(sum.capacity, sum.used))
    }
    scopes.set(aggregateScope(uuid), points)
  }
  return scopes
}

const listTree = ({ providers }: World, root: ProviderSlot): ProviderSlot[] =>
  providers.hasTrees ? providers.listSubtree(root) : [root]

/** Null if none of them has an inventory of the class. */
function sumOf({ inventories }: World, id: ClassId, slots: readonly ProviderSlot[]) {
  const columns = inventories.columns(id)
  if (columns === undefined || columns.present.size === 0) return null
  let [capacity, used, count] = [0, 0, 0]
  for (const slot of slots) {
    if (!columns.present.has(slot)) continue
    count++
    capacity += capacityOf(columns, slot)
    used += columns.used[slot]!
  }
  return count === 0 ? null : { capacity, used }
}

/** How full the tightest class of each host is. A host without any of the classes is left out. */
export async function sampleHosts(world: World, turns: Turns): Promise<readonly HostFullness[]> {
  const hosts = listAllHosts(world).slice(0, HOSTS_MAX)
  const { slots } = world.providers
  const tightest = new Float64Array(slots).fill(-1)
  const classes = new Uint8Array(slots)
  for (const [at, name] of HOST_CLASSES.entries()) {
    await turns.give()
    const id = world.classes.id(name)
    const columns = id === undefined ? undefined : world.inventories.columns(id)
    if (columns === undefined) continue
    const [capacity, used] = [new Float64Array(slots), new Float64Array(slots)]
    for (const slot of columns.present) {
      const root = world.providers.rootOf(providerSlot(slot))
      capacity[root]! += capacityOf(columns, slot)
      used[root]! += columns.used[slot]!
    }
    for (const root of hosts) {
      const share = capacity[root]! > 0 ? used[root]! / capacity[root]! : used[root]! > 0 ? 1 : -1
      if (share <= tightest[root]!) continue
      tightest[root] = share
      classes[root] = at
    }
  }
  await turns.give()
  return hosts
    .filter(slot => world.providers.exists(slot) && tightest[slot]! >= 0)
    .map(slot => ({ uuid: world.providers.uuid(slot), share: tightest[slot]!, classAt: classes[slot]! }))
}
