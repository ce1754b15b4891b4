import { expect, test } from 'vitest'
import { bandPath, linePath, topOf } from './chart-path.ts'

test('a line goes through the middle of its steps and stops at gaps', () => {
  expect(linePath([0, 10, null, 5, 5], 10, 50, 10)).toBe('M5 10L15 0M35 5L45 5')
})

test('a step between two gaps is a dash', () => {
  expect(linePath([null, 5, null], 10, 30, 10)).toBe('M10 5H20')
})

test('a band is closed between gaps', () => {
  expect(bandPath([0, 0, null, 1], [10, 10, null, 2], 10, 40, 10)).toBe('M5 0L15 0L15 10L5 10Z')
})

test('nothing recorded draws nothing, and a usage of 0 lies at the bottom', () => {
  expect(linePath([null, null], 10, 20, 10)).toBe('')
  expect(linePath([0, 0], 0, 20, 10)).toBe('M5 10L15 10')
  expect([topOf([null, 3], [7, null]), topOf([null])]).toEqual([7, 0])
})
