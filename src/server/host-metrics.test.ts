import { expect, test } from 'vitest'
import { describeMetrics } from '../../scripts/all-metrics.ts'
import { Berth } from '../../test/running-berth.ts'
import { SmallCloud } from '../../test/small-cloud.ts'
import { Registry } from '../http/ops/metrics.ts'
import type { World } from '../world/world.ts'
import { addHostMetrics } from './host-metrics.ts'

function registryOf(world: World, namesMax: number): Registry {
  const registry = new Registry()
  addHostMetrics(registry, world, namesMax)
  return registry
}

async function scraped(world: World, namesMax: number): Promise<string[]> {
  let text = ''
  for await (const piece of registryOf(world, namesMax).pieces()) text += piece
  expect(text.endsWith('\n')).toBe(true)
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
}

const cloudOf = (hosts: number): SmallCloud => {
  const cloud = new SmallCloud()
  for (let nth = 0; nth < hosts; nth++) cloud.add(`host-${nth}`, { has: { VCPU: 8, MEMORY_MB: 1024 } })
  return cloud
}

test('every inventory has the series of openstack-exporter, with its labels', async () => {
  const cloud = new SmallCloud()
    .add('compute-1', { has: { VCPU: { total: 10, reserved: 2, allocationRatio: 1.5 } } })
    .claim('one', { 'compute-1': { VCPU: 3 } })
  const found = await scraped(cloud.world, 10)
  const labels = '{hostname="compute-1",resourcetype="VCPU"}'
  const { generation } = cloud.world.providers.row(cloud.world.providers.findName('compute-1')!)
  expect(found.filter(line => line.startsWith('openstack_'))).toEqual([
    `openstack_placement_resource_total${labels} 10`,
    `openstack_placement_resource_allocation_ratio${labels} 1.5`,
    `openstack_placement_resource_reserved${labels} 2`,
    `openstack_placement_resource_usage${labels} 3`,
    `openstack_placement_resource_generation${labels} ${generation}`,
  ])
})

test('no more names than allowed are shown, and what is left out is counted', async () => {
  const found = await scraped(cloudOf(7).world, 3)
  const names = new Set(found.flatMap(line => /hostname="([^"]+)"/.exec(line)?.[1] ?? []))
  expect([...names].sort()).toEqual(['host-0', 'host-1', 'host-2'])
  expect(found).toContain('berth_providers_not_shown 4')
})

test('ten thousand hosts are read in slices: others get a turn after at most 500 series', async () => {
  const { world } = cloudOf(10_000)
  let read = 0
  const { name } = world.providers
  world.providers.name = slot => {
    read++
    return name.call(world.providers, slot)
  }
  let seen = 0
  let most = 0
  let turns = 0
  let isOver = false
  const look = (): void => {
    most = Math.max(most, read - seen)
    seen = read
    turns++
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  const found = await scraped(world, 10_000)
  isOver = true
  expect(found.filter(line => line.startsWith('openstack_placement_resource_total'))).toHaveLength(20_000)
  expect(read).toBe(100_000)
  expect(most).toBeLessThanOrEqual(500)
  expect(turns).toBeGreaterThanOrEqual(200)
})

test('a provider that is deleted while it is scraped is left out, and nothing else', async () => {
  const cloud = cloudOf(600)
  const registry = registryOf(cloud.world, 600)
  let text = ''
  for await (const piece of registry.pieces()) {
    if (text === '')
      cloud.do('placement:replace-inventories', {
        provider: cloud.uuid('host-1'),
        generation: null,
        inventories: [],
        mayBeFullyReserved: true,
      })
    text += piece
  }
  expect(text).not.toContain('resource_total{hostname="host-1",')
  expect(text).toContain('resource_total{hostname="host-599",resourcetype="VCPU"} 8')
})

test('without the setting no name of a host is shown; with it, hosts, aggregates and pools are, and every metric is described', async () => {
  const plain = await Berth.start({ demo: true })
  const named = await Berth.start({
    demo: true,
    metrics_names_max: 100,
    otlp_endpoint: 'http://127.0.0.1:1',
    traces_sampler: 'always_off',
    audit_cadf_webhook: 'http://127.0.0.1:1',
    reconcile_cloud: 'missing',
    shadow_of: 'http://127.0.0.1:1',
  })
  try {
    const scrape = async (berth: Berth) => (await fetch(`${berth.server.url}/metrics`)).text()
    expect(await scrape(plain)).not.toContain('hostname=')
    const text = await scrape(named)
    expect(text).toMatch(/\nopenstack_placement_resource_total\{hostname="[^"]+",resourcetype="VCPU"\} \d+\n/)
    expect(text).toMatch(/\nberth_aggregate_info\{aggregate="[0-9a-f-]{36}",name="[^"]+"\} 1\n/)
    expect(text).toMatch(
      /\nberth_host_aggregate_info\{hostname="[^"]+",aggregate="[0-9a-f-]{36}",name="[^"]+"\} 1\n/,
    )
    expect(text).toMatch(/\nberth_share_pool_total_gb\{pool="[^"]+@[^"]+#[^"]+"\} \d+\n/)
    expect(text).toContain('\nopenstack_placement_up 1\n')
    expect(text).toContain('\nberth_build_info{version="test",store="sqlite"} 1\n')
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`)
    expect(types.sort()).toEqual(
      describeMetrics()
        .map(({ name, type }) => `${name} ${type}`)
        .sort(),
    )
    const head = await fetch(`${named.server.url}/metrics`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  } finally {
    await plain.end()
    await named.end()
  }
})

test('store latency is measured, and refusals are counted by their reason', async () => {
  const berth = await Berth.start()
  try {
    await berth.ask('POST', '/resource_providers', { minor: 20, body: { name: 'one' } })
    await berth.ask('POST', '/resource_providers', { minor: 39, body: { name: 'one' } })
    await berth.ask('GET', '/nowhere')
    const text = await (await fetch(`${berth.server.url}/metrics`)).text()
    expect(Number(/\nberth_store_commit_seconds_count (\d+)/.exec(text)?.[1])).toBeGreaterThan(0)
    expect(Number(/\nberth_store_commit_seconds_sum (\S+)/.exec(text)?.[1])).toBeGreaterThan(0)
    expect(text).toContain(
      'berth_requests_refused_total{service="placement",reason="placement.duplicate_name"} 1',
    )
    expect(text).toContain('berth_requests_refused_total{service="placement",reason="route.unknown"} 1')
  } finally {
    await berth.end()
  }
})
