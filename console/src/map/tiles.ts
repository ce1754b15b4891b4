import type { Host } from '../api/berth.ts'
import type { Aggregate } from '../api/compute.ts'
import { type Level, levelOf } from '../controls/usage-bar.tsx'
import { type Figures, type Fleet, isHost, type Provider, plus, SHARING, shareOf } from '../fleet/fleet.ts'
import { byImportance } from '../formats.ts'

/** One host, or one provider that shares what it has, seen through one resource class. */
export interface Tile {
  readonly uuid: string
  readonly name: string
  /** Null: it has none of the class. */
  readonly figures: Figures | null
  readonly share: number
  readonly mark: Mark
  readonly disabledReason: string | null
  readonly isSharing: boolean
}

/** What stands out, in the order in which it matters. */
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
  readonly aggregates: readonly Aggregate[]
}

const collator = new Intl.Collator('en', { numeric: true })

export function tilesOf(fleet: Fleet, name: string, { hosts }: Surroundings): Tile[] {
  const tiles: Tile[] = []
  for (const root of fleet.providers.values()) {
    if (root.parent !== null) continue
    const isSharing = root.traits.has(SHARING)
    const figures = fleet.sums(root.uuid).get(name) ?? null
    if (isSharing ? figures === null : !isHost(fleet, root) && !hosts.has(root.uuid)) continue
    tiles.push(tileOf(root, figures, isSharing, hosts.get(root.uuid)))
  }
  return tiles.sort((one, other) => (sortKey(one.name) < sortKey(other.name) ? -1 : 1))
}

const sortKeys = new Map<string, string>()

/** Numbers in names count as numbers. Made once for each name: comparing by language is slow for ten thousand. */
function sortKey(name: string): string {
  const known = sortKeys.get(name)
  if (known !== undefined) return known
  const key = name.toLowerCase().replaceAll(/\d+/g, digits => digits.padStart(12, '0'))
  sortKeys.set(name, key)
  return key
}

function tileOf(root: Provider, figures: Figures | null, isSharing: boolean, host: Host | undefined): Tile {
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
  return { uuid, name, figures, share, mark, isSharing, disabledReason: host?.disabled_reason ?? null }
}

export function sumOf(tiles: readonly Tile[]): Figures | null {
  let sum: Figures | undefined
  for (const { figures } of tiles) if (figures !== null) sum = plus(sum, figures)
  return sum ?? null
}

export const SHARED = 'Shared by others'
const ALONE = 'In no aggregate'

/** A host may be in several aggregates and is then shown in each. */
export function grouped(tiles: readonly Tile[], by: Grouping, around: Surroundings): Group[] {
  const racks = rackNames(around.aggregates)
  const namesOf = (tile: Tile): readonly string[] => {
    if (tile.isSharing) return [SHARED]
    const host = around.hosts.get(tile.uuid)
    if (by === 'none') return ['All hosts']
    if (by === 'zone') return [zoneName(host?.zone ?? 'nova')]
    const names = host?.aggregates ?? []
    const fitting = by === 'rack' ? names.flatMap(name => racks.get(name) ?? []) : names
    return fitting.length > 0 ? fitting : [by === 'rack' ? 'In no rack' : ALONE]
  }
  const groups = new Map<string, Tile[]>()
  for (const tile of tiles)
    for (const name of namesOf(tile)) {
      const there = groups.get(name)
      if (there === undefined) groups.set(name, [tile])
      else there.push(tile)
    }
  return [...groups]
    .sort(
      ([one], [other]) => Number(one === SHARED) - Number(other === SHARED) || collator.compare(one, other),
    )
    .map(([name, members]) => ({ name, tiles: members, figures: sumOf(members) }))
}

const zoneName = (zone: string): string => (/^(zone|az)/i.test(zone) ? zone : `Zone ${zone}`)

/** Aggregates that are racks: they say so in their metadata, or by their name. */
export function rackNames(aggregates: readonly Aggregate[]): ReadonlyMap<string, string> {
  const racks = new Map<string, string>()
  for (const { name, metadata } of aggregates)
    if (metadata.rack !== undefined) racks.set(name, `Rack ${metadata.rack}`)
    else if (/^rack\b/i.test(name)) racks.set(name, name)
  return racks
}

export interface ClassTotal {
  readonly name: string
  readonly figures: Figures
}

/** Everything there is of each class, shared or not. */
export function totalsOf(fleet: Fleet): ClassTotal[] {
  const totals = new Map<string, Figures>()
  for (const root of fleet.providers.values())
    if (root.parent === null)
      for (const [name, figures] of fleet.sums(root.uuid)) totals.set(name, plus(totals.get(name), figures))
  return [...totals]
    .sort(([one], [other]) => byImportance(one, other))
    .map(([name, figures]) => ({ name, figures }))
}

export function counted(tiles: readonly Tile[]): ReadonlyMap<Mark, number> {
  const counts = new Map<Mark, number>()
  for (const { mark } of tiles) counts.set(mark, (counts.get(mark) ?? 0) + 1)
  return counts
}
