import { type ReasonBy, reason, verdictOf } from '../../framework/refusal.ts'
import { definePoolFilter, definePoolReason, type HintedShare, type PoolView } from '../pool-view.ts'

const elsewhere = definePoolReason({
  code: 'affinity.elsewhere',
  text: ({ share }: { readonly share: string; readonly backend: string }) =>
    `share ${share}, which it must be near, is on another back end.`,
  hostsText: 'are not on the back end of a share that it must be near',
  remedy: ({ share }) => `leave share ${share} out of the hint same_host`,
  memberText: ({ share }) =>
    `the share must be on the same back end as share ${share}, but no pool there fits.`,
})

const unplaced = definePoolReason({
  code: 'affinity.unplaced',
  text: ({ share }: { readonly share: string }) => `share ${share}, which it must be near, has no pool.`,
  hostsText: 'cannot be with a share that has no pool yet',
  remedy: ({ share }) => `leave share ${share} out of the hint same_host`,
  memberText: ({ share }) => `the share must be on the same back end as share ${share}, which is on none.`,
})

/** The named share is about to leave this back end, or to arrive at it. */
const moving = definePoolReason({
  code: 'affinity.moving',
  text: ({ share }: { readonly share: string }) => `share ${share}, which it must be near, is being moved.`,
  hostsText: 'cannot be with a share that is moving',
  remedy: ({ share }) => `wait until share ${share} has been moved`,
  memberText: ({ share }) =>
    `the share must be on the same back end as share ${share}, which is being moved. Try again after the move.`,
})

const REASONS = [elsewhere, unplaced, moving] as const

/**
 * A share that is being moved counts at its source, as long as its hints are checked again before it leaves.
 * After that it may end up at either place, so both must be this back end.
 */
export const affinityFilter = definePoolFilter({
  name: 'AffinityFilter',
  summary: 'Passes only the back end that has all of the shares that the hint same_host names.',
  reads: { hints: ['same_host'], host: ['shares'] },
  reasons: REASONS,
  check: ({ sameHost }, pool) => verdictOf(sameHost.flatMap(share => findApart(share, pool))),
})

function findApart(share: HintedShare, { backendId }: PoolView): ReasonBy<typeof REASONS>[] {
  const { uuid, backend } = share
  if (backend === null) return [reason(unplaced, { share: uuid })]
  const isHere = share.backendId === backendId
  if (!share.isLeaving || share.backendId === share.nextBackendId)
    return isHere ? [] : [reason(elsewhere, { share: uuid, backend })]
  const isMoving = isHere || share.nextBackendId === backendId
  return [isMoving ? reason(moving, { share: uuid }) : reason(elsewhere, { share: uuid, backend })]
}
