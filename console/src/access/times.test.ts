import { expect, test } from 'vitest'
import { distanceText } from './times.ts'

const NOW = Date.parse('2026-11-19T12:00:00Z')

test.each([
  ['2026-11-19T12:00:30Z', 'in 30 seconds'],
  ['2026-11-19T12:59:59Z', 'in 59 minutes'],
  ['2026-11-19T10:59:00Z', '1 hour ago'],
  ['2026-11-17T12:00:00Z', '2 days ago'],
  ['2028-12-19T12:00:00Z', 'in 2 years'],
])('%s is %s', (time, text) => {
  expect(distanceText(time, NOW)).toBe(text)
})
