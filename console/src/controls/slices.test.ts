import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filtered, sorted, type Work } from './slices.ts'

function ended<Result>(work: Work<Result>): { result: Result; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = work.next()
    if (done === true) return { result: value, pauses }
  }
}

test('sorting in slices comes to what sorting at once does, equal ones in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 5_000, size: 'max' }), numbers => {
      const rows = numbers.map((key, at) => ({ key, at }))
      const expected = rows.toSorted((one, other) => one.key - other.key)
      expect(ended(sorted(rows, row => row.key)).result).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

test('texts are sorted by their characters', () => {
  const names = Array.from({ length: 3_000 }, (_, at) => `host-${(at * 7_919) % 3_000}`)
  expect(ended(sorted(names, name => name)).result).toEqual(names.toSorted())
})

test('long work is interrupted often', () => {
  const numbers = Array.from({ length: 100_000 }, (_, at) => (at * 7_919) % 100_000)
  expect(ended(sorted(numbers, one => one)).pauses).toBeGreaterThan(1_000)
  const { result, pauses } = ended(filtered(numbers, one => one % 2 === 0))
  expect(result).toHaveLength(50_000)
  expect(pauses).toBeGreaterThan(100)
})
