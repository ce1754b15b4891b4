import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Bitset } from './bitset.ts'

const LARGEST = 2_000
const numbers = fc.array(fc.nat(LARGEST), { maxLength: 40 })

const setOf = (of: readonly number[]): Bitset => {
  const set = new Bitset()
  for (const one of of) set.add(one)
  return set
}

const ascending = (of: Iterable<number>): number[] => [...of].sort((a, b) => a - b)

function expectAlike(set: Bitset, model: ReadonlySet<number>): void {
  expect([...set]).toEqual(ascending(model))
  expect(set.size).toBe(model.size)
  for (let one = 0; one <= LARGEST + 64; one += 7) expect(set.has(one)).toBe(model.has(one))
  for (const one of model) expect(set.has(one)).toBe(true)
  for (const at of [0, set.from - 1, set.end, set.end + 5])
    if (at < set.from || at >= set.end) expect(set.word(at)).toBe(0)
}

test('it is a set, for any order of additions and removals', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.nat(LARGEST))),
      fc.constantFrom(0, 1, 500),
      (steps, capacity) => {
        const set = new Bitset(capacity)
        const model = new Set<number>()
        for (const [isIn, one] of steps) {
          if (isIn) set.add(one)
          else set.delete(one)
          if (isIn) model.add(one)
          else model.delete(one)
        }
        expectAlike(set, model)
      },
    ),
  )
})

test('union and intersection are those of sets', () => {
  fc.assert(
    fc.property(fc.array(numbers, { minLength: 1, maxLength: 4 }), lists => {
      const models = lists.map(list => new Set(list))
      const sets = lists.map(setOf)
      expectAlike(
        Bitset.union(sets),
        models.reduce((all, one) => all.union(one), new Set<number>()),
      )
      expectAlike(
        Bitset.intersection(sets),
        models.reduce((all, one) => all.intersection(one)),
      )
    }),
  )
})

test('numbers that are near one another take little room, wherever they are', () => {
  const rack = setOf(Array.from({ length: 20 }, (_, nth) => 1_000_000 + nth))
  expect(rack.end - rack.from).toBeLessThanOrEqual(2)
})
