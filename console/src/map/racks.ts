import type { Group, Mark, Tile } from './tiles.ts'

/** How bad a mark is; what is worst comes first. */
const SEVERITY: Readonly<Record<Mark, number>> = {
  over: 6,
  down: 5,
  hot: 4,
  warm: 3,
  disabled: 2,
  low: 1,
  none: 0,
}

/** The segments of a cell, and of the words for it. */
export const BY_SEVERITY: readonly Mark[] = ['over', 'down', 'hot', 'warm', 'disabled', 'low', 'none']

/** Hosts as they should be looked at: over capacity, down, full, nearly full; then the fuller. */
export const worstHosts = (tiles: readonly Tile[]): Tile[] =>
  tiles.toSorted((one, other) => SEVERITY[other.mark] - SEVERITY[one.mark] || other.share - one.share)

/** A rack as one cell. */
export interface Rack {
  readonly group: Group
  readonly counts: ReadonlyMap<Mark, number>
  readonly worst: Mark
  /** In percent, rounded: so that a claim seldom changes the order. Null: it has none of the class. */
  readonly percent: number | null
}

const known = new WeakMap<Group, Rack>()

/** The same object for the same group. */
export function rackOf(group: Group): Rack {
  const before = known.get(group)
  if (before !== undefined) return before
  const counts = new Map<Mark, number>()
  for (const { mark } of group.tiles) counts.set(mark, (counts.get(mark) ?? 0) + 1)
  const worst = BY_SEVERITY.find(mark => counts.has(mark)) ?? 'none'
  const { figures } = group
  const percent =
    figures === null || figures.capacity === 0 ? null : Math.round((figures.used / figures.capacity) * 100)
  const rack = { group, counts, worst, percent }
  known.set(group, rack)
  return rack
}

export const isSameLook = (one: Rack, other: Rack): boolean =>
  one.group.name === other.group.name &&
  one.percent === other.percent &&
  BY_SEVERITY.every(mark => one.counts.get(mark) === other.counts.get(mark))

/** The rack with the worst host first; of those the one with more such hosts, then the fuller. */
export function compareRacks(one: Rack, other: Rack): number {
  for (const mark of BY_SEVERITY) {
    const more = (other.counts.get(mark) ?? 0) - (one.counts.get(mark) ?? 0)
    if (SEVERITY[mark] > SEVERITY.disabled && more !== 0) return more
  }
  return (other.percent ?? -1) - (one.percent ?? -1)
}

export interface RackSection {
  readonly name: string
  readonly racks: readonly Rack[]
}

/** Racks in sections, such as zones, which keep the order in which they come; worst racks first in each. */
export function sectionsOf(
  groups: readonly Group[],
  sectionOf: (tile: Tile) => string,
): readonly RackSection[] {
  const sections = new Map<string, Rack[]>()
  for (const group of groups) {
    const name = sectionOf(group.tiles[0] as Tile)
    const there = sections.get(name)
    if (there === undefined) sections.set(name, [rackOf(group)])
    else there.push(rackOf(group))
  }
  return [...sections].map(([name, racks]) => ({ name, racks: racks.sort(compareRacks) }))
}

export interface CellSize {
  readonly width: number
  readonly height: number
  /** Its name and percentage fit into it. */
  readonly hasText: boolean
}

const WIDTHS_PX = [132, 116, 100, 88, 76, 64, 54, 46, 40, 34, 28, 24, 20, 16]
/** Narrower cells show only colours. */
const TEXT_PX = 76
const GAP_PX = 4
/** Of a section: its head, and the space around it. */
const SECTION_PX = 46

const sizeOf = (width: number): CellSize => ({
  width,
  height: width >= TEXT_PX ? 46 : Math.max(14, Math.round(width * 0.8)),
  hasText: width >= TEXT_PX,
})

/** Taller ones say no more. */
const HEIGHT_PX_MAX = 56

/** The largest cells with which all sections fit on the screen; the smallest if none do. */
export function cellSizeOf(
  counts: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
): CellSize {
  const rowsOf = (size: CellSize) => {
    const columns = Math.max(1, Math.floor((width + GAP_PX) / (size.width + GAP_PX)))
    return counts.reduce((sum, count) => sum + Math.ceil(count / columns), 0)
  }
  const rowPxMax = (size: CellSize) =>
    Math.floor((height - counts.length * SECTION_PX) / Math.max(1, rowsOf(size))) - GAP_PX
  const sizes = WIDTHS_PX.map(sizeOf)
  const largest = sizes.find(size => size.height <= rowPxMax(size)) ?? (sizes.at(-1) as CellSize)
  return { ...largest, height: Math.max(largest.height, Math.min(HEIGHT_PX_MAX, rowPxMax(largest))) }
}
