import { expect, test } from 'vitest'
import type { Rack } from './racks.ts'
import { type Cell, type Cells, mixCells } from './use-stages.ts'

const cellsOf = (...names: readonly string[]): Cell[] =>
  names.map(name => ({ rack: { group: { name } } as Rack, name: 'VCPU' }))
const shown = (now: Cells, before: Cells, done: number) =>
  now.map((_, at) => mixCells({ now, before, done }, at).map(({ rack }) => rack.group.name))

test('what is not new yet is as before, from the top down over the sections', () => {
  const [now, before] = [
    [cellsOf('a1', 'a2'), cellsOf('b1', 'b2', 'b3')],
    [cellsOf('x1', 'x2'), cellsOf('y1')],
  ]
  expect(shown(now, before, 0)).toEqual([['x1', 'x2'], ['y1']])
  expect(shown(now, before, 1)).toEqual([['a1', 'x2'], ['y1']])
  expect(shown(now, before, 4)).toEqual([
    ['a1', 'a2'],
    ['b1', 'b2'],
  ])
  expect(shown(now, before, 5)).toEqual([
    ['a1', 'a2'],
    ['b1', 'b2', 'b3'],
  ])
})

test('a section that becomes shorter shows no more than it will have', () =>
  expect(shown([cellsOf('a1')], [cellsOf('x1', 'x2', 'x3')], 0)).toEqual([['x1']]))
