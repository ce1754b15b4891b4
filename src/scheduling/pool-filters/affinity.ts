import type { HintedShare, PoolFilter, PoolView } from '../pool-view.ts'
import { type Reason, reason, verdictOf } from '../refusal.ts'

export const affinityFilter: PoolFilter = {
  name: 'AffinityFilter',
  summary: 'Keeps to the back end that has all of the shares that the hint same_host names.',
  reads: { hints: ['same_host'], host: ['shares'] },
  check({ sameHost }, pool) {
    return verdictOf(
      sameHost.flatMap(share => apart(share, pool)),
      [],
    )
  },
}

function apart({ uuid, backendId, backend }: HintedShare, pool: PoolView): Reason[] {
  if (backendId === pool.backendId) return []
  if (backend === null) return [reason('affinity.unplaced', { share: uuid })]
  return [reason('affinity.elsewhere', { share: uuid, backend })]
}
