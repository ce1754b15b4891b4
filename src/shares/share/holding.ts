import type { ProviderSlot } from '../../kernel/ids.ts'
import { replaceAllocations } from '../../placement/allocations/allocations.ts'
import type { ClaimRefusal } from '../../placement/allocations/ledger.ts'
import { SHARE_GB } from '../../scheduling/pools/share-class.ts'
import type { RowOp } from '../../world/change.ts'
import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'

/** What consumers that are shares call themselves in the ledger. */
const CONSUMER_TYPE = 'SHARE'

type Holder = Pick<
  ShareRow,
  'uuid' | 'project_id' | 'user_id' | 'pool_id' | 'target_pool_id' | 'size' | 'target_size'
>

/** What a share in this state holds, by the number of the pool: the one place where that is said. */
export function holdingsOf({ pool_id, target_pool_id, size, target_size }: Holder): Map<number, number> {
  const holdings = new Map<number, number>()
  if (pool_id !== null) holdings.set(pool_id, Math.max(size, target_size ?? 0))
  if (target_pool_id !== null) holdings.set(target_pool_id, size)
  return holdings
}

/** What it takes for the ledger to say what the share says; or why it cannot. */
export function holdOps(world: World, share: Holder, nowMs: number): readonly RowOp[] | ClaimRefusal {
  const wanted = [...holdingsOf(share)]
  if (wanted.length === 0 && world.consumers.find(share.uuid) === undefined) return []
  const allocations = wanted.map(([pool, gb]) => ({
    provider: world.providers.uuid(pool as ProviderSlot),
    resources: [[SHARE_GB, gb]] as const,
  }))
  const claim = {
    consumer: share.uuid,
    projectId: share.project_id,
    userId: share.user_id,
    generation: undefined,
    type: CONSUMER_TYPE,
    allocations,
  }
  const decision = replaceAllocations(world, { claims: [claim] }, nowMs)
  return decision.ok ? decision.change.ops : decision.refusal
}
