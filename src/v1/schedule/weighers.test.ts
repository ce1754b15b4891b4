import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ weight_multipliers: { disk_weight_multiplier: 5 } })
})
afterAll(() => berth.end())

const evaluate = (body: unknown, headers: Record<string, string> = {}) =>
  berth.ask('POST', '/v1/weighers/evaluate', { body, headers })

test('hosts are put in order, and each weigher says what it had to do with it', async () => {
  const hosts = [
    { name: 'a', free_ram_mb: 1024 },
    { name: 'b', free_ram_mb: 4096, aggregates: [{ ram_weight_multiplier: '2.5' }] },
    { name: 'c', free_ram_mb: 2048, aggregates: [{ ram_weight_multiplier: 'much' }] },
  ]
  const { status, json } = await evaluate({ items: [{ hosts }], weighers: ['RAMWeigher', 'CPUWeigher'] })
  expect(status).toBe(200)
  const [{ hosts: weighed, order }] = json.results
  expect(order).toEqual(['b', 'c', 'a'])
  expect(weighed.map((one: { weight: number }) => one.weight)).toEqual([0.25, 2.5, 0.5])
  expect(weighed[1].contributions).toEqual([
    { weigher: 'RAMWeigher', raw: 4096, normalized: 1, multiplier: 2.5, weight: 2.5, notes: [] },
    { weigher: 'CPUWeigher', raw: 0, normalized: 0, multiplier: 1, weight: 0, notes: [] },
  ])
  expect(weighed[2].contributions[0].notes).toMatchObject([
    { code: 'number.unreadable', text: expect.stringContaining('ram_weight_multiplier should be a number') },
  ])
})

test('the weighers and multipliers of the server count unless a request has its own', async () => {
  const hosts = [
    { name: 'a', free_disk_mb: 1 },
    { name: 'b', free_disk_mb: 2 },
  ]
  const settings = { weight_multipliers: { disk_weight_multiplier: -1 } }
  const { json } = await evaluate({ items: [{ hosts }, { hosts, settings }] })
  expect(json.results.map((one: { order: string[] }) => one.order)).toEqual([
    ['b', 'a'],
    ['a', 'b'],
  ])
  expect(json.results[0].hosts[1].weight).toBe(5)
  expect(json.results[0].hosts[1].contributions).toHaveLength(14)
})

test('groups, images and metrics can be weighed too', async () => {
  const hosts = [
    { name: 'a', instance_images: [{ os: 'linux' }, { os: 'linux' }], metrics: { heat: 1 } },
    { name: 'b', instance_images: [{ os: 'bsd' }], metrics: { heat: 9 } },
  ]
  const settings = {
    metrics_weight_setting: { heat: -1 },
    weight_multipliers: { image_props_weight_multiplier: 1 },
  }
  const { json } = await evaluate({
    weighers: ['ServerGroupSoftAffinityWeigher', 'ImagePropertiesWeigher', 'MetricsWeigher'],
    items: [
      {
        hosts,
        settings,
        image_properties: { os: 'linux' },
        server_group: { policy: 'soft-affinity', members: { b: 2 } },
      },
    ],
  })
  expect(
    json.results[0].hosts.map((one: { contributions: { raw: number }[] }) =>
      one.contributions.map(({ raw }) => raw),
    ),
  ).toEqual([
    [0, 2, -1],
    [2, 0, -9],
  ])
})

test('a lone host is not weighed', async () => {
  const { json } = await evaluate({ items: [{ hosts: [{ name: 'a' }] }, { hosts: [] }] })
  expect(json.results).toEqual([
    { hosts: [{ name: 'a', weight: 0, contributions: [] }], order: ['a'] },
    { hosts: [], order: [] },
  ])
})

test('a weigher that does not exist is refused with the names of those that do', async () => {
  const { status, json } = await evaluate({ items: [], weighers: ['RAMWeigher', 'LuckWeigher'] })
  expect(status).toBe(400)
  expect(json).toMatchObject({ code: 'weighers.unknown', field: 'weighers.1', name: 'LuckWeigher' })
  expect(json.names).toContain('CPUWeigher')
})

test.each([
  ['no hosts', { items: [{}] }, 'items.0'],
  ['a figure beyond reason', { items: [{ hosts: [{ free_ram_mb: 1e300 }] }] }, 'items.0.hosts.0.free_ram_mb'],
  [
    'a figure that is a text',
    { items: [{ hosts: [{}, { vcpus_total: '8' }] }] },
    'items.0.hosts.1.vcpus_total',
  ],
])('%s: refused, and the item is named', async (_, body, field) => {
  const { status, json } = await evaluate(body)
  expect(status).toBe(400)
  expect(json).toMatchObject({ code: 'request.invalid', field })
})

test('ten thousand hosts are weighed at once, and not one more', async () => {
  const hosts = Array.from({ length: 10_000 }, (_, at) => ({ name: `h${at}`, free_ram_mb: at }))
  const taken = await evaluate({ items: [{ hosts }], weighers: ['RAMWeigher'] })
  expect(taken.json.results[0].order[0]).toBe('h9999')
  const refused = await evaluate({ items: [{ hosts }, { hosts: [{}] }] })
  expect(refused.status).toBe(413)
  expect(refused.json).toMatchObject({ code: 'weighers.too-many', count: 10_001, max: 10_000 })
})
