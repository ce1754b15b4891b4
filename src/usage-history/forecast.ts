/**
 * Predicts when a growing usage reaches its capacity, from one mean per day.
 *
 * The trend is Theil and Sen's: the median of the slopes between all pairs of days, which a few odd days do not move. Its
 * range is the 80 % confidence interval of Sen (1968), from Kendall's variance. The present level is the trend at the end of
 * the last day; it may be off by the spread of the days around the trend, of which the tenth and ninetieth percentiles are taken.
 * The soonest end is from the higher level and the steeper slope, the latest from the lower ones.
 */

export interface DayMean {
  /** Days since 1970, of the middle of the day. */
  readonly day: number
  readonly used: number
}

export type Forecast =
  | { readonly kind: 'full' }
  | { readonly kind: 'too-little-data'; readonly days: number; readonly daysNeeded: number }
  /** Falls, or does not reach its capacity within the horizon even on the steeper slope. */
  | { readonly kind: 'no-end'; readonly trend: 'falls' | 'level' | 'grows'; readonly horizonDays: number }
  /** Null: not within the horizon, perhaps never. */
  | {
      readonly kind: 'ends'
      readonly soonestDays: number
      readonly likelyDays: number | null
      readonly latestDays: number | null
      readonly horizonDays: number
    }

export const DAYS_NEEDED = 7
/** Older days say little about the present trend. */
export const DAYS_MAX = 28
/** How far ahead a forecast looks: a multiple of the days that it knows. */
const HORIZON_FACTOR = 4
/** Of the normal distribution, for 80 %: a tenth is left on each side. */
const Z = 1.2816
const TAIL = 0.1

/**
 * `days` in order of time, at most one each; `now` in days since 1970. What is used now is not part of the trend: it only says
 * whether all is full already.
 */
export function forecast(days: readonly DayMean[], capacity: number, usedNow: number, now: number): Forecast {
  if (usedNow >= capacity) return { kind: 'full' }
  const recent = days.filter(({ day }) => day > now - DAYS_MAX - 1).slice(-DAYS_MAX)
  if (recent.length < DAYS_NEEDED)
    return { kind: 'too-little-data', days: recent.length, daysNeeded: DAYS_NEEDED }
  const slopes = listSlopes(recent)
  const slope = quantile(slopes, 0.5)
  const [low, high] = findSlopeRange(slopes, recent.length)
  const offset = quantile(sorted(recent.map(({ day, used }) => used - slope * (day - now))), 0.5)
  const spread = sorted(recent.map(({ day, used }) => used - slope * (day - now) - offset))
  const span = (recent.at(-1) as DayMean).day - (recent[0] as DayMean).day + 1
  const horizonDays = Math.round(HORIZON_FACTOR * span)
  const within = (days: number): number | null => (days <= horizonDays ? days : null)
  const soonestDays = within(daysUntil(capacity, offset + quantile(spread, 1 - TAIL), high))
  if (soonestDays === null) return { kind: 'no-end', trend: nameTrend(low, high), horizonDays }
  return {
    kind: 'ends',
    soonestDays,
    likelyDays: within(daysUntil(capacity, offset, slope)),
    latestDays: within(daysUntil(capacity, offset + quantile(spread, TAIL), low)),
    horizonDays,
  }
}

const nameTrend = (low: number, high: number) => (high < 0 ? 'falls' : low > 0 ? 'grows' : 'level')

function daysUntil(capacity: number, level: number, slope: number): number {
  if (level >= capacity) return 0
  return slope > 0 ? (capacity - level) / slope : Number.POSITIVE_INFINITY
}

const sorted = (values: number[]): number[] => values.sort((a, b) => a - b)

function listSlopes(days: readonly DayMean[]): number[] {
  const slopes: number[] = []
  for (const [at, one] of days.entries())
    for (const other of days.slice(at + 1)) slopes.push((other.used - one.used) / (other.day - one.day))
  return sorted(slopes)
}

/** By rank: as many slopes are left out on each side as Kendall's variance allows. */
function findSlopeRange(slopes: readonly number[], days: number): readonly [low: number, high: number] {
  const deviation = Math.sqrt((days * (days - 1) * (2 * days + 5)) / 18)
  const left = Math.max(0, Math.floor((slopes.length - Z * deviation) / 2))
  return [slopes[left] as number, slopes[slopes.length - 1 - left] as number]
}

/** Of values in ascending order; between two of them in proportion. */
function quantile(values: readonly number[], part: number): number {
  const place = part * (values.length - 1)
  const [below, above] = [values[Math.floor(place)] as number, values[Math.ceil(place)] as number]
  return below + (above - below) * (place - Math.floor(place))
}
