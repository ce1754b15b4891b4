import { type RowOp, update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { PoolRow, ShareRow, ShareTypeRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { backendNamed, placeName, poolNamed, poolView } from '../backends/pool-views.ts'
import { driverMessage, type Message, noPoolMessage } from '../messages/messages.ts'
import type { ShareRefusal } from '../refusals.ts'
import { abandonedOps, type NewStep, type StepFacts, stepOps } from '../work/steps.ts'
import { hintsOf } from './hints.ts'
import { holdOps } from './holding.ts'
import { judgePool, requestOf } from './placing.ts'
import { typeSizeFault } from './sizes.ts'
import { isBusy } from './states.ts'

type Decided<A> = Decision<A, ShareRefusal>

export interface StartMigration {
  readonly share: string
  readonly stepUuid: string
  /** `host@backend#pool` */
  readonly target: string
  /** The uuid of another type that it shall have then. */
  readonly newType: string | null
  readonly preserveSnapshots: boolean
  /** Against its hints, if need be. */
  readonly force: boolean
}

export interface Moved {
  /** It is where it should go already. */
  readonly isThere: boolean
  readonly messages: readonly Message[]
}

/** What only the scheduler can know is accepted, and ends in `migration_error`. */
export function startMigration(world: World, command: StartMigration, nowMs: number): Decided<Moved> {
  const { shares } = world
  const before = shares.shares.find(command.share)
  if (before === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const fault = moveFault(world, before, command)
  if (fault !== null) return refuse(fault)
  const type = newTypeOf(world, command)
  if (type !== null && 'kind' in type) return refuse(type)
  const wanted = type ?? shares.types.row(before.type_id)
  const sizeFault = typeSizeFault(world, wanted, before.size)
  if (sizeFault !== null) return refuse(sizeFault)
  if (placeName(world, before.pool_id) === command.target && wanted.id === before.type_id) {
    const after = { ...before, task_state: 'migration_success', updated_at: nowMs }
    return accept({ ops: [update('shares', before, after)] }, { isThere: true, messages: [] })
  }
  return begun(world, before, command, wanted, nowMs)
}

function newTypeOf({ shares }: World, { newType }: StartMigration): ShareTypeRow | ShareRefusal | null {
  if (newType === null) return null
  return shares.types.find(newType) ?? { kind: 'type-missing', type: newType }
}

function moveFault(world: World, share: ShareRow, { target }: StartMigration): ShareRefusal | null {
  const { uuid, status } = share
  if (share.deleted_at !== null) return { kind: 'share-soft-deleted', share: uuid }
  if (status !== 'available')
    return { kind: 'share-state', share: uuid, field: 'status', value: status, needs: ['available'] }
  if (isBusy(share.task_state)) return { kind: 'share-busy', share: uuid, taskState: share.task_state ?? '' }
  if (share.pool_id === null) return { kind: 'share-unplaced', share: uuid }
  const backend = target.split('#', 1)[0] as string
  return backendNamed(world, backend) === undefined ? { kind: 'backend-missing', backend } : null
}

function begun(
  world: World,
  before: ShareRow,
  command: StartMigration,
  type: ShareTypeRow,
  nowMs: number,
): Decided<Moved> {
  const { shares } = world
  const why = whyNot(world, before, command, type)
  if (typeof why !== 'number') {
    const after = { ...before, task_state: 'migration_error', updated_at: nowMs }
    return accept({ ops: [update('shares', before, after)] }, { isThere: false, messages: [why] })
  }
  const isForced = command.force && !obeysHints(world, before, why)
  // Where only the type changes, nothing has to be moved.
  if (why === before.pool_id) {
    const after = { ...before, type_id: type.id, task_state: 'migration_success', updated_at: nowMs }
    return accept({ ops: [update('shares', before, after)] }, { isThere: false, messages: [] })
  }
  const after: ShareRow = {
    ...{ ...before, status: 'migrating', task_state: 'migration_starting', updated_at: nowMs },
    ...{ target_pool_id: why, target_type_id: type.id, target_path: null, is_move_forced: Number(isForced) },
  }
  const held = holdOps(world, after, nowMs)
  if (!('length' in held)) throw new Error(`no claim for share ${before.uuid}: ${held.kind}`)
  const facts: StepFacts = {
    ...{ size: before.size, from: sourceOf(world, before) },
    snapshots: command.preserveSnapshots ? shares.snapshotsOf(before.id).map(one => one.uuid) : [],
  }
  const step: NewStep = { uuid: command.stepUuid, kind: 'copy', pool: why, share: before.uuid, facts }
  const ops = [...held, update('shares', before, after), ...stepOps(world, [step], nowMs)]
  return accept({ ops }, { isThere: false, messages: [] })
}

export function sourceOf(world: World, { uuid, pool_id }: ShareRow): NonNullable<StepFacts['from']> {
  const backend = placeName(world, world.shares.backendOf(pool_id))
  return { backend, pool: placeName(world, pool_id).slice(backend.length + 1), share: uuid }
}

/** The number of the pool, or what to tell the owner. */
function whyNot(
  world: World,
  share: ShareRow,
  command: StartMigration,
  type: ShareTypeRow,
): Message | number {
  const about = { project: share.project_id, share: share.uuid, action: 'migrate' } as const
  const pool = poolNamed(world, command.target)
  if (pool === undefined) return driverMessage(about, `There is no pool ${command.target}.`)
  const snapshots = world.shares.snapshotsOf(share.id).length
  if (snapshots > 0 && !command.preserveSnapshots)
    return driverMessage(about, `The share has ${snapshots} snapshots, which would not be preserved.`)
  const stays = pool.id === share.pool_id
  const request = requestOf(world, {
    ...{ operation: 'migrate', sizeGb: stays ? 0 : share.size, extraSpecs: world.shares.specsOf(type.id) },
    ...{ zone: null, onlyHost: null, snapshot: null, hints: hintsOf(world, share.id) },
  })
  const because = judgePool(request, pool, command.force)
  return because === null ? pool.id : noPoolMessage(about, because)
}

/** Whether the hints of a share let it be in a pool. */
export function obeysHints(world: World, share: ShareRow, pool: number): boolean {
  const request = requestOf(world, {
    ...{ operation: 'migrate', sizeGb: 0, extraSpecs: new Map(), zone: null, onlyHost: null, snapshot: null },
    hints: hintsOf(world, share.id),
  })
  const view = { ...poolView(world, world.shares.pools.get(pool) as PoolRow), isEnabled: true, usedGb: 0 }
  return judgePool(request, view) === null
}

export interface EndMigration {
  readonly share: string
  readonly stepUuid: string
}

const COMPLETABLE = ['migration_driver_phase1_done']
const CANCELLABLE = ['migration_starting', 'migration_driver_in_progress', 'migration_driver_phase1_done']

/** The second half. Where others came meanwhile that it must not meet, it is taken back instead. */
export function completeMigration(world: World, command: EndMigration, nowMs: number): Decided<Moved> {
  const before = world.shares.shares.find(command.share)
  if (before === undefined) return refuse({ kind: 'share-missing', share: command.share })
  if (!COMPLETABLE.includes(before.task_state ?? '')) return refuse(notInTask(before, COMPLETABLE))
  const target = before.target_pool_id as number
  if (before.is_move_forced === 0 && !obeysHints(world, before, target)) {
    const text = 'The hints of the share, or of others that came meanwhile, no longer let it be there.'
    return accept(takenBack(world, before, command.stepUuid, text, nowMs), {
      isThere: false,
      messages: [driverMessage({ project: before.project_id, share: before.uuid, action: 'migrate' }, text)],
    })
  }
  const after = { ...before, task_state: 'migration_completing', updated_at: nowMs }
  const facts = { size: before.size, from: sourceOf(world, before) }
  const step: NewStep = { uuid: command.stepUuid, kind: 'switch', pool: target, share: before.uuid, facts }
  const ops = [update('shares', before, after), ...stepOps(world, [step], nowMs)]
  return accept({ ops }, { isThere: false, messages: [] })
}

export function cancelMigration(world: World, command: EndMigration, nowMs: number): Decided<null> {
  const before = world.shares.shares.find(command.share)
  if (before === undefined) return refuse({ kind: 'share-missing', share: command.share })
  if (!CANCELLABLE.includes(before.task_state ?? '')) return refuse(notInTask(before, CANCELLABLE))
  return accept(takenBack(world, before, command.stepUuid, undefined, nowMs), null)
}

/** What was going on is given up, and what is at the target goes. */
export function takenBack(
  world: World,
  share: ShareRow,
  stepUuid: string,
  because: string | undefined,
  nowMs: number,
): { readonly ops: RowOp[] } {
  const pool = share.target_pool_id as number
  const facts = because === undefined ? {} : { because }
  const step: NewStep = { uuid: stepUuid, kind: 'drop-copy', pool, share: share.uuid, facts }
  const after = { ...share, task_state: 'migration_in_progress', updated_at: nowMs }
  return {
    ops: [
      ...abandonedOps(world, share.uuid),
      update('shares', share, after),
      ...stepOps(world, [step], nowMs),
    ],
  }
}

const notInTask = (share: ShareRow, needs: readonly string[]): ShareRefusal => ({
  ...{
    kind: 'share-state',
    share: share.uuid,
    field: 'task_state',
    value: share.task_state ?? 'null',
    needs,
  },
})
