import { Problem } from './problem.ts'

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))?$/
const UNITS_MS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** A day, a time with its zone, or so long ago. */
export function parseTime(field: string, text: string, nowMs: number, code: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const unitMs = UNITS_MS.get(unit ?? '')
  if (unitMs !== undefined) return nowMs - Number(count) * unitMs
  const atMs = TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(atMs))
    throw new Problem(
      400,
      code,
      `${field}: ${text} is neither a time such as 2026-11-18T09:00:00Z nor a duration such as 12h.`,
      { field, value: text },
    )
  return atMs
}
