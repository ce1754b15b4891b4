import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstSorted } from './first-sorted.ts'

test('is what sorting all and cutting gives', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 20 }), (items, count) => {
      const order = (a: number, b: number) => a - b
      expect(firstSorted(items, count, order)).toEqual(items.toSorted(order).slice(0, count))
    }),
  )
})
