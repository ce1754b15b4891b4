import { useMemo, useRef, useState } from 'react'
import type { Picture } from '../fleet/live.ts'
import {
  type Group,
  type Grouping,
  groupNames,
  groupTiles,
  type Mark,
  NO_AGGREGATE,
  NO_RACK,
  SHARED,
  type Surroundings,
  type Tile,
  type TileSet,
  tilesOf,
} from './tiles.ts'

/** What the map shows of an address. */
export interface MapView {
  readonly grouping: Grouping
  /** In lower case; a part of the name. */
  readonly wanted: string
  readonly mark: Mark | null
  /** A group that alone is shown. */
  readonly within: string | null
  /** A rack, or an aggregate, into which the view is zoomed. */
  readonly rack: string | null
}

export const viewOf = (params: URLSearchParams): MapView => ({
  grouping: (params.get('by') ?? 'zone') as Grouping,
  wanted: (params.get('q') ?? '').toLowerCase(),
  mark: params.get('mark') as Mark | null,
  within: params.get('in'),
  rack: params.get('rack'),
})

/** A cell of the map of racks; aggregates, where hosts are grouped by them. */
export const unitOf = ({ grouping }: MapView): Grouping => (grouping === 'aggregate' ? 'aggregate' : 'rack')

/**
 * All tiles, and those that match the address in their groups. Keeps what did not change since a class was last
 * shown.
 */
export function useGroups(
  picture: Picture,
  chosen: string,
  around: Surroundings,
  view: MapView,
  by: Grouping,
) {
  const { wanted, mark, within, rack } = view
  const [tilesByClass] = useState(() => new Map<string, TileSet>())
  const { tiles } = useMemo(() => {
    const now = tilesOf(picture.fleet, chosen, around, tilesByClass.get(chosen) ?? lastOf(tilesByClass))
    tilesByClass.delete(chosen)
    tilesByClass.set(chosen, now)
    return now
  }, [picture, chosen, around])
  const { namesOf, known } = useMemo(
    () => ({ namesOf: groupNames(by, around), known: new WeakMap<readonly Tile[], readonly Group[]>() }),
    [by, around, mark, wanted],
  )
  const last = useRef<readonly Group[]>([])
  const groups = useMemo(() => {
    const fits = (tile: Tile) => (mark === null || tile.mark === mark) && tile.lowerName.includes(wanted)
    const shown = mark === null && wanted === '' ? tiles : tiles.filter(fits)
    last.current = known.get(tiles) ?? groupTiles(shown, namesOf, last.current)
    known.set(tiles, last.current)
    const only = rack ?? within
    return last.current.filter(group => only === null || group.name === only)
  }, [tiles, known, within, rack])
  return { tiles, groups }
}

/** The list of roots is valid for any class. */
const lastOf = (known: ReadonlyMap<string, TileSet>): TileSet | null => [...known.values()].at(-1) ?? null

/** Whether the cloud has racks, or aggregates: a map of them needs more than one. */
export function hasUnits(around: Surroundings, unit: Grouping): boolean {
  const namesOf = groupNames(unit, around)
  const names = new Set<string>()
  for (const host of around.hosts.values()) {
    for (const name of namesOf({ isSharing: false, host })) if (isUnit(name)) names.add(name)
    if (names.size > 1) return true
  }
  return false
}

/** Not the group of those that are in none. */
export const isUnit = (name: string): boolean => name !== SHARED && name !== NO_RACK && name !== NO_AGGREGATE
