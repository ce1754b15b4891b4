import { describe, expect, test } from 'vitest'
import { SmallCloud } from '../../test/small-cloud.ts'
import { GENESIS } from '../store/chain.ts'
import { MemoryStore } from '../store/memory-store.fixture.ts'
import type { World } from '../world/world.ts'
import { blockOf, blockScope, findHostPoint, maxPercent, meanPercent } from './host-blocks.ts'
import { decodePoints } from './points.ts'
import { type SampleOutcome, UsageRecorder } from './recorder.loop.ts'
import { sampleZones } from './sample.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './steps.ts'
import { readUsageRows, type UsagePut, type UsageTable } from './usage.rows.ts'

const START_MS = 20_000 * DAY_MS

const makeCloud = () =>
  new SmallCloud()
    .add('host', { has: { VCPU: 10, MEMORY_MB: 1_000 } })
    .add('numa', { parent: 'host', has: { VCPU: 6 } })
    .add('nfs', { has: { DISK_GB: 500 } })

/** What one process has of its own: the clock and the store are shared. */
function makeProcess(world: World, store: MemoryStore, clock: { ms: number }) {
  const outcomes: SampleOutcome[] = []
  let batches = 0
  const recorder = new UsageRecorder({
    world,
    store,
    put: async (rows: readonly UsagePut[]) =>
      store.write(GENESIS, () => ({ id: `${++batches}`, atMs: clock.ms, changes: [], plain: rows })),
    clock: { nowMs: () => clock.ms },
    defaultZone: () => 'nova',
    newTurns: () => ({ give: async () => undefined }),
    offsetMs: 0,
    recorded: outcome => outcomes.push(outcome),
  })
  return { recorder, outcomes }
}

const read = async (store: MemoryStore, table: UsageTable, scope: string, nowMs: number) =>
  (await readUsageRows(store, table, scope, 0, nowMs)).map(({ at_ms, points }) => ({
    at_ms,
    VCPU: decodePoints(points).get('VCPU'),
  }))

test('a host counts in its zone with its tree, what no host has in the cloud only', async () => {
  const { world } = makeCloud()
    .claim('one', { host: { VCPU: 3 }, numa: { VCPU: 2 } })
    .claim('two', { nfs: { DISK_GB: 7 } })
  const scopes = await sampleZones(world, 'nova', { give: async () => undefined })
  const amounts = [...scopes].map(([scope, points]) => [
    scope,
    Object.fromEntries([...points].map(([name, { capacity, sum }]) => [name, [sum, capacity]])),
  ])
  expect(Object.fromEntries(amounts)).toEqual({
    cloud: { VCPU: [5, 16], MEMORY_MB: [0, 1_000], DISK_GB: [7, 500] },
    'zone:nova': { VCPU: [5, 16], MEMORY_MB: [0, 1_000] },
  })
})

