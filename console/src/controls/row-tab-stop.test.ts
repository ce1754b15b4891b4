import { describe, expect, test } from 'vitest'
import { rowTabStop } from './row-tab-stop.ts'

const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ index: from + at }))

describe('the row that the tab key gets to', () => {
  test('is the one that was used last', () => {
    expect(rowTabStop(rows(0, 20), 7, 0, 3)).toBe(7)
  })

  test('is one in sight while that is scrolled away, and the same until it leaves', () => {
    const stop = rowTabStop(rows(40, 60), 7, 7, 3)
    expect(stop).toBe(44)
    expect(rowTabStop(rows(42, 62), 7, stop, 3)).toBe(44)
    expect(rowTabStop(rows(50, 70), 7, stop, 3)).toBe(54)
    expect(rowTabStop(rows(0, 20), 30, 44, 3)).toBe(0)
  })

  test('comes back with the row that was used last', () => {
    expect(rowTabStop(rows(5, 25), 7, 20, 3)).toBe(7)
  })

  test('is drawn, however few rows there are', () => {
    expect(rowTabStop(rows(9, 10), 0, 0, 3)).toBe(10)
    expect(rowTabStop([], 0, 0, 3)).toBe(0)
  })
})
