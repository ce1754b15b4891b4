import { isThick } from '../filters/capacity.ts'
import { computeFreeGb, type PoolWeigher } from '../pool-view.ts'

export const capacityWeigher: PoolWeigher = {
  name: 'CapacityWeigher',
  summary: 'Prefers the pool with the most free space, so that shares spread.',
  multiplierKey: 'capacity_weight_multiplier',
  multiplier: 1,
  reads: { host: ['total', 'reserved', 'used', 'allocation ratio'] },
  weigh: (request, pool) => computeFreeGb(pool, isThick(request).is),
}