describe('recorded', () => {
  test('each minute once, and in its hour and day, by any of several processes', async () => {
    const cloud = makeCloud()
    const store = new MemoryStore()
    const clock = { ms: START_MS }
    const processes = [1, 2, 3].map(() => makeProcess(cloud.world, store, clock))
    const used: number[] = []
    for (let nth = 0; nth < 12; nth++) {
      clock.ms = START_MS + nth * MINUTE_MS + 500
      if (nth % 2 === 1) cloud.claim(`c${nth}`, { host: { VCPU: 1 } })
      cloud.world.revision++
      used.push((used.at(-1) ?? 0) + (nth % 2))
      // Another one is first each minute, and once all are at the same time.
      const order = processes.toSorted(
        (a, b) => ((processes.indexOf(a) + nth) % 3) - ((processes.indexOf(b) + nth) % 3),
      )
      if (nth === 5) await Promise.all(order.map(({ recorder }) => recorder.recordDue()))
      else for (const { recorder } of order) await recorder.recordDue()
    }
    const minutes = await read(store, 'usage_minutes', 'cloud', clock.ms)
    expect(minutes.map(({ at_ms }) => (at_ms - START_MS) / MINUTE_MS)).toEqual(used.map((_, nth) => 11 - nth))
    expect(minutes.map(({ VCPU }) => VCPU?.sum)).toEqual(used.toReversed())
    const day = {
      capacity: 16,
      sum: used.reduce((sum, one) => sum + one, 0),
      min: 0,
      max: 6,
      samples: 12,
    }
    expect(await read(store, 'usage_hours', 'zone:nova', clock.ms)).toEqual([{ at_ms: START_MS, VCPU: day }])
    expect(await read(store, 'usage_days', 'cloud', clock.ms)).toEqual([{ at_ms: START_MS, VCPU: day }])
    const all = processes.flatMap(({ outcomes }) => outcomes)
    // Twelve minutes, and hosts at minute 0 and 10.
    expect(all.filter(outcome => outcome === 'recorded')).toHaveLength(14)
    expect(all.filter(outcome => outcome === 'failed')).toEqual([])
  })

  test('a restart goes on with the hour that it finds, and the time in between is a gap', async () => {
    const { world } = makeCloud()
    const store = new MemoryStore()
    const clock = { ms: START_MS }
    await makeProcess(world, store, clock).recorder.recordDue()
    clock.ms += 20 * MINUTE_MS
    const { recorder } = makeProcess(world, store, clock)
    await recorder.recordDue()
    await recorder.recordDue()
    const minutes = await read(store, 'usage_minutes', 'cloud', clock.ms)
    expect(minutes.map(({ at_ms }) => (at_ms - START_MS) / MINUTE_MS)).toEqual([20, 0])
    const [hour] = await read(store, 'usage_hours', 'cloud', clock.ms)
    expect(hour?.VCPU?.samples).toBe(2)
  })

  test('goes on after a clock that was ahead was set back', async () => {
    const { world } = makeCloud()
    const store = new MemoryStore()
    const clock = { ms: START_MS }
    const { recorder, outcomes } = makeProcess(world, store, clock)
    await recorder.recordDue()
    clock.ms = START_MS + 20 * HOUR_MS
    await recorder.recordDue()
    clock.ms = START_MS + MINUTE_MS
    await recorder.recordDue()
    const hours = await read(store, 'usage_hours', 'cloud', clock.ms)
    expect(hours.map(({ VCPU }) => VCPU?.samples)).toEqual([1, 2])
    // The hosts of these ten minutes are there.
    expect(outcomes).toEqual(['recorded', 'recorded', 'recorded', 'recorded', 'recorded', 'present'])
  })

  test('a sample that cannot be stored leaves a gap, and what follows is right again', async () => {
    const { world } = makeCloud()
    const store = new MemoryStore()
    const clock = { ms: START_MS }
    const { recorder, outcomes } = makeProcess(world, store, clock)
    await recorder.recordDue()
    store.isObstructed = true
    clock.ms += MINUTE_MS
    await recorder.recordDue()
    store.isObstructed = false
    clock.ms += MINUTE_MS
    await recorder.recordDue()
    expect(outcomes).toEqual(['recorded', 'recorded', 'failed', 'recorded'])
    const [hour] = await read(store, 'usage_hours', 'cloud', clock.ms)
    expect(hour?.VCPU?.samples).toBe(2)
  })

  test('how full the tightest class of a host is, every ten minutes and as a day', async () => {
    const cloud = makeCloud().claim('one', { host: { VCPU: 4, MEMORY_MB: 750 } })
    const store = new MemoryStore()
    const clock = { ms: START_MS }
    const { recorder } = makeProcess(cloud.world, store, clock)
    for (let nth = 0; nth <= 10; nth++) {
      clock.ms = START_MS + nth * MINUTE_MS
      if (nth === 4) cloud.claim('two', { host: { VCPU: 4 }, numa: { VCPU: 6 } })
      cloud.world.revision++
      await recorder.recordDue()
    }
    const uuid = cloud.uuid('host')
    const rows = await readUsageRows(store, 'usage_minutes', blockScope(blockOf(uuid)), 0, clock.ms)
    const points = rows.map(({ points }) => findHostPoint(points, uuid))
    expect(points.map(point => point && [maxPercent(point), point.classAt])).toEqual([
      [87.5, 0],
      [75, 2],
    ])
    const [day] = await readUsageRows(store, 'usage_days', blockScope(blockOf(uuid)), 0, clock.ms)
    const point = findHostPoint(day?.points ?? '', uuid)
    expect(point && [meanPercent(point), maxPercent(point), point.samples, point.classAt]).toEqual([
      81.25, 87.5, 2, 0,
    ])
  })

  test('steps are gone when they are older than their table keeps them', async () => {
    const { world } = makeCloud()
    const store = new MemoryStore()
    const clock = { ms: START_MS }
    const { recorder } = makeProcess(world, store, clock)
    await recorder.recordDue()
    clock.ms += 27 * HOUR_MS
    expect(await read(store, 'usage_minutes', 'cloud', clock.ms)).toEqual([])
    expect(await read(store, 'usage_days', 'cloud', clock.ms)).toHaveLength(1)
  })
})
