import { type RowOp, remove, update } from '../../world/change.ts'
import { accept, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { hasAccessRules, makeDropAccessOps, makeNewAccessStepOps } from '../access/access-rules.ts'
import type { ShareDecision, ShareRefusal } from '../refusals.ts'
import { makeAbandonOps, makeStepOps, type NewStep } from '../worker/steps.ts'
import { findWork } from './busy.ts'
import { makeForgetOps } from './hints.ts'
import { bookShare } from './holding.ts'
import { isBusy } from './states.ts'

const DELETABLE = ['available', 'error', 'inactive']

interface DeleteShare {
  readonly share: string
  /** In any state. */
  readonly force: boolean
  /** Because its time as soft-deleted is over. Refused if it was just restored. */
  readonly fromBin?: boolean
  readonly stepUuids: readonly [string, string]
}

/** A share without a pool is deleted at once, others when their driver has deleted them. */
export function deleteShare(world: World, command: DeleteShare, nowMs: number): ShareDecision<null> {
  const { shares } = world
  const share = shares.findShare(command.share)
  if (share === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const fault = deleteFault(world, share, command.force)
  if (fault !== null) return refuse(fault)
  if (command.fromBin === true && share.deleted_at === null)
    return refuse({ kind: 'share-missing', share: share.uuid })
  const abandoned = makeAbandonOps(world, share.uuid)
  if (share.pool_id === null)
    return accept({ ops: [...abandoned, ...makeDeleteOps(world, share, nowMs)] }, null)
  const [first, second] = command.stepUuids
  // A failed deletion has withdrawn the rules already.
  const access = hasAccessRules(world, share) || share.status === 'error_deleting'
  const steps: NewStep[] = [
    { uuid: first, kind: 'delete', pool: share.pool_id, share: share.uuid, facts: { access } },
  ]
  // First, so that the share stays until everything of it is deleted.
  if (share.target_pool_id !== null)
    steps.unshift({
      uuid: second,
      kind: 'drop-copy',
      pool: share.target_pool_id,
      share: share.uuid,
      facts: {},
    })
  const after = { ...share, status: 'deleting', updated_at: nowMs }
  const ops = [
    ...abandoned,
    ...makeDropAccessOps(world, share),
    update('shares', share, after),
    ...makeStepOps(world, steps, nowMs),
  ]
  return accept({ ops }, null)
}

function deleteFault({ shares }: World, share: ShareRow, force: boolean): ShareRefusal | null {
  const { uuid, status } = share
  if (!force && !DELETABLE.includes(status))
    return { kind: 'share-state', share: uuid, field: 'status', value: status, needs: DELETABLE }
  const snapshots = shares.listSnapshots(share.id).length
  if (snapshots > 0) return { kind: 'share-has-snapshots', share: uuid, snapshots }
  if (!force && isBusy(share.task_state))
    return { kind: 'share-busy', share: uuid, taskState: share.task_state ?? '' }
  return null
}

/** Deletes the share, its snapshots, access rules, metadata, hints in both directions, and allocations. */
export function makeDeleteOps(world: World, share: ShareRow, nowMs: number): RowOp[] {
  const booking = bookShare(world, { ...share, pool_id: null, target_pool_id: null }, nowMs)
  if (!booking.ok) throw new Error(`share ${share.uuid} cannot be released: ${booking.refusal.kind}`)
  return [
    ...booking.ops,
    ...world.shares.metadata.list(share.id).map(row => remove('share_metadata', row)),
    ...makeForgetOps(world, share),
    ...makeDropAccessOps(world, share),
    ...world.shares.listSnapshots(share.id).map(row => remove('share_snapshots', row)),
    remove('shares', share),
  ]
}

/** Forgets a share and keeps its contents, but removes all access. */
export function unmanageShare(
  world: World,
  command: { readonly share: string; readonly stepUuid: string },
  nowMs: number,
): ShareDecision<null> {
  const share = world.shares.findShare(command.share)
  if (share === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const fault = share.deleted_at === null ? unmanageFault(world, share) : refuseSoftDeleted(share)
  if (fault !== null) return refuse(fault)
  const withdrawn = hasAccessRules(world, share)
    ? makeNewAccessStepOps(world, share, command.stepUuid, nowMs)
    : []
  const abandoned = makeAbandonOps(world, share.uuid)
  return accept({ ops: [...abandoned, ...makeDeleteOps(world, share, nowMs), ...withdrawn] }, null)
}

const UNMANAGEABLE = ['available', 'error', 'manage_error', 'unmanage_error', 'inactive']

function unmanageFault(world: World, share: ShareRow): ShareRefusal | null {
  if (!UNMANAGEABLE.includes(share.status))
    return {
      kind: 'share-state',
      share: share.uuid,
      field: 'status',
      value: share.status,
      needs: UNMANAGEABLE,
    }
  // Otherwise it could not be checked whether the leftovers are the share itself.
  const clearing = world.shares.listStepsAbout(share.uuid).find(({ kind }) => kind === 'drop-source')
  const busy = findWork(world, share) ?? clearing?.kind ?? null
  if (busy !== null) return { kind: 'share-busy', share: share.uuid, taskState: busy }
  return deleteFault(world, { ...share, status: 'available' }, false)
}

const refuseSoftDeleted = ({ uuid }: ShareRow): ShareRefusal => ({ kind: 'share-soft-deleted', share: uuid })

interface SoftDelete {
  readonly share: string
  /** How long it can be restored. */
  readonly keepMs: number
}

/** Soft-deletes: the share keeps its pool, hints and quota until its time is over. */
export function moveToBin(world: World, command: SoftDelete, nowMs: number): ShareDecision<null> {
  const share = world.shares.findShare(command.share)
  if (share === undefined) return refuse({ kind: 'share-missing', share: command.share })
  if (share.deleted_at !== null) return refuse(refuseSoftDeleted(share))
  const fault = deleteFault(world, share, false)
  if (fault !== null) return refuse(fault)
  const after = { ...share, deleted_at: nowMs + command.keepMs, updated_at: nowMs }
  return accept({ ops: [update('shares', share, after)] }, null)
}

type DueInBin = Pick<DeleteShare, 'share' | 'force' | 'fromBin'>

const BIN_PAUSE_MS_MIN = 30_000
const BIN_PAUSE_MS_MAX = 6 * 3_600_000

/** Soft-deleted shares whose time is over. A failed deletion is retried after as long as it is overdue: each pause doubles. */
export function findDueInBin({ shares }: World, nowMs: number): DueInBin[] {
  return shares.shares.all().flatMap(({ uuid: share, deleted_at, status, updated_at }): DueInBin[] => {
    if (deleted_at === null || deleted_at > nowMs || status === 'deleting') return []
    if (status !== 'error_deleting') return [{ share, force: false, fromBin: true }]
    const failedAt = updated_at ?? deleted_at
    const pause = Math.min(BIN_PAUSE_MS_MAX, Math.max(BIN_PAUSE_MS_MIN, failedAt - deleted_at))
    return failedAt + pause <= nowMs ? [{ share, force: true, fromBin: true }] : []
  })
}

/** True if it was soft-deleted. */
export function restoreShare(
  world: World,
  command: { readonly share: string },
  nowMs: number,
): ShareDecision<boolean> {
  const share = world.shares.findShare(command.share)
  if (share === undefined) return refuse({ kind: 'share-missing', share: command.share })
  if (share.deleted_at === null) return accept(NO_CHANGE, false)
  if (['deleting', 'error_deleting'].includes(share.status)) {
    const needs = ['available', 'error', 'inactive']
    return refuse({ kind: 'share-state', share: share.uuid, field: 'status', value: share.status, needs })
  }
  return accept({ ops: [update('shares', share, { ...share, deleted_at: null, updated_at: nowMs })] }, true)
}
