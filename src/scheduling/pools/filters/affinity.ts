import { type Reason, reason, verdictOf } from '../../framework/refusal.ts'
import type { HintedShare, PoolFilter, PoolView } from '../pool-view.ts'

/**
 * A share that is being moved counts where it is, as long as its hints are asked again before it leaves. After that it may
 * end up at either place, so that both must be this back end.
 */
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

function apart(share: HintedShare, { backendId }: PoolView): Reason[] {
  const { uuid, backend } = share
  if (backend === null) return [reason('affinity.unplaced', { share: uuid })]
  const isHere = share.backendId === backendId
  if (!share.isLeaving || share.backendId === share.nextBackendId)
    return isHere ? [] : [reason('affinity.elsewhere', { share: uuid, backend })]
  const isMoving = isHere || share.nextBackendId === backendId
  return [
    isMoving
      ? reason('affinity.moving', { share: uuid })
      : reason('affinity.elsewhere', { share: uuid, backend }),
  ]
}
