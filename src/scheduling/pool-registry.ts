import { affinityFilter } from './pool-filters/affinity.ts'
import { antiAffinityFilter } from './pool-filters/anti-affinity.ts'
import { poolZoneFilter } from './pool-filters/availability-zone.ts'
import { backEndFilter } from './pool-filters/back-end.ts'
import { capabilitiesFilter } from './pool-filters/capabilities.ts'
import { capacityFilter } from './pool-filters/capacity.ts'
import { createFromSnapshotFilter } from './pool-filters/create-from-snapshot.ts'
import { onlyHostFilter } from './pool-filters/only-host.ts'
import type { PoolFilter, PoolWeigher } from './pool-view.ts'
import { capacityWeigher } from './pool-weighers/capacity.ts'
import { hostAffinityWeigher } from './pool-weighers/host-affinity.ts'

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

export const POOL_WEIGHERS: readonly PoolWeigher[] = [capacityWeigher, hostAffinityWeigher]
