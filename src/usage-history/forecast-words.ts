import { countText } from '../kernel/count-text.ts'
import type { Forecast } from './forecast.ts'

/** The forecast as one sentence, the same in answers, command line, console and attention. */
export function describeForecast(unit: string, place: string, found: Forecast): string {
  const what = `${unit} of ${place}`
  switch (found.kind) {
    case 'full':
      return `${what} is used up`
    case 'too-little-data':
      return `${what}: no forecast from ${found.days} of ${countDays(found.daysNeeded)}`
    case 'no-end':
      return `${what} does not end within ${countDays(found.horizonDays)}: usage ${TREND_WORDS[found.trend]}`
    case 'ends':
      return `${what} ends ${describeRange(found.soonestDays, found.latestDays)}`
    default:
      return found satisfies never
  }
}

const TREND_WORDS = { falls: 'falls', level: 'stays level', grows: 'grows slowly' } as const

function describeRange(soonestDays: number, latestDays: number | null): string {
  const soonest = Math.floor(soonestDays)
  if (latestDays === null) return `in ${countDays(soonest)} at the soonest, perhaps not at all`
  const latest = Math.ceil(latestDays)
  return latest <= soonest ? `in ${countDays(latest)}` : `in ${soonest} to ${countDays(latest)}`
}

const countDays = (days: number): string => countText(days, 'day')
