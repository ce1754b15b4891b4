import type { Registry, Sample } from '../http/ops/metrics.ts'
import { classId, providerSlot } from '../kernel/ids.ts'
import { listAllPools } from '../scheduling/pools/pools.ts'
import type { InventoryColumns } from '../world/inventories.ts'
import type { World } from '../world/world.ts'

type Amount = (columns: InventoryColumns, slot: number, world: World) => number

/** The metric names of openstack-exporter, so that its dashboards and alerts keep working. */
const RESOURCE_METRICS: readonly (readonly [name: string, help: string, amount: Amount])[] = [
  ['total', 'Total of the inventory', ({ total }, slot) => total[slot]!],
  ['allocation_ratio', 'Allocation ratio of the inventory', ({ ratio }, slot) => ratio[slot]!],
  ['reserved', 'Reserved amount', ({ reserved }, slot) => reserved[slot]!],
  ['usage', 'Allocated amount', ({ used }, slot) => used[slot]!],
  [
    'generation',
    'Generation of the provider',
    (_, slot, { providers }) => providers.row(providerSlot(slot)).generation,
  ],
]

/** Providers have few classes and hosts are in few aggregates: on average at most this many are shown. */
const SERIES_PER_NAME_MAX = 20

/**
 * One series per host, aggregate or share pool, labelled with its name. Shows the first `namesMax` of each
 * kind. A scrape reads them in slices.
 */
export function addHostMetrics(registry: Registry, world: World, namesMax: number): void {
  for (const [name, help, amount] of RESOURCE_METRICS)
    registry.longGauge(
      `openstack_placement_resource_${name}`,
      `${help}, by provider and resource class; for the first \`metrics_names_max\` providers, ${SERIES_PER_NAME_MAX} classes each on average.`,
      () => resourceSamples(world, namesMax, amount),
      ['hostname', 'resourcetype'],
    )
  registry.longGauge(
    'berth_host_aggregate_info',
    'Always 1; its labels are a host and a host aggregate that it is in. Join it to group hosts by aggregate.',
    () => memberSamples(world, namesMax),
    ['hostname', 'aggregate', 'name'],
  )
  registry.longGauge(
    'berth_aggregate_info',
    'Always 1; its labels are uuid and name of a host aggregate. Join it to show names in place of the uuids of `berth_aggregate_*`.',
    () => aggregateSamples(world, namesMax),
    ['aggregate', 'name'],
  )
  registry.gauge(
    'berth_providers_not_shown',
    'Providers beyond `metrics_names_max`, which have no series.',
    () => Math.max(0, world.providers.size - namesMax),
  )
  addPoolMetrics(registry, world, namesMax)
}

function addPoolMetrics(registry: Registry, world: World, namesMax: number): void {
  const amounts = [
    ['total', 'Total capacity', pool => pool.totalGb],
    ['reserved', 'Reserved amount', pool => pool.reservedGb],
    [
      'capacity',
      'Capacity: (total - reserved) x over-subscription ratio',
      pool => (pool.totalGb - pool.reservedGb) * pool.ratio,
    ],
    ['used', 'What shares have', pool => pool.usedGb],
  ] as const satisfies readonly [string, string, (pool: ReturnType<typeof listAllPools>[number]) => number][]
  for (const [name, help, amount] of amounts)
    registry.longGauge(
      `berth_share_pool_${name}_gb`,
      `${help}, in GiB, by share pool; for the first \`metrics_names_max\` pools.`,
      function* () {
        for (const pool of listAllPools(world).slice(0, namesMax))
          yield { labels: [pool.name], value: amount(pool) }
      },
      ['pool'],
    )
}

/** The slot after the last shown provider. */
function endOfShown({ providers }: World, namesMax: number): number {
  if (providers.size <= namesMax) return providers.slots
  let shown = 0
  let slot = 0
  while (shown < namesMax) if (providers.exists(slot++)) shown++
  return slot
}

/** By class, not by provider: visits only existing inventories, not every class on every provider. */
function* resourceSamples(world: World, namesMax: number, amount: Amount): Generator<Sample> {
  const end = endOfShown(world, namesMax)
  let left = namesMax * SERIES_PER_NAME_MAX
  for (const { id, name } of world.classes.listInOrder()) {
    const columns = world.inventories.columns(classId(id))
    if (columns === undefined) continue
    for (const slot of columns.present) {
      if (slot >= end) break
      // Other requests ran in between, and may have deleted the provider.
      if (!world.providers.exists(slot)) continue
      yield { labels: [world.providers.name(providerSlot(slot)), name], value: amount(columns, slot, world) }
      if (--left === 0) return
    }
  }
}

function* memberSamples(world: World, namesMax: number): Generator<Sample> {
  const end = endOfShown(world, namesMax)
  let left = namesMax * SERIES_PER_NAME_MAX
  for (const { uuid, name } of firstAggregates(world, namesMax)) {
    const id = world.aggregates.find(uuid)
    for (const slot of id === undefined ? [] : (world.providerAggregates.members(id) ?? [])) {
      if (slot >= end || !world.providers.exists(slot)) continue
      yield { labels: [world.providers.name(providerSlot(slot)), uuid, name], value: 1 }
      if (--left === 0) return
    }
  }
}

function* aggregateSamples(world: World, namesMax: number): Generator<Sample> {
  for (const { uuid, name } of firstAggregates(world, namesMax)) yield { labels: [uuid, name], value: 1 }
}

const firstAggregates = (world: World, namesMax: number) => world.compute.listAggregates().slice(0, namesMax)
