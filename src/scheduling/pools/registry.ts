import { affinityFilter } from './filters/affinity.ts'
import { antiAffinityFilter } from './filters/anti-affinity.ts'
import { poolZoneFilter } from './filters/availability-zone.ts'
import { backEndFilter } from './filters/back-end.ts'
import { capabilitiesFilter } from './filters/capabilities.ts'
import { capacityFilter } from './filters/capacity.ts'
import { createFromSnapshotFilter } from './filters/create-from-snapshot.ts'
import { onlyHostFilter } from './filters/only-host.ts'
import type { PoolFilter, PoolWeigher } from './pool-view.ts'
import { capacityWeigher } from './weighers/capacity.ts'
import { hostAffinityWeigher } from './weighers/host-affinity.ts'

/** In Manila's order. */
export const POOL_FILTERS: readonly PoolFilter[] = [
  backEndFilter,
  onlyHostFilter,
  poolZoneFilter,
  capacityFilter,
  capabilitiesFilter,
  createFromSnapshotFilter,
  affinityFilter,
  antiAffinityFilter,
]

/** Those that `force` turns off. */
export const HINT_FILTERS: readonly PoolFilter[] = [affinityFilter, antiAffinityFilter]

/** The only filters for a share that is in the pool already. */
export const ROOM_FILTERS: readonly PoolFilter[] = [capacityFilter]

export const POOL_WEIGHERS: readonly PoolWeigher[] = [capacityWeigher, hostAffinityWeigher]
