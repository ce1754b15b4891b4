import { expect, test } from 'vitest'
import { cellSizeOf, compareRacks, rackOf, sectionsOf, worstHosts } from './racks.ts'
import type { Group, Mark, Tile } from './tiles.ts'

const tile = (name: string, mark: Mark, share: number): Tile => ({
  uuid: name,
  name,
  lowerName: name,
  host: undefined,
  figures: null,
  share,
  mark,
  isSharing: false,
})
const rack = (name: string, used: number, ...marks: Mark[]): Group => ({
  name,
  tiles: marks.map((mark, at) => tile(`${name}-${at}`, mark, 0)),
  figures: { total: 100, reserved: 0, capacity: 100, used },
})

test('the worst host comes first: over capacity, down, full, then by share', () => {
  const tiles = [
    tile('a', 'low', 0.2),
    tile('b', 'disabled', 0.9),
    tile('c', 'over', 1.1),
    tile('d', 'low', 0.5),
    tile('e', 'hot', 0.99),
    tile('f', 'down', 0),
  ]
  expect(worstHosts(tiles).map(({ name }) => name)).toEqual(['c', 'f', 'e', 'b', 'd', 'a'])
})

test('racks with more trouble come first, then fuller ones; sections keep their order', () => {
  const groups = [
    rack('b-low', 30, 'low', 'low'),
    rack('a-full', 90, 'low', 'hot'),
    rack('a-two', 60, 'hot', 'hot'),
    rack('a-over', 10, 'over', 'low'),
    rack('a-off', 5, 'disabled', 'low'),
    rack('a-low', 40, 'low'),
  ]
  const sections = sectionsOf(groups, ({ name }) => name.slice(0, 1))
  expect(sections.map(({ name, racks }) => [name, racks.map(({ group }) => group.name)])).toEqual([
    ['b', ['b-low']],
    ['a', ['a-over', 'a-two', 'a-full', 'a-low', 'a-off']],
  ])
  const [first] = groups as [Group]
  expect(rackOf(first)).toBe(rackOf(first))
  expect(compareRacks(rackOf(first), rackOf(first))).toBe(0)
})

test('250 racks, or 1,000 in four zones, fit on a screen', () => {
  const screen = { width: 1_100, height: 600 }
  const areaOf = (counts: number[]) => {
    const { width, height } = cellSizeOf(counts, screen)
    const columns = Math.floor((screen.width + 4) / (width + 4))
    const rows = counts.reduce((sum, count) => sum + Math.ceil(count / columns), 0)
    return rows * (height + 4) + counts.length * 46
  }
  for (const counts of [[250], [250, 250, 250, 250], [3, 4], [1]])
    expect(areaOf(counts)).toBeLessThanOrEqual(screen.height)
  expect(cellSizeOf([9], screen).hasText).toBe(true)
  expect(cellSizeOf([100_000], screen).width).toBe(16)
})
