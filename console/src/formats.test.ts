import { expect, test } from 'vitest'
import { ratio, ratioOf } from './formats.ts'

test('a ratio is a number also where everything is reserved', () => {
  expect(ratioOf({ total: 4, reserved: 4, capacity: 0 })).toBe(0)
  expect(ratioOf({ total: 5, reserved: 1, capacity: 16 })).toBe(4)
  expect(ratio({ total: 4, reserved: 4, capacity: 0 })).toBe('×0')
  expect(ratio({ total: 5, reserved: 1, capacity: 16 })).toBe('×4')
})
