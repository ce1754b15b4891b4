import { type ConsumerSlot, providerSlot } from '../kernel/ids.ts'
import { ZONE } from '../scheduling/hosts/hosts.ts'
import { nameOrEmpty } from '../scheduling/pools/pools.ts'
import { describeHostSetting, findHostSetting } from '../shares/backends/directory-settings.ts'
import { describeOverlap, findRootsFault, type RealRoots } from '../shares/backends/roots.ts'
import { METADATA_KEYS_MAX } from '../shares/share/change.ts'
import { computeHoldings } from '../shares/share/holding.ts'
import type { AnyRow } from '../world/table.ts'
import type { Row } from '../world/tables.ts'
import type { World } from '../world/world.ts'
import type { RowTable } from './exported-tables.ts'

type Check<N extends RowTable> = (world: World, row: Row<N>, roots: RealRoots) => string | null

/**
 * Rules of a service that a single row cannot show: the problem of a world with the row, in words; null if
 * there is none.
 */
const checks: { readonly [N in RowTable]?: Check<N> } = {
  host_aggregate_metadata: (world, { aggregate_id, key, value }) => {
    if (key !== ZONE) return null
    if (value === '') return 'a zone must have a name'
    const hosts = world.compute.aggregateHosts.list(aggregate_id)
    return findFirst(hosts, ({ provider_id }) => zonesFault(world, provider_id))
  },
  host_aggregate_hosts: (world, row) => membershipFault(world, row) ?? zonesFault(world, row.provider_id),
  share_types: ({ shares }, row) => {
    const other = shares.types.all().find(one => one.is_default === 1 && one.id !== row.id)
    if (row.is_default === 0 || other === undefined) return null
    return `share type ${other.name} is the default already`
  },
  share_backends: (world, row, roots) => {
    const name = nameOrEmpty(world, row.provider_id)
    if (name !== `${row.host}@${row.name}`)
      return `the provider of back end ${row.host}@${row.name} is called ${name}`
    const own = findHostSetting(world.shares.parseColumn(row.settings))
    if (own !== null) return describeHostSetting(own)
    const met = row.driver === 'directory' ? findRootsFault(world, roots) : null
    return met?.kind === 'backend-roots' ? describeOverlap(met.one, met.other) : null
  },
  share_pools: (world, row) => {
    const { providers, shares } = world
    const backend = nameOrEmpty(world, row.backend_id)
    if (shares.backends.get(row.backend_id) === undefined)
      return `provider ${backend} is not a share back end`
    if (providers.parentOf(providerSlot(row.provider_id)) !== row.backend_id)
      return `the provider of the pool is not below ${backend}`
    const name = nameOrEmpty(world, row.provider_id)
    return name === `${backend}#${row.name}` ? null : `the provider of pool ${row.name} is called ${name}`
  },
  shares: ledgerFault,
  share_metadata: ({ shares }, { share_id }) =>
    shares.metadata.countOf(share_id) > METADATA_KEYS_MAX
      ? `a share has at most ${METADATA_KEYS_MAX} keys of metadata`
      : null,
}

export const checkRow = (world: World, table: RowTable, row: AnyRow, roots: RealRoots): string | null =>
  (checks[table] as ((world: World, row: AnyRow, roots: RealRoots) => string | null) | undefined)?.(
    world,
    row,
    roots,
  ) ?? null

function findFirst<T>(items: Iterable<T>, faultOf: (item: T) => string | null): string | null {
  for (const item of items) {
    const fault = faultOf(item)
    if (fault !== null) return fault
  }
  return null
}

function zonesFault({ compute, providers }: World, id: number): string | null {
  const host = providerSlot(id)
  const zones = new Set(compute.getAggregates(host).flatMap(({ metadata }) => metadata.get(ZONE) ?? []))
  if (zones.size < 2) return null
  return `host ${providers.name(host)} would be in several zones: ${[...zones].join(', ')}`
}

function membershipFault(world: World, row: Row<'host_aggregate_hosts'>): string | null {
  const { compute, aggregates, providerAggregates, providers } = world
  const { uuid, name } = compute.aggregates.row(row.aggregate_id)
  const host = providerSlot(row.provider_id)
  const id = aggregates.find(uuid)
  if (row.made_member === 0 || (id !== undefined && providerAggregates.has(host, id))) return null
  return `provider ${providers.name(host)} is not in aggregate ${uuid} of Placement, as host aggregate ${name} says`
}

/** A share has allocations of its size in its pool and, during a move, in the target; and nothing else. */
function ledgerFault(world: World, share: Row<'shares'>): string | null {
  const { shares, consumers } = world
  for (const id of [share.pool_id, share.target_pool_id])
    if (id !== null && shares.pools.get(id) === undefined)
      return `provider ${nameOrEmpty(world, id)} is not a share pool`
  const wanted = computeHoldings(share)
  const consumer: ConsumerSlot | undefined = consumers.find(share.uuid)
  const held = consumer === undefined ? [] : consumers.holdings(consumer)
  const isSame =
    held.length === wanted.size && held.every(({ provider, used }) => wanted.get(provider) === used)
  if (isSame) return null
  const words = (pairs: Iterable<readonly [number, number]>) =>
    [...pairs].map(([pool, gb]) => `${gb} GB in ${nameOrEmpty(world, pool)}`).join(', ') || 'nothing'
  const holds = words(held.map(({ provider, used }) => [provider, used] as const))
  return `share ${share.uuid} must hold ${words(wanted)}, and its consumer holds ${holds}`
}
