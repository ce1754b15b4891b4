import { expect, test } from 'vitest'
import { marginText } from './decision-words.ts'

const host = (name: string, weight: number, parts: Readonly<Record<string, number>> = {}) => ({
  host: name,
  provider: name,
  weight,
  weighers: Object.entries(parts).map(([weigher, part]) => ({ weigher, weight: part })),
})

test('the margin names the weigher that made the difference', () => {
  const top = [
    host('a', 2, { RAMWeigher: 1, CPUWeigher: 1 }),
    host('b', 1.25, { RAMWeigher: 0.4, CPUWeigher: 0.85 }),
  ]
  expect(marginText(top)).toBe('a was ahead of b by 0.750, mostly by RAMWeigher.')
})

test('without parts of the weight only the numbers are told', () => {
  expect(marginText([host('a', 2), host('b', 1)])).toBe('a was ahead of b by 1.000.')
})

test('a tie, a single host and none are told as such', () => {
  expect(marginText([host('a', 1), host('b', 1)])).toMatch(/same weight/)
  expect(marginText([host('a', 1)])).toBe('a was the only host that passed.')
  expect(marginText([])).toBe('No host passed.')
})
