import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classId, type ProviderSlot } from '../kernel/ids.ts'
import { Inventories } from './inventories.ts'
import type { Row } from './tables.ts'

const inventory = (units: fc.Arbitrary<number>): fc.Arbitrary<Row<'inventories'> | null> =>
  fc.option(
    fc.record({
      provider_id: fc.constant(0),
      class_id: fc.constant(1),
      total: fc.integer({ min: 1, max: 40 }),
      reserved: fc.integer({ min: 0, max: 10 }),
      min_unit: units,
      max_unit: fc.integer({ min: 1, max: 40 }),
      step_size: units,
      allocation_ratio: fc.constantFrom(0.3, 1, 1.5, 16),
      updated_at: fc.constant(0),
    }),
  )

test.each([
  ['where all give by ones', fc.constant(1)],
  ['whatever the units', fc.integer({ min: 1, max: 5 })],
])('an amount fits by the rules of the newest inventory and usage, %s', (_, units) => {
  const steps = fc.array(fc.tuple(inventory(units), fc.integer({ min: 0, max: 50 })), { maxLength: 6 })
  fc.assert(
    fc.property(steps, steps => {
      const [slot, id] = [0 as ProviderSlot, classId(1)]
      const inventories = new Inventories()
      let used = 0
      let before: Row<'inventories'> | null = null
      for (const [after, usedNext] of steps) {
        if (before !== null || after !== null) inventories.put(before, after)
        inventories.use(slot, id, usedNext - used)
        used = usedNext
        before = after
        for (let amount = 0; amount <= 45; amount++)
          expect(inventories.columns(id)?.fits(slot, amount)).toBe(
            after !== null && allows(after, used, amount),
          )
      }
    }),
  )
})

function allows(row: Row<'inventories'>, used: number, amount: number): boolean {
  return (
    used + amount <= (row.total - row.reserved) * row.allocation_ratio &&
    amount >= row.min_unit &&
    amount <= row.max_unit &&
    amount % row.step_size === 0
  )
}
