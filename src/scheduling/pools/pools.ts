import { providerSlot } from '../../kernel/ids.ts'
import type { JsonValue } from '../../scheduling/framework/json-value.ts'
import type { PoolView } from '../../scheduling/pools/pool-view.ts'
import { cloudOf } from '../../world/cloud-owned.ts'
import type { BackendRow, PoolRow } from '../../world/shares.ts'
import type { Row } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import { findShareClass } from './share-class.ts'

const NO_AGGREGATES: PoolView['aggregates'] = []

/** By the numbers of their providers. */
export function listAllPools(world: World): PoolView[] {
  return [...world.shares.pools.rows()]
    .sort((a, b) => a.provider_id - b.provider_id)
    .map(row => makePoolView(world, row))
}

/**
 * The pools among which the owner of a share chooses: Berth (null) or the Manila of a cloud. All pools if it has none of its own; a
 * share that Berth would create there is refused, with the name of the cloud.
 */
export function listPoolsOf(world: World, cloud: string | null): PoolView[] {
  const pools = listAllPools(world)
  const own = pools.filter(
    ({ backendId }) => cloudOf(world.shares.backends.get(backendId)?.applied_by) === cloud,
  )
  return own.length > 0 ? own : pools
}

export function findPoolByName(world: World, name: string): PoolView | undefined {
  const provider = world.providers.findName(name)
  const row = provider === undefined ? undefined : world.shares.pools.get(provider)
  return row === undefined ? undefined : makePoolView(world, row)
}

export const findBackendByName = (world: World, name: string): BackendRow | undefined => {
  const provider = world.providers.findName(name)
  return provider === undefined ? undefined : world.shares.backends.get(provider)
}

/** `host@backend#pool` of a pool, `host@backend` of a back end; empty for none. */
export const nameOrEmpty = ({ providers }: World, provider: number | null): string =>
  provider === null ? '' : providers.name(providerSlot(provider))

export function makePoolView(world: World, row: PoolRow): PoolView {
  const { shares } = world
  const backend = shares.backends.get(row.backend_id) as BackendRow
  const slot = providerSlot(row.provider_id)
  const id = findShareClass(world)
  const inventory = id === undefined ? null : (world.inventories.row(slot, id) as Row<'inventories'> | null)
  const totalGb = inventory?.total ?? 0
  const usedGb = id === undefined ? 0 : world.inventories.used(slot, id)
  const ratio = inventory?.allocation_ratio ?? 1
  return {
    name: nameOrEmpty(world, row.provider_id),
    id: row.provider_id,
    backend: nameOrEmpty(world, row.backend_id),
    backendId: row.backend_id,
    isEnabled: backend.is_disabled === 0,
    disabledReason: backend.disabled_reason,
    zone: backend.availability_zone,
    totalGb,
    reservedGb: inventory?.reserved ?? 0,
    usedGb,
    ratio,
    aggregates: NO_AGGREGATES,
    get capabilities() {
      return mergeCapabilities(world, backend, row, { totalGb, usedGb, ratio })
    },
  }
}

interface Figures {
  readonly totalGb: number
  readonly usedGb: number
  readonly ratio: number
}

/** Declared capabilities, overridden by computed ones. */
function mergeCapabilities(
  { shares }: World,
  backend: BackendRow,
  pool: PoolRow,
  { totalGb, usedGb, ratio }: Figures,
): Readonly<Record<string, JsonValue>> {
  return {
    vendor_name: 'Berth',
    driver_version: '1.0',
    storage_protocol: 'NFS_CIFS',
    share_backend_name: backend.name,
    snapshot_support: true,
    create_share_from_snapshot_support: true,
    revert_to_snapshot_support: false,
    mount_snapshot_support: false,
    thin_provisioning: ratio !== 1,
    max_over_subscription_ratio: ratio,
    qos: false,
    replication_type: null,
    ipv4_support: true,
    ipv6_support: false,
    ...(shares.parseColumn(backend.capabilities) as Record<string, JsonValue>),
    ...(shares.parseColumn(pool.capabilities) as Record<string, JsonValue>),
    // Drivers of Berth never do; those of a cloud may.
    ...(cloudOf(backend.applied_by) === null && { driver_handles_share_servers: false }),
    pool_name: pool.name,
    total_capacity_gb: totalGb,
    free_capacity_gb: totalGb - usedGb,
    allocated_capacity_gb: usedGb,
    provisioned_capacity_gb: usedGb,
    reserved_percentage: pool.reserved_percentage,
  }
}
