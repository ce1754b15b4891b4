import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

function filled(items: readonly (readonly [lane: string, item: number])[]): FairQueue<number> {
  const queue = new FairQueue<number>()
  for (const [lane, item] of items) queue.push(lane, item)
  return queue
}

const takeAll = (queue: FairQueue<number>): number[] => {
  const taken: number[] = []
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) taken.push(item)
  return taken
}

test('lanes take turns, each in its own order', () => {
  const queue = filled([
    ['many', 1],
    ['many', 2],
    ['many', 3],
    ['one', 10],
    ['two', 20],
    ['two', 21],
  ])
  expect(queue.first).toBe(1)
  expect(takeAll(queue)).toEqual([1, 10, 20, 2, 21, 3])
  expect(queue.size).toBe(0)
  expect(queue.first).toBeUndefined()
})

test('the last of the longest lane can be taken, and an empty lane is forgotten', () => {
  const queue = filled([
    ['one', 1],
    ['many', 2],
    ['many', 3],
  ])
  expect(queue.findLongest()).toBe('many')
  expect(queue.pop('many')).toBe(3)
  expect(queue.pop('many')).toBe(2)
  expect(queue.pop('many')).toBeUndefined()
  expect([queue.lengthOf('many'), queue.lengthOf('one'), queue.size]).toEqual([0, 1, 1])
  expect(queue.findLongest()).toBe('one')
})
