import type { Host } from '../../../src/wire/hosts.ts'
import type { HostAggregate } from '../../../src/wire/openstack-compute.ts'
import { findRackTitle } from '../../../src/words/rack-name.ts'
import { type Level, levelOf } from '../controls/usage-bar.tsx'
import { type Figures, type Fleet, isHost, type Provider, SHARING, shareOf } from '../fleet/fleet.ts'
import { byImportance, orderKey } from '../formats.ts'

/** One host, or one sharing provider, with its figures for one resource class. */
export interface Tile {
  readonly uuid: string
  readonly name: string
  /** In lower case, for the search. */
  readonly lowerName: string
  /** Its state in compute. */
  readonly host: Host | undefined
  /** Null: it has none of the class. */
  readonly figures: Figures | null
  readonly share: number
  readonly mark: Mark
  readonly isSharing: boolean
}

/** Marks, the most important first. */
export type Mark = 'over' | 'disabled' | 'down' | Level | 'none'

export const markWords: Readonly<Record<Mark, string>> = {
  over: 'over capacity',
  hot: 'full',
  warm: 'nearly full',
  low: 'has room',
  disabled: 'disabled',
  down: 'down',
  none: 'has none',
}

export interface Group {
  readonly name: string
  readonly tiles: readonly Tile[]
  readonly figures: Figures | null
}

export type Grouping = 'zone' | 'rack' | 'aggregate' | 'none'

export interface Surroundings {
  readonly hosts: ReadonlyMap<string, Host>
  readonly aggregates: readonly HostAggregate[]
  readonly isLoading?: boolean
}

const collator = new Intl.Collator('en', { numeric: true })

/** All tiles of a moment, by name. The next moment reuses the objects of those that did not change. */
export interface TileSet {
  readonly tiles: readonly Tile[]
  /** One for each root, also for those without the class. */
  readonly ofRoots: readonly Tile[]
  readonly roots: readonly Root[]
  readonly fleet: Fleet
  readonly name: string
  readonly hosts: Surroundings['hosts']
  readonly stamp: number
  readonly shapeStamp: number
}

export function tilesOf(
  fleet: Fleet,
  name: string,
  { hosts }: Surroundings,
  before: TileSet | null = null,
): TileSet {
  const { stamp, shapeStamp } = fleet
  const isSameShape = before?.fleet === fleet && before.hosts === hosts && before.shapeStamp === shapeStamp
  const roots = isSameShape ? before.roots : rootsOf(fleet, hosts)
  const known = isSameShape && before.name === name ? before : null
  if (known?.stamp === stamp) return known
  const ofRoots = roots.map(({ root, host, lowerName }, at) =>
    known !== null && root.treeStamp <= known.stamp
      ? (known.ofRoots[at] as Tile)
      : tileOf(root, lowerName, (root.sums ?? fleet.sums(root)).get(name) ?? null, host),
  )
  const tiles = ofRoots.filter(tile => !tile.isSharing || tile.figures !== null)
  return { tiles, ofRoots, roots, fleet, name, hosts, stamp, shapeStamp }
}

interface Root {
  readonly root: Provider
  readonly host: Host | undefined
  readonly lowerName: string
  readonly key: string
}

/** Hosts, and providers that share with them, in display order. */
function rootsOf(fleet: Fleet, hosts: Surroundings['hosts']): Root[] {
  const roots: Root[] = []
  for (const root of fleet.providers.values()) {
    const host = hosts.get(root.uuid)
    if (root.parent === null && (root.traits.has(SHARING) || host !== undefined || isHost(fleet, root)))
      roots.push({ root, host, lowerName: root.name.toLowerCase(), key: orderKey(root.name) })
  }
  return roots.sort((one, other) => (one.key < other.key ? -1 : 1))
}

function tileOf(root: Provider, lowerName: string, figures: Figures | null, host: Host | undefined): Tile {
  const isSharing = root.traits.has(SHARING)
  const share = figures === null ? 0 : shareOf(figures)
  const mark: Mark =
    share > 1
      ? 'over'
      : host?.state === 'down'
        ? 'down'
        : host?.status === 'disabled'
          ? 'disabled'
          : figures === null
            ? 'none'
            : levelOf(share)
  const { uuid, name } = root
  return { uuid, name, lowerName, host, figures, share, mark, isSharing }
}

