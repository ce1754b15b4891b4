import type { Store } from '../../store/store.ts'
import { chooseGrid, fillGrid, type Grid } from '../../usage-history/grid.ts'
import {
  blockOf,
  blockScope,
  findHostPoint,
  type HostPoint,
  maxPercent,
  meanPercent,
} from '../../usage-history/host-blocks.ts'
import { decodePoints, type Point } from '../../usage-history/points.ts'
import { HOST_CLASSES } from '../../usage-history/sample.ts'
import { DAY_MS, HOUR_MS } from '../../usage-history/steps.ts'
import { readUsageRows, stepOf, type UsageRow, type UsageTable } from '../../usage-history/usage.rows.ts'
import type { History, HistorySeries } from '../../wire/history.ts'
import { Turns } from '../api/in-turns.ts'
import type { FoundScope } from './scopes.ts'

interface HistoryAsk {
  readonly found: FoundScope
  readonly span: History['span']
  /** Null is all. */
  readonly unit: string | null
  readonly pointsMax: number
}

const SPANS = { day: DAY_MS, month: 30 * DAY_MS, year: 365 * DAY_MS } as const

/** Which table answers for a span, and its steps. */
function chooseTable(span: History['span'], scope: string): { table: UsageTable; stepMs: number } {
  if (span === 'day') return { table: 'usage_minutes', stepMs: stepOf(scope) }
  // Hosts have no hours.
  if (span === 'month' && !scope.startsWith('hosts:')) return { table: 'usage_hours', stepMs: HOUR_MS }
  return { table: 'usage_days', stepMs: DAY_MS }
}

export async function readHistory(
  store: Pick<Store, 'plainRows'>,
  { found, span, unit, pointsMax }: HistoryAsk,
  nowMs: number,
): Promise<History> {
  const isHost = found.scope.kind === 'host'
  const scope = isHost ? blockScope(blockOf(found.stored)) : found.stored
  const { table, stepMs } = chooseTable(span, scope)
  const grid = chooseGrid(SPANS[span], stepMs, pointsMax, nowMs)
  const rows = (await readUsageRows(store, table, scope, grid.fromMs, nowMs)).reverse()
  const turns = new Turns()
  const series = isHost
    ? [await makeHostSeries(grid, rows, found.stored, turns)]
    : await makeSeries(grid, rows, unit, turns)
  return {
    scope: found.scope,
    span,
    ...describeGrid(grid, series),
    series,
    made_up_until: findMadeUp(rows, stepMs),
  }
}

const valuesOf = (steps: readonly (Point | null)[], read: (point: Point) => number): (number | null)[] =>
  steps.map(point => (point === null ? null : read(point)))

async function makeSeries(
  grid: Grid,
  rows: readonly UsageRow[],
  unit: string | null,
  turns: Turns,
): Promise<HistorySeries[]> {
  const byClass = new Map<string, [number, Point][]>()
  for (const { at_ms, points } of rows) {
    await turns.give()
    for (const [name, point] of decodePoints(points)) {
      if (unit !== null && name !== unit) continue
      const known = byClass.get(name) ?? []
      byClass.set(name, known)
      known.push([at_ms, point])
    }
  }
  return [...byClass]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, points]) => {
      const steps = fillGrid(grid, points)
      return {
        resource_class: name,
        used: valuesOf(steps, point => point.sum / point.samples),
        used_min: valuesOf(steps, point => point.min),
        used_max: valuesOf(steps, point => point.max),
        capacity: valuesOf(steps, point => point.capacity),
      }
    })
}

async function makeHostSeries(
  grid: Grid,
  rows: readonly UsageRow[],
  uuid: string,
  turns: Turns,
): Promise<HistorySeries> {
  const points: [number, Point][] = []
  const tightest = new Map<number, HostPoint>()
  for (const { at_ms, points: text } of rows) {
    await turns.give()
    const found = findHostPoint(text, uuid)
    if (found === null) continue
    const { samples } = found
    const mean = meanPercent(found)
    points.push([at_ms, { capacity: 100, sum: mean * samples, min: mean, max: maxPercent(found), samples }])
    const at = Math.floor((at_ms - grid.fromMs) / grid.stepMs)
    if ((tightest.get(at)?.max ?? -1) <= found.max) tightest.set(at, found)
  }
  const steps = fillGrid(grid, points)
  return {
    resource_class: null,
    used: valuesOf(steps, point => point.sum / point.samples),
    used_min: valuesOf(steps, point => point.min),
    used_max: valuesOf(steps, point => point.max),
    capacity: valuesOf(steps, () => 100),
    tightest: steps.map((_, at) => {
      const found = tightest.get(at)
      return found === undefined ? null : (HOST_CLASSES[found.classAt] ?? null)
    }),
  }
}

/** Gaps are those of all classes together: a class that came later has none before. */
function describeGrid({ fromMs, stepMs, steps }: Grid, series: readonly HistorySeries[]) {
  const isKnown = Array.from({ length: steps }, (_, at) => series.some(({ used }) => used[at] !== null))
  const first = isKnown.indexOf(true)
  const timeOf = (at: number): string => new Date(fromMs + at * stepMs).toISOString()
  const gaps: { from: string; to: string }[] = []
  // The step under way may have no sample yet.
  for (let at = first; first >= 0 && at < steps - 1; at++) {
    if (isKnown[at]) continue
    const start = at
    while (at < steps - 1 && !isKnown[at]) at++
    if (at < steps - 1 || at - start > 1) gaps.push({ from: timeOf(start), to: timeOf(at) })
  }
  return {
    from: timeOf(0),
    step_s: stepMs / 1000,
    steps,
    recorded_from: first < 0 ? null : timeOf(first),
    gaps,
  }
}

function findMadeUp(rows: readonly UsageRow[], stepMs: number): string | null {
  const last = rows.findLast(({ is_made_up }) => is_made_up === 1)
  return last === undefined ? null : new Date(last.at_ms + stepMs).toISOString()
}
