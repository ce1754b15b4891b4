import { describe, expect, test } from 'vitest'
import { DAYS_NEEDED, type DayMean, forecast } from './forecast.ts'

const NOW = 20_000
/** One mean a day for the days before now. */
const series = (days: number, used: (nth: number) => number): DayMean[] =>
  Array.from({ length: days }, (_, nth) => ({ day: NOW - days + nth + 0.5, used: used(nth) }))
/** Always the same noise between -1 and 1. */
const noise = (nth: number): number => Math.sin(nth * 12.9898) * Math.cos(nth * 78.233)

test('a straight line ends when it reaches the capacity, without uncertainty', () => {
  // 500.5 in the middle of the first day, 10 a day more: 780 after 28 days.
  const found = forecast(
    series(28, nth => 505 + 10 * nth),
    1_000,
    780,
    NOW,
  )
  expect(found).toMatchObject({ kind: 'ends', horizonDays: 112 })
  if (found.kind !== 'ends') throw new Error()
  for (const days of [found.soonestDays, found.likelyDays, found.latestDays]) expect(days).toBeCloseTo(22, 6)
})

test('noise makes a range around the true end, and more noise a wider one', () => {
  const rangeOf = (size: number) => {
    const found = forecast(
      series(28, nth => 505 + 10 * nth + size * noise(nth)),
      1_000,
      780,
      NOW,
    )
    if (found.kind !== 'ends' || found.latestDays === null) throw new Error(found.kind)
    expect(found.soonestDays).toBeLessThan(22)
    expect(found.latestDays).toBeGreaterThan(22)
    return found.latestDays - found.soonestDays
  }
  expect(rangeOf(40)).toBeGreaterThan(rangeOf(10))
})

test('three odd days of 28 move the end by less than two days', () => {
  const odd = series(28, nth => 505 + 10 * nth + (nth === 5 || nth === 13 || nth === 26 ? 300 : 0))
  const found = forecast(odd, 1_000, 780, NOW)
  expect(found.kind === 'ends' && Math.abs((found.likelyDays ?? 0) - 22)).toBeLessThan(2)
})

describe('nothing is foretold', () => {
  test('from fewer than seven days, however steep', () => {
    expect(
      forecast(
        series(DAYS_NEEDED - 1, nth => 100 * nth),
        1_000,
        600,
        NOW,
      ),
    ).toEqual({
      kind: 'too-little-data',
      days: 6,
      daysNeeded: 7,
    })
    expect(forecast([], 1_000, 0, NOW)).toMatchObject({ kind: 'too-little-data', days: 0 })
  })

  test('from days that are too long ago', () => {
    const old = series(60, nth => nth).slice(0, 30)
    expect(forecast(old, 1_000, 10, NOW).kind).toBe('too-little-data')
  })

  test('of a usage that falls or stays, or grows too slowly for the horizon', () => {
    const kindOf = (used: (nth: number) => number) => forecast(series(28, used), 1_000, 500, NOW)
    expect(kindOf(nth => 900 - 10 * nth)).toEqual({ kind: 'no-end', trend: 'falls', horizonDays: 112 })
    expect(kindOf(() => 500)).toMatchObject({ kind: 'no-end', trend: 'level' })
    expect(kindOf(nth => 500 + nth)).toMatchObject({ kind: 'no-end', trend: 'grows' })
  })
})

test('a trend that may be level has a soonest end and no latest one', () => {
  // Grows by one a day under a noise of forty times as much.
  const found = forecast(
    series(10, nth => 940 + nth + 40 * noise(nth)),
    1_000,
    950,
    NOW,
  )
  expect(found).toMatchObject({ kind: 'ends', latestDays: null })
})

test('what is full already needs no forecast', () => {
  expect(forecast([], 10, 10, NOW)).toEqual({ kind: 'full' })
  expect(forecast([], 10, 12, NOW)).toEqual({ kind: 'full' })
})

test('gaps between days do not bend the trend', () => {
  const gappy = series(28, nth => 505 + 10 * nth).filter((_, nth) => nth < 6 || nth > 19)
  const found = forecast(gappy, 1_000, 780, NOW)
  expect(found.kind === 'ends' && found.likelyDays).toBeCloseTo(22, 6)
})
