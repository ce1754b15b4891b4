import { ownValue } from '../../kernel/records.ts'
import { type RowOp, remove, update } from '../../world/change.ts'
import type { AccessRow, PoolRow, ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { ShareAccess } from '../drivers/driver.ts'
import type { AccessState } from './access-rules.ts'

/** A rule that the driver can never apply. */
export interface RefusedRule {
  readonly rule: string
  readonly error: string
}

/** States when a step begins. A rule that is retried stays in `error`. */
const BEGUN: Readonly<Record<string, AccessState>> = {
  queued_to_apply: 'applying',
  queued_to_deny: 'denying',
}

export const makeBeginAccessOps = ({ shares }: World, { id }: ShareRow): RowOp[] =>
  shares.listAccess(id).flatMap(rule => {
    const state = ownValue(BEGUN, rule.state)
    return state === undefined ? [] : [setState(rule, state)]
  })

const setState = (rule: AccessRow, state: AccessState): RowOp =>
  update('share_access_rules', rule, { ...rule, state })

/** Rules that were queued while the step ran get their own step. */
export function makeAppliedOps(
  { shares }: World,
  { id }: ShareRow,
  refused: readonly RefusedRule[],
): RowOp[] {
  return shares.listAccess(id).flatMap((rule): RowOp[] => {
    if (Object.hasOwn(BEGUN, rule.state)) return []
    if (rule.is_denied === 1) return [remove('share_access_rules', rule)]
    const state = refused.some(one => one.rule === rule.uuid) ? 'error' : 'active'
    return rule.state === state ? [] : [setState(rule, state)]
  })
}

export const makeFailedOps = ({ shares }: World, { id }: ShareRow): RowOp[] =>
  shares
    .listAccess(id)
    .flatMap(rule => (rule.state === 'applying' || rule.state === 'denying' ? [setState(rule, 'error')] : []))

/** After a move, because the new back end has none of them yet. */
export const makeRequeueOps = ({ shares }: World, { id }: ShareRow): RowOp[] =>
  shares
    .listAccess(id)
    .map(rule => setState(rule, rule.is_denied === 1 ? 'queued_to_deny' : 'queued_to_apply'))

/** Every access rule of a back end that is not being removed. A deleted share has none. */
export function* listAccess({ shares }: World, backendId: number): Generator<ShareAccess> {
  for (const poolId of shares.listPools(backendId))
    for (const share of shares.listInPool(poolId))
      if (share.pool_id === poolId) {
        const rules = shares.listAccess(share.id).filter(rule => rule.is_denied === 0)
        if (rules.length > 0) yield describeAccess(share, shares.pools.get(poolId) as PoolRow, rules)
      }
}

const describeAccess = (share: ShareRow, pool: PoolRow, rules: readonly AccessRow[]): ShareAccess => ({
  number: share.id,
  pool: pool.name,
  share: share.uuid,
  protocol: share.protocol,
  rules: rules.map(rule => ({
    id: rule.uuid,
    type: rule.access_type,
    to: rule.access_to,
    isReadOnly: rule.access_level === 'ro',
  })),
})
