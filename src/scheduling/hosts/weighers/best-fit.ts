import { ownValue } from '../../../kernel/records.ts'
import type { SchedulingSettings } from '../../framework/settings.ts'
import type { Weigher } from '../../framework/weigher.ts'
import type { HostClaim } from '../packing/host-claim.ts'

/** What is left of a tree after a claim, class by class, by what each class counts for. */
function measureLeft({ room, takes }: HostClaim, { bestFitWeights }: SchedulingSettings): number {
  const weigh = Object.keys(bestFitWeights).length > 0
  let left = 0
  room.classes.forEach((id, column) => {
    let free = 0
    let capacity = 0
    for (let at = column; at < room.free.length; at += room.classes.length) {
      free += room.free[at] as number
      capacity += room.capacity[at] as number
    }
    for (const take of takes) if (take.class === id) free -= take.amount
    const weight = weigh
      ? (ownValue(bestFitWeights, room.className(id)) ?? 0)
      : capacity === 0
        ? 0
        : 1 / capacity
    left += free * weight
  })
  return left
}

/** What is left on the providers that a candidate takes from, as shares of their capacity. */
function measureLeftThere({ room, takes }: HostClaim): number {
  let left = 0
  for (const { provider, class: id, amount } of takes) {
    const at = room.indexOf(provider, id)
    if (at >= 0) left += ((room.free[at] as number) - amount) / (room.capacity[at] as number)
  }
  return left
}

export const bestFitWeigher: Weigher = {
  name: 'BestFitWeigher',
  summary:
    'Prefers hosts where least is left, over all resource classes; on a host, the device or NUMA node where least is left.',
  multiplierKey: 'best_fit_weight_multiplier',
  multiplier: 1,
  reads: { host: ['inventories', 'usages'], settings: ['bestFitWeights'] },
  weigh: (_request, { claim }, settings) => (claim === undefined ? 0 : -measureLeft(claim, settings)),
  weighClaim: (_request, { claim }) => (claim === undefined ? 0 : -measureLeftThere(claim)),
  explain(_request, { claim }, settings) {
    if (claim === undefined) return 'nothing is known of its inventories'
    return `${measureLeft(claim, settings).toFixed(3)} is left after ${claim.describe()}, over all classes`
  },
}
