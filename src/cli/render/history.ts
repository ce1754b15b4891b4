import type { Forecasts, History, HistorySeries } from '../../wire/history.ts'
import { flexible, type Look, right, table } from './table.ts'

const BLOCKS = '▁▂▃▄▅▆▇█'
/** So that a usage that hardly changes is a line, not a saw. */
const RANGE_MIN = 0.02

/** A character for each step: its height between the lowest and the highest; a blank for a gap. */
function sparkline(values: readonly (number | null)[]): string {
  const known = values.filter(value => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const range = Math.max(high - low, RANGE_MIN * high)
  return values
    .map(value => {
      if (value === null) return ' '
      const level = range === 0 ? 0 : Math.floor(((value - low) / range) * BLOCKS.length)
      return BLOCKS[Math.min(level, BLOCKS.length - 1)]
    })
    .join('')
}

/** Means have fractions; of large amounts they are only noise. */
const round = (value: number): string =>
  String(value < 1_000 ? Math.round(value * 10) / 10 : Math.round(value))

const ofAll = (values: readonly (number | null)[], choose: (...all: number[]) => number): string => {
  const known = values.filter(value => value !== null)
  return known.length === 0 ? '-' : round(choose(...known))
}

/** A line for each class. */
export function historyText({ series, span, recorded_from, gaps }: History, look: Look): string {
  const isHost = series.some(({ resource_class }) => resource_class === null)
  const rows = table(
    [
      'class',
      right('latest'),
      right('of'),
      right('lowest'),
      right('highest'),
      flexible(`trend of a ${span}`),
    ],
    series.map(one => [
      nameOf(one),
      ofLast(one.used, isHost),
      ofLast(one.capacity, isHost),
      ofAll(one.used_min, Math.min),
      ofAll(one.used_max, Math.max),
      sparkline(one.used),
    ]),
    look,
  )
  const lines = [
    ...(recorded_from === null ? [] : [`recorded from ${showTime(recorded_from)}`]),
    ...gaps.map(({ from, to }) => `nothing recorded from ${showTime(from)} to ${showTime(to)}`),
  ]
  return `${rows}${lines.map(line => `${line}\n`).join('')}`
}

function nameOf({ resource_class, tightest }: HistorySeries): string {
  return resource_class ?? `tightest: ${tightest?.findLast(name => name !== null) ?? '-'}`
}

function ofLast(values: readonly (number | null)[], isPercent: boolean): string {
  const last = values.findLast(value => value !== null)
  return last === undefined || last === null ? '-' : `${round(last)}${isPercent ? '%' : ''}`
}

const showTime = (time: string): string => `${time.slice(0, 16)}Z`

/** A line for each forecast, the soonest end first. */
export const forecastText = ({ forecasts }: Forecasts, look: Look): string =>
  table(
    [right('used'), right('of'), right('likely in'), flexible('forecast')],
    forecasts.map(({ used, capacity, likely_days, text }) => [
      round(used),
      round(capacity),
      likely_days === null ? '-' : `${Math.round(likely_days)} d`,
      text,
    ]),
    look,
  )
