import type { ProviderSlot } from '../../kernel/ids.ts'
import { mirrorAllocations, replaceAllocations } from '../../placement/allocations/allocations.ts'
import type { ClaimRefusal, ConsumerClaim } from '../../placement/allocations/ledger.ts'
import { SHARE_GB } from '../../scheduling/pools/share-class.ts'
import type { RowOp } from '../../world/change.ts'
import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'

const CONSUMER_TYPE = 'SHARE'

type Holder = Pick<
  ShareRow,
  'uuid' | 'project_id' | 'user_id' | 'pool_id' | 'target_pool_id' | 'size' | 'target_size'
>

/** GB that a share holds, by pool. */
export function computeHoldings({ pool_id, target_pool_id, size, target_size }: Holder): Map<number, number> {
  const holdings = new Map<number, number>()
  if (pool_id !== null) holdings.set(pool_id, Math.max(size, target_size ?? 0))
  if (target_pool_id !== null) holdings.set(target_pool_id, size)
  return holdings
}

type Booking =
  | { readonly ok: true; readonly ops: readonly RowOp[] }
  | { readonly ok: false; readonly refusal: ClaimRefusal }

/** Writes the share's holdings to the ledger. */
export function bookShare(world: World, share: Holder, nowMs: number): Booking {
  const claim = makeClaim(world, share)
  if (claim === null) return { ok: true, ops: [] }
  const decision = replaceAllocations(world, { claims: [claim] }, nowMs)
  return decision.ok ? { ok: true, ops: decision.change.ops } : decision
}

/** Also where the pool is full: someone else has decided it. */
export function mirrorShare(world: World, share: Holder, nowMs: number): readonly RowOp[] {
  const claim = makeClaim(world, share)
  return claim === null ? [] : mirrorAllocations(world, { claims: [claim] }, nowMs).ops
}

/** Null: it holds nothing, and held nothing. */
function makeClaim(world: World, share: Holder): ConsumerClaim | null {
  const wanted = [...computeHoldings(share)]
  if (wanted.length === 0 && world.consumers.find(share.uuid) === undefined) return null
  return {
    consumer: share.uuid,
    projectId: share.project_id,
    userId: share.user_id,
    generation: undefined,
    type: CONSUMER_TYPE,
    allocations: wanted.map(([pool, gb]) => ({
      provider: world.providers.uuid(pool as ProviderSlot),
      resources: [[SHARE_GB, gb]] as const,
    })),
  }
}
