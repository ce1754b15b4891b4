const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** How far a time is away, in its largest unit: `in 3 days`, `5 minutes ago`. */
export function distanceText(time: string, nowMs: number): string {
  const seconds = (Date.parse(time) - nowMs) / 1000
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / size), unit)
}
