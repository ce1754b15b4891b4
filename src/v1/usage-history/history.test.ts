import { afterEach, describe, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { SmallCloud } from '../../../test/small-cloud.ts'
import { THREE_HOSTS } from '../../../test/three-hosts.ts'
import { GENESIS } from '../../store/chain.ts'
import { MemoryStore } from '../../store/memory-store.fixture.ts'
import { encodeBlock, toBlocks } from '../../usage-history/host-blocks.ts'
import { encodePoints, pointOf } from '../../usage-history/points.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, TEN_MINUTES_MS } from '../../usage-history/steps.ts'
import type { UsageTable } from '../../usage-history/usage.rows.ts'
import type { History } from '../../wire/history.ts'
import { makeForecasts } from './forecasts.ts'
import { readHistory } from './read-history.ts'
import { CLOUD } from './scopes.ts'

const NOW_MS = 20_000 * DAY_MS + 12 * HOUR_MS

describe('read', () => {
  let store: MemoryStore
  const put = async (table: UsageTable, scope: string, at_ms: number, points: string, is_made_up = 0) => {
    const row = { scope, points, is_made_up, at_ms }
    await store.write(GENESIS, () => ({
      id: `${table} ${scope} ${at_ms}`,
      atMs: NOW_MS,
      changes: [],
      plain: [{ table, row }],
    }))
  }
  const putVcpus = (table: UsageTable, at_ms: number, used: number, is_made_up = 0) =>
    put(table, 'cloud', at_ms, encodePoints(new Map([['VCPU', pointOf(100, used)]])), is_made_up)
  const read = (span: History['span'], pointsMax: number) =>
    readHistory(store, { found: CLOUD, span, unit: null, pointsMax }, NOW_MS)

  test('steps are joined to as few as asked for, with the mean, the lowest and the highest', async () => {
    store = new MemoryStore()
    for (let minute = 0; minute < 120; minute++)
      await putVcpus('usage_minutes', NOW_MS - (120 - minute) * MINUTE_MS, minute)
    const { step_s, steps, series, recorded_from, gaps } = await read('day', 24)
    expect([step_s, steps]).toEqual([3_600, 24])
    const [vcpu] = series
    expect(vcpu?.used.slice(-4)).toEqual([null, 29.5, 89.5, null])
    expect(vcpu?.used_min.slice(-3, -1)).toEqual([0, 60])
    expect(vcpu?.used_max.slice(-3, -1)).toEqual([59, 119])
    expect(vcpu?.capacity.slice(-3, -1)).toEqual([100, 100])
    expect(recorded_from).toBe(new Date(NOW_MS - 2 * HOUR_MS).toISOString())
    // The step under way is not a gap.
    expect(gaps).toEqual([])
  })

  test('a time without samples is a gap, not a line between its ends', async () => {
    store = new MemoryStore()
    for (const hour of [10, 9, 8, 5, 4, 3, 2, 1]) await putVcpus('usage_hours', NOW_MS - hour * HOUR_MS, 5)
    const { series, gaps } = await read('month', 1_500)
    expect(series[0]?.used.slice(-11)).toEqual([5, 5, 5, null, null, 5, 5, 5, 5, 5, null])
    expect(gaps).toEqual([
      {
        from: new Date(NOW_MS - 7 * HOUR_MS).toISOString(),
        to: new Date(NOW_MS - 5 * HOUR_MS).toISOString(),
      },
    ])
  })

  test('a server that is away until now leaves a gap up to now', async () => {
    store = new MemoryStore()
    for (const hour of [10, 9, 8]) await putVcpus('usage_hours', NOW_MS - hour * HOUR_MS, 5)
    expect((await read('month', 1_500)).gaps).toEqual([
      { from: new Date(NOW_MS - 7 * HOUR_MS).toISOString(), to: new Date(NOW_MS).toISOString() },
    ])
  })

  test('what the demo made up is said with its end', async () => {
    store = new MemoryStore()
    await putVcpus('usage_days', NOW_MS - 3.5 * DAY_MS, 1, 1)
    await putVcpus('usage_days', NOW_MS - 2.5 * DAY_MS, 1)
    expect((await read('year', 100)).made_up_until).toBe(new Date(NOW_MS - 2.5 * DAY_MS).toISOString())
    expect((await read('day', 100)).made_up_until).toBeNull()
  })

  test('of a host in percent, with the class that was the tightest', async () => {
    store = new MemoryStore()
    const hosts = [
      { uuid: uuid(1), share: 0.5, classAt: 0 },
      { uuid: uuid(2), share: 0.25, classAt: 2 },
    ]
    for (const [block, points] of toBlocks(hosts).entries())
      await put('usage_minutes', `hosts:${block}`, NOW_MS - TEN_MINUTES_MS, encodeBlock(points))
    const found = { scope: { kind: 'host', name: 'beta' }, stored: uuid(2) } as const
    const { series } = await readHistory(store, { found, span: 'day', unit: null, pointsMax: 1_500 }, NOW_MS)
    expect(series).toHaveLength(1)
    expect(series[0]).toMatchObject({ resource_class: null })
    expect(series[0]?.used.slice(-2)).toEqual([25, null])
    expect(series[0]?.capacity.slice(-2)).toEqual([100, null])
    expect(series[0]?.tightest?.slice(-2)).toEqual(['MEMORY_MB', null])
  })
})

test('a forecast names as many days as it was made from: not one that is too old, whatever the time of day', async () => {
  const store = new MemoryStore()
  const today = 20_000 * DAY_MS
  const { world } = new SmallCloud().add('host', { has: { VCPU: 100 } })
  for (const day of [29, 6, 5, 4, 3, 2, 1]) {
    const point = { ...pointOf(100, 10), sum: 14_400, samples: 1_440 }
    const points = encodePoints(new Map([['VCPU', point]]))
    const row = { scope: 'cloud', points, is_made_up: 0, at_ms: today - day * DAY_MS }
    const batch = { id: `${day}`, atMs: today, changes: [], plain: [{ table: 'usage_days' as const, row }] }
    await store.write(GENESIS, () => batch)
  }
  for (const hour of [1, 13, 23]) {
    const sources = { world, store, defaultZone: 'nova' }
    const [found] = await makeForecasts(sources, [CLOUD], today + hour * HOUR_MS)
    expect(found).toMatchObject({ days_known: 6, text: 'VCPU of the cloud: no forecast from 6 of 7 days' })
  }
})

describe('over HTTP', () => {
  let berth: Berth
  afterEach(() => berth?.end())
  const ask = async (path: string) => {
    const { status, json } = await berth.ask('GET', `/v1/${path}`)
    return { status, json }
  }

  test('scopes are found by name, and what does not exist or is asked twice is refused by name', async () => {
    berth = await Berth.start()
    const aggregates = [{ name: 'ssd', hosts: ['alpha'], metadata: { availability_zone: 'east' } }]
    const body = { hosts: THREE_HOSTS, aggregates }
    expect((await berth.ask('POST', '/v1/apply?owner=test', { body })).status).toBe(200)
    for (const query of [
      '',
      '?zone=east',
      '?zone=nova',
      '?aggregate=ssd',
      '?aggregate=1',
      '?host=alpha&span=year',
    ])
      expect(await ask(`history${query}`), query).toMatchObject({
        status: 200,
        json: { recorded_from: null },
      })
    expect((await ask('history?aggregate=1')).json.scope).toEqual({ kind: 'aggregate', name: 'ssd' })
    for (const kind of ['zone', 'aggregate', 'host'])
      expect(await ask(`history?${kind}=none`)).toMatchObject({
        status: 404,
        json: { code: 'history.scope-missing', detail: `${kind}: there is no ${kind} none.` },
      })
    expect(await ask('history?zone=east&host=alpha')).toMatchObject({
      status: 400,
      json: { code: 'history.two-scopes' },
    })
    expect((await ask('history?points=1')).json).toMatchObject({ code: 'request.invalid' })
    const { json } = await ask('forecast?zone=east')
    expect(json.forecasts.map(({ text }: { text: string }) => text)).toContain(
      'VCPU of zone east: no forecast from 0 of 7 days',
    )
    expect((await ask('forecast?aggregate=ssd&resource_class=VCPU')).json.forecasts).toMatchObject([
      {
        scope: { kind: 'aggregate', name: 'ssd' },
        outcome: 'too-little-data',
        days_known: 0,
        days_needed: 7,
      },
    ])
  })

  test('the demo has a past that leads to its present, and says that it is made up', async () => {
    berth = await Berth.start({ demo: true })
    const { json } = await ask('history?resource_class=MEMORY_MB&points=24')
    const [memory] = json.series
    expect(memory.used.filter((value: number | null) => value === null).length).toBeLessThanOrEqual(1)
    expect(json.gaps).toEqual([])
    expect(Date.now() - Date.parse(json.made_up_until)).toBeLessThan(2 * MINUTE_MS)
    const { json: made } = await ask('forecast?zone=b&resource_class=MEMORY_MB')
    const [zoneB] = made.forecasts
    expect(zoneB).toMatchObject({ outcome: 'ends', made_up: true })
    expect(zoneB.text).toMatch(/^MEMORY_MB of zone b ends in \d+ to \d+ days$/)
    // The last value is the present: the demo starts in the middle of a day.
    const used = memory.used.findLast((value: number | null) => value !== null)
    const { json: all } = await ask('forecast?resource_class=MEMORY_MB')
    const cloud = all.forecasts.find(({ scope }: { scope: { kind: string } }) => scope.kind === 'cloud')
    expect(Math.abs(used / cloud.used - 1)).toBeLessThan(0.05)
    const { json: host } = await ask('history?host=gp-a1-03&points=10')
    expect(host.series[0].used.every((value: number | null) => value === null || value > 50)).toBe(true)
  })
})
