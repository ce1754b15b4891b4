import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FreeSlots } from './free-slots.ts'

test('the lowest free slots come first', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 90 })), { maxLength: 200 }), steps => {
      const free = new FreeSlots()
      const used = new Set<number>()
      for (const [take, number] of steps) {
        if (take) {
          const slot = number % 3 === 0 ? number : free.lowest
          if (used.has(slot)) continue
          free.occupy(slot)
          used.add(slot)
        } else if (used.delete(number)) free.release(number)
        const expected: number[] = []
        for (let slot = 0; expected.length < 5; slot++) if (!used.has(slot)) expected.push(slot)
        expect(free.first(5)).toEqual(expected)
        expect(free.lowest).toBe(expected[0])
      }
    }),
  )
})
