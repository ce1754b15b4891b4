import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IndexedRows } from './indexed-rows.ts'

test('the next number is one above the highest existing one', () => {
  const actions = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 8 })), { maxLength: 30 })
  fc.assert(
    fc.property(actions, all => {
      const rows = new IndexedRows<{ id: number }>([])
      for (const [comes, id] of all) {
        const there = rows.get(id)
        if (comes && there === undefined) rows.put(null, { id })
        if (!comes && there !== undefined) rows.put(there, null)
        expect(rows.nextId()).toBe(Math.max(0, ...[...rows.rows()].map(row => row.id)) + 1)
      }
    }),
  )
})
