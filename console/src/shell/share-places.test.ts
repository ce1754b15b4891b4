import { expect, test } from 'vitest'
import { sharePlaces } from './share-places.ts'

const many = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`)
const counts = (lists: string[][], places: number) => {
  const shown = sharePlaces(lists, places)
  return lists.map(([first]) => shown.filter(one => one[0] === first?.[0]).length)
}

test('a hundred flavors leave room for hosts', () => {
  expect(counts([many('p', 2), many('f', 100), many('s', 100), many('h', 100)], 40)).toEqual([2, 13, 13, 12])
})

test('what one list does not need goes to the others; everything that fits is shown, in order', () => {
  expect(counts([many('f', 3), many('h', 100)], 40)).toEqual([3, 37])
  expect(sharePlaces([['a'], [], ['b', 'c']], 40)).toEqual(['a', 'b', 'c'])
  expect(counts([many('a', 9), many('b', 9), many('c', 9)], 2)).toEqual([1, 1, 0])
})
