import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, refuse } from '../../world/decision.ts'
import type { ShareRow, SnapshotRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { checkQuota } from '../quotas/quotas.ts'
import type { ShareDecision, ShareRefusal } from '../refusals.ts'
import { moveOf } from '../share/busy.ts'
import { makeStepOps, type NewStep, readFacts } from '../worker/steps.ts'

interface CreateSnapshot {
  readonly uuid: string
  readonly stepUuid: string
  readonly share: string
  readonly project: string
  readonly user: string
  readonly name: string | null
  readonly description: string | null
  /** As in Manila: also for shares that are not available. */
  readonly force: boolean
}

export function createSnapshot(
  world: World,
  command: CreateSnapshot,
  nowMs: number,
): ShareDecision<SnapshotRow> {
  const share = world.shares.findShare(command.share)
  if (share === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const fault = checkSnapshotable(world, share, command.force)
  if (fault !== null) return refuse(fault)
  const row: SnapshotRow = {
    id: world.shares.snapshots.nextId(),
    uuid: command.uuid,
    share_id: share.id,
    project_id: command.project,
    user_id: command.user,
    name: command.name,
    description: command.description,
    size: share.size,
    protocol: share.protocol,
    status: 'creating',
    created_at: nowMs,
    updated_at: null,
  }
  const facts = { snapshot: row.uuid, size: row.size }
  const step: NewStep = {
    uuid: command.stepUuid,
    kind: 'snapshot',
    pool: share.pool_id as number,
    share: share.uuid,
    facts,
  }
  return accept({ ops: [insert('share_snapshots', row), ...makeStepOps(world, [step], nowMs)] }, row)
}

/** In these states a share has no contents, or is about to lose them: force does not help. */
const COMING_OR_GOING: readonly string[] = ['creating', 'deleting', 'error_deleting']

function checkSnapshotable(world: World, share: ShareRow, force: boolean): ShareRefusal | null {
  const { uuid, status } = share
  if (share.deleted_at !== null) return { kind: 'share-soft-deleted', share: uuid }
  if (!supportsSnapshots(world, share)) return { kind: 'snapshots-unsupported', share: uuid }
  if (status !== 'available' && (!force || COMING_OR_GOING.includes(status)))
    return { kind: 'share-state', share: uuid, field: 'status', value: status, needs: ['available'] }
  const busy = moveOf(share)
  if (busy !== null) return { kind: 'share-busy', share: uuid, taskState: busy }
  if (share.pool_id === null) return { kind: 'share-unplaced', share: uuid }
  return checkQuota(world, {
    project: share.project_id,
    typeId: share.type_id,
    shareGb: 0,
    more: { snapshots: 1, snapshot_gigabytes: share.size },
  })
}

const hasSpec = ({ shares }: World, typeId: number, spec: string): boolean =>
  /^(<is> *)?(true|yes|1|on)$/i.test((shares.getSpecs(typeId).get(spec) ?? '').trim())

export const supportsSnapshots = (world: World, share: Pick<ShareRow, 'type_id'>): boolean =>
  hasSpec(world, share.type_id, 'snapshot_support')

export const supportsCreateFrom = (world: World, share: Pick<ShareRow, 'type_id'>): boolean =>
  hasSpec(world, share.type_id, 'create_share_from_snapshot_support')

interface UpdateSnapshot {
  readonly snapshot: string
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly status?: string | undefined
}

export function updateSnapshot(
  world: World,
  command: UpdateSnapshot,
  nowMs: number,
): ShareDecision<SnapshotRow> {
  const before = world.shares.snapshots.find(command.snapshot)
  if (before === undefined) return refuse({ kind: 'snapshot-missing', snapshot: command.snapshot })
  const after: SnapshotRow = {
    ...before,
    name: command.name === undefined ? before.name : command.name,
    description: command.description === undefined ? before.description : command.description,
    status: command.status ?? before.status,
    updated_at: nowMs,
  }
  return accept({ ops: [update('share_snapshots', before, after)] }, after)
}

/** A share that is being created from one of these snapshots, which must stay until it is done. */
export function findUse(world: World, snapshots: readonly SnapshotRow[]): SnapshotUse | null {
  if (snapshots.length === 0) return null
  for (const step of world.shares.steps.all()) {
    const snapshot = step.kind === 'create' ? readFacts(world, step).snapshot : undefined
    if (snapshot !== undefined && snapshots.some(({ uuid }) => uuid === snapshot))
      return { kind: 'snapshot-in-use', snapshot, share: step.share }
  }
  return null
}

type SnapshotUse = Extract<ShareRefusal, { readonly kind: 'snapshot-in-use' }>

interface DeleteSnapshot {
  readonly snapshot: string
  readonly stepUuid: string
  readonly force: boolean
}

const DELETABLE = ['available', 'error']

export function deleteSnapshot(world: World, command: DeleteSnapshot, nowMs: number): ShareDecision<null> {
  const { shares } = world
  const row = shares.snapshots.find(command.snapshot)
  if (row === undefined) return refuse({ kind: 'snapshot-missing', snapshot: command.snapshot })
  if (!command.force && !DELETABLE.includes(row.status))
    return refuse({ kind: 'snapshot-state', snapshot: row.uuid, value: row.status, needs: DELETABLE })
  const share = shares.shares.row(row.share_id)
  const use = findUse(world, [row])
  if (use !== null) return refuse(use)
  const busy = moveOf(share)
  if (busy !== null) return refuse({ kind: 'share-busy', share: share.uuid, taskState: busy })
  const earlier: RowOp[] = shares
    .listStepsAbout(share.uuid)
    .filter(step => readFacts(world, step).snapshot === row.uuid && step.kind !== 'create')
    .map(step => remove('share_steps', step))
  if (share.pool_id === null) return accept({ ops: [...earlier, remove('share_snapshots', row)] }, null)
  const facts = { snapshot: row.uuid }
  const step: NewStep = {
    uuid: command.stepUuid,
    kind: 'drop-snapshot',
    pool: share.pool_id,
    share: share.uuid,
    facts,
  }
  const after = { ...row, status: 'deleting', updated_at: nowMs }
  const ops = [...earlier, update('share_snapshots', row, after), ...makeStepOps(world, [step], nowMs)]
  return accept({ ops }, null)
}
