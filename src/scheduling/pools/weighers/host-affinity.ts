import type { PoolWeigher } from '../pool-view.ts'

const SAME_POOL = 100
const SAME_BACK_END = 75
const SAME_ZONE = 50
const ELSEWHERE = 25

export const hostAffinityWeigher: PoolWeigher = {
  name: 'HostAffinityWeigher',
  summary: 'Prefers to make a share from a snapshot near the share that the snapshot is of.',
  multiplierKey: 'host_affinity_weight_multiplier',
  multiplier: 1,
  reads: { request: ['snapshot'] },
  weigh({ snapshot, zone }, pool) {
    if (snapshot === null) return 0
    if (snapshot.backendId === pool.backendId) return snapshot.pool === pool.name ? SAME_POOL : SAME_BACK_END
    return zone === snapshot.zone ? SAME_ZONE : ELSEWHERE
  },
}
