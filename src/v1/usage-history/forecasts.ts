import type { Store } from '../../store/store.ts'
import {
  DAYS_MAX,
  DAYS_NEEDED,
  type DayMean,
  type Forecast as Found,
  forecast,
} from '../../usage-history/forecast.ts'
import { describeForecast } from '../../usage-history/forecast-words.ts'
import { decodePoints, type Points } from '../../usage-history/points.ts'
import { sampleAggregates, sampleZones, ZONES_MAX } from '../../usage-history/sample.ts'
import { DAY_MS, HOUR_MS, startOfStep } from '../../usage-history/steps.ts'
import { readUsageRows, stepOf, type UsageRow } from '../../usage-history/usage.rows.ts'
import type { Forecast, HistoryScope } from '../../wire/history.ts'
import type { World } from '../../world/world.ts'
import { Turns } from '../api/in-turns.ts'
import { CLOUD, type FoundScope, listZones, toZone } from './scopes.ts'

/** A day counts if it was sampled for so long: fewer hours would show a time of day, not a trend. */
const SAMPLED_MS_MIN = 6 * HOUR_MS

export const METHOD =
  `From the means of the last ${DAYS_MAX} whole days, each sampled for 6 hours or more; fewer than ${DAYS_NEEDED} such days give no forecast. ` +
  'The trend is the median of the slopes between all pairs of days (Theil and Sen), its range the 80 % confidence interval of Sen, ' +
  'and the spread of the days around the trend is added to it. It looks four times as far ahead as it knows days, and assumes ' +
  'that the capacity stays as it is now. A class ends when all of it is used; a large request finds no host before that.'

interface ForecastSources {
  readonly world: World
  readonly store: Pick<Store, 'plainRows'>
  readonly defaultZone: string
}

/** The cloud and its zones. */
export const listForecastScopes = ({ world, defaultZone }: ForecastSources): FoundScope[] => [
  CLOUD,
  ...listZones(world, defaultZone).slice(0, ZONES_MAX).map(toZone),
]

/** Of every class of these scopes, the soonest end first. */
export async function makeForecasts(
  sources: ForecastSources,
  scopes: readonly FoundScope[],
  nowMs: number,
): Promise<Forecast[]> {
  const { world, store, defaultZone } = sources
  const turns = new Turns()
  const isAggregate = scopes.some(({ scope }) => scope.kind === 'aggregate')
  const present = isAggregate
    ? await sampleAggregates(world, turns)
    : await sampleZones(world, defaultZone, turns)
  const forecasts: Forecast[] = []
  for (const found of scopes) {
    const fromMs = startOfStep(nowMs, DAY_MS) - DAYS_MAX * DAY_MS
    const rows = await readUsageRows(store, 'usage_days', found.stored, fromMs, nowMs)
    forecasts.push(...forecastScope(found, rows.reverse(), present.get(found.stored) ?? new Map(), nowMs))
  }
  return forecasts.sort((one, other) => rank(one) - rank(other))
}

export const describeScope = ({ kind, name }: HistoryScope): string =>
  name === null ? 'the cloud' : `${kind} ${name}`

const RANKS = { full: -1, ends: 0, 'no-end': 1e6, 'too-little-data': 2e6 } as const
const rank = ({ outcome, soonest_days }: Forecast): number => RANKS[outcome] + (soonest_days ?? 0)

function forecastScope(
  { scope, stored }: FoundScope,
  rows: readonly UsageRow[],
  present: Points,
  nowMs: number,
): Forecast[] {
  const samplesMin = SAMPLED_MS_MIN / stepOf(stored)
  const today = startOfStep(nowMs, DAY_MS)
  const days = rows
    .filter(({ at_ms }) => at_ms < today)
    .map(({ at_ms, points }) => ({ day: at_ms / DAY_MS + 0.5, points: decodePoints(points) }))
  const place = describeScope(scope)
  return [...present]
    .filter(([, { capacity }]) => capacity > 0)
    .map(([unit, { capacity, sum: used }]) => {
      const means: DayMean[] = days.flatMap(({ day, points }) => {
        const point = points.get(unit)
        return point === undefined || point.samples < samplesMin
          ? []
          : [{ day, used: point.sum / point.samples }]
      })
      const found = forecast(means, capacity, used, nowMs / DAY_MS)
      return {
        scope,
        resource_class: unit,
        outcome: found.kind,
        text: describeForecast(unit, place, found),
        used,
        capacity,
        ...listDays(found),
        days_known: means.length,
        days_needed: DAYS_NEEDED,
        made_up: rows.some(({ is_made_up }) => is_made_up === 1),
      }
    })
}

const NO_DAYS = { soonest_days: null, likely_days: null, latest_days: null, horizon_days: null }

function listDays(found: Found): Pick<Forecast, keyof typeof NO_DAYS> {
  switch (found.kind) {
    case 'full':
      return { ...NO_DAYS, soonest_days: 0, likely_days: 0, latest_days: 0 }
    case 'too-little-data':
      return NO_DAYS
    case 'no-end':
      return { ...NO_DAYS, horizon_days: found.horizonDays }
    case 'ends':
      return {
        soonest_days: found.soonestDays,
        likely_days: found.likelyDays,
        latest_days: found.latestDays,
        horizon_days: found.horizonDays,
      }
    default:
      return found satisfies never
  }
}
