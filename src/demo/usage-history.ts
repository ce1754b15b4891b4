import {
  blockScope,
  encodeBlock,
  type HostFullness,
  type HostPoint,
  hashOf,
  toBlocks,
} from '../usage-history/host-blocks.ts'
import { encodePoints, type Point, type Points } from '../usage-history/points.ts'
import { CLOUD_SCOPE, sampleAggregates, sampleHosts, sampleZones } from '../usage-history/sample.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfStep, TEN_MINUTES_MS } from '../usage-history/steps.ts'
import { stepOf, type UsagePut, type UsageTable } from '../usage-history/usage.rows.ts'
import type { World } from '../world/world.ts'

/** As far back as the demo goes: enough for every chart, and few enough rows to write them in a moment. */
const MINUTES_MS = DAY_MS
const HOURS_MS = 14 * DAY_MS
const DAYS_MS = 60 * DAY_MS

/** Which part of the present usage came within the last thirty days. Memory of zone b, whose rack b2 is full, grows fastest. */
const GROWTH: Readonly<Record<string, number>> = { 'zone:b MEMORY_MB': 0.55, 'zone:b VCPU': 0.2 }
const GROWTH_DEFAULT = 0.05
/** How far usage swings within a day, as a part of itself. */
const SWING = 0.02
const ROWS_PER_BATCH = 2_000
const AT_ONCE = { give: async () => undefined }

/** A made-up past of the demo cloud that leads to its present, in batches. */
export async function makeUsageHistory(world: World, nowMs: number): Promise<UsagePut[][]> {
  const zones = await sampleZones(world, 'nova', AT_ONCE)
  const aggregates = await sampleAggregates(world, AT_ONCE)
  const hosts = await sampleHosts(world, AT_ONCE)
  const rows: UsagePut[] = []
  const add = (table: UsageTable, scope: string, at_ms: number, points: string) =>
    rows.push({ table, row: { scope, points, is_made_up: 1, at_ms } })
  const addAll = (table: UsageTable, scopes: ReadonlyMap<string, Points>, spanMs: number, stepMs: number) => {
    for (const atMs of listSteps(nowMs, spanMs, stepMs))
      for (const [scope, points] of makePast(scopes, atMs, stepMs, nowMs))
        add(table, scope, atMs, encodePoints(points))
  }
  addAll('usage_minutes', zones, MINUTES_MS, MINUTE_MS)
  addAll('usage_minutes', aggregates, MINUTES_MS, TEN_MINUTES_MS)
  for (const scopes of [zones, aggregates]) {
    addAll('usage_hours', scopes, HOURS_MS, HOUR_MS)
    addAll('usage_days', scopes, DAYS_MS, DAY_MS)
  }
  for (const [table, spanMs, stepMs] of [
    ['usage_minutes', MINUTES_MS, TEN_MINUTES_MS],
    ['usage_days', DAYS_MS, DAY_MS],
  ] as const)
    for (const atMs of listSteps(nowMs, spanMs, stepMs))
      for (const [block, text] of encodePastHosts(hosts, atMs, stepMs, nowMs).entries())
        add(table, blockScope(block), atMs, text)
  return Array.from({ length: Math.ceil(rows.length / ROWS_PER_BATCH) }, (_, nth) =>
    rows.slice(nth * ROWS_PER_BATCH, (nth + 1) * ROWS_PER_BATCH),
  )
}

/** The steps before the one under way. */
function listSteps(nowMs: number, spanMs: number, stepMs: number): number[] {
  const from = startOfStep(nowMs - spanMs, stepMs)
  return Array.from({ length: (startOfStep(nowMs, stepMs) - from) / stepMs }, (_, nth) => from + nth * stepMs)
}

/** The cloud is its zones, and what none of them has. */
function makePast(
  present: ReadonlyMap<string, Points>,
  atMs: number,
  stepMs: number,
  nowMs: number,
): Map<string, Points> {
  const past = new Map<string, Points>()
  for (const [scope, points] of present) {
    if (scope === CLOUD_SCOPE) continue
    const samples = Math.max(1, stepMs / stepOf(scope))
    past.set(
      scope,
      new Map(
        [...points].map(([unit, { capacity, sum }]) => {
          const mean = Math.min(capacity, Math.round(sum * factorAt(`${scope} ${unit}`, atMs, nowMs)))
          const swing = stepMs < HOUR_MS ? 0 : Math.round((mean * SWING * stepMs) / DAY_MS)
          return [unit, { capacity, sum: mean * samples, min: mean - swing, max: mean + swing, samples }]
        }),
      ),
    )
  }
  const cloud = present.get(CLOUD_SCOPE)
  if (cloud !== undefined)
    past.set(CLOUD_SCOPE, addUp(cloud, present, past, Math.max(1, stepMs / stepOf(CLOUD_SCOPE))))
  return past
}

function addUp(
  cloud: Points,
  present: ReadonlyMap<string, Points>,
  past: ReadonlyMap<string, Points>,
  samples: number,
): Points {
  return new Map(
    [...cloud].map(([unit, now]): [string, Point] => {
      const zones = [...past].flatMap(([scope, points]) => {
        const point = points.get(unit)
        return point === undefined ? [] : [{ point, used: present.get(scope)?.get(unit)?.sum ?? 0 }]
      })
      const rest = now.sum - zones.reduce((sum, { used }) => sum + used, 0)
      const total = (read: (point: Point) => number) => zones.reduce((sum, { point }) => sum + read(point), 0)
      return [
        unit,
        {
          capacity: now.capacity,
          sum: rest * samples + total(point => point.sum),
          min: rest + total(point => point.min),
          max: rest + total(point => point.max),
          samples,
        },
      ]
    }),
  )
}

function encodePastHosts(
  hosts: readonly HostFullness[],
  atMs: number,
  stepMs: number,
  nowMs: number,
): string[] {
  const samples = stepMs / TEN_MINUTES_MS
  const past = hosts.map(host => ({ ...host, share: host.share * factorAt(host.uuid, atMs, nowMs) }))
  return toBlocks(past).map(block => {
    const points = [...block].map(([host, point]): [number, HostPoint] => [
      host,
      { ...point, sum: point.sum * samples, samples },
    ])
    return encodeBlock(new Map(points))
  })
}

/** What the present usage is multiplied with: growth, days and nights, and some noise, which end at 1. */
function factorAt(key: string, atMs: number, nowMs: number): number {
  const age = (nowMs - atMs) / DAY_MS
  const growth = Math.max(0.2, 1 - ((GROWTH[key] ?? GROWTH_DEFAULT) * age) / 30)
  const wave = (ms: number) => Math.sin((2 * Math.PI * ((ms % DAY_MS) - 9 * HOUR_MS)) / DAY_MS)
  const fading = Math.min(1, age * 4)
  return growth * (1 + SWING * fading * (wave(atMs) - wave(nowMs)) + 0.006 * fading * noise(key, atMs))
}

/** Between -1 and 1, always the same for a key and a time. */
function noise(key: string, atMs: number): number {
  const value =
    Math.sin((hashOf(`${key} ${Math.floor(atMs / MINUTE_MS / 20)}`) % 10_007) * 12.9898) * 43_758.5453
  return 2 * (value - Math.floor(value)) - 1
}