function sumOf(tiles: readonly Tile[]): Figures | null {
  let [total, reserved, capacity, used, count] = [0, 0, 0, 0, 0]
  for (const { figures } of tiles) {
    if (figures === null) continue
    total += figures.total
    reserved += figures.reserved
    capacity += figures.capacity
    used += figures.used
    count++
  }
  return count === 0 ? null : { total, reserved, capacity, used }
}

/** A host as a tile, as far as groups look at it. */
export const tileOfHost = (host: Host): Pick<Tile, 'isSharing' | 'host'> => ({ isSharing: false, host })

export const SHARED = 'Shared by others'
/** Groups of what is in none. */
export const NO_RACK = 'In no rack'
export const NO_AGGREGATE = 'In no aggregate'
const SHARED_ONLY = [SHARED]
const ALL = ['All hosts']

/** The groups that a tile is in. A host may be in several aggregates and is then shown in each. */
export function groupNames(
  by: Grouping,
  { aggregates }: Surroundings,
): (tile: Pick<Tile, 'isSharing' | 'host'>) => readonly string[] {
  if (by === 'none') return tile => (tile.isSharing ? SHARED_ONLY : ALL)
  const racks = rackNames(aggregates)
  const zones = new Map<string, readonly string[]>()
  const known = new WeakMap<Host, readonly string[]>()
  const zoneOf = (zone: string): readonly string[] => {
    const names = zones.get(zone) ?? [zoneName(zone)]
    zones.set(zone, names)
    return names
  }
  const placesOf = (host: Host): readonly string[] => {
    const found = known.get(host)
    if (found !== undefined) return found
    const fitting = by === 'rack' ? host.aggregates.flatMap(name => racks.get(name) ?? []) : host.aggregates
    const names = fitting.length > 0 ? fitting : nowhere
    known.set(host, names)
    return names
  }
  const nowhere = [by === 'rack' ? NO_RACK : NO_AGGREGATE]
  return ({ isSharing, host }) => {
    if (isSharing) return SHARED_ONLY
    if (by === 'zone') return zoneOf(host?.zone ?? 'nova')
    return host === undefined ? nowhere : placesOf(host)
  }
}

/** A group without changes is the same object as before. */
export function groupTiles(
  tiles: readonly Tile[],
  namesOf: (tile: Tile) => readonly string[],
  before: readonly Group[] = [],
): Group[] {
  const groups = new Map<string, Tile[]>()
  for (const tile of tiles)
    for (const name of namesOf(tile)) {
      const there = groups.get(name)
      if (there === undefined) groups.set(name, [tile])
      else there.push(tile)
    }
  const known = new Map(before.map(group => [group.name, group]))
  return [...groups]
    .sort(
      ([one], [other]) => Number(one === SHARED) - Number(other === SHARED) || collator.compare(one, other),
    )
    .map(([name, members]) => {
      const same = known.get(name)
      return same !== undefined && isSame(same.tiles, members)
        ? same
        : { name, tiles: members, figures: sumOf(members) }
    })
}

const isSame = (one: readonly Tile[], other: readonly Tile[]): boolean =>
  one.length === other.length && one.every((tile, at) => tile === other[at])

const zoneName = (zone: string): string => (/^(zone|az)/i.test(zone) ? zone : `Zone ${zone}`)

/** What the racks among the aggregates are called on the map. */
function rackNames(aggregates: readonly HostAggregate[]): ReadonlyMap<string, string> {
  const racks = new Map<string, string>()
  for (const aggregate of aggregates) {
    const rack = findRackTitle(aggregate)
    if (rack !== null) racks.set(aggregate.name, rack)
  }
  return racks
}

export interface ClassTotal {
  readonly name: string
  readonly figures: Figures
}

/** The totals of each class, shared or not. */
export const totalsOf = (fleet: Fleet): ClassTotal[] =>
  [...fleet.totals()]
    .sort(([one], [other]) => byImportance(one, other))
    .map(([name, { total, reserved, capacity, used }]) => ({
      name,
      figures: { total, reserved, capacity, used },
    }))

const counted = new WeakMap<readonly Tile[], ReadonlyMap<Mark, number>>()

/** Counted once for each list of tiles. */
export function countMarks(tiles: readonly Tile[]): ReadonlyMap<Mark, number> {
  const before = counted.get(tiles)
  if (before !== undefined) return before
  const counts: Record<Mark, number> = { over: 0, hot: 0, warm: 0, low: 0, disabled: 0, down: 0, none: 0 }
  for (const { mark } of tiles) counts[mark]++
  const found = new Map(Object.entries(counts).filter(([, count]) => count > 0) as [Mark, number][])
  counted.set(tiles, found)
  return found
}
