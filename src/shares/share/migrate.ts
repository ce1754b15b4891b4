import { providerSlot } from '../../kernel/ids.ts'
import type { ChoiceSummary } from '../../scheduling/framework/choice-summary.ts'
import {
  choosePoolFilters,
  judgePool,
  makeShareRequest,
  type NoPool,
  rankPools,
} from '../../scheduling/pools/choose.ts'
import { listBindingHints } from '../../scheduling/pools/hints.ts'
import { findBackendByName, findPoolByName, makePoolView, nameOrEmpty } from '../../scheduling/pools/pools.ts'
import { HINT_FILTERS } from '../../scheduling/pools/registry.ts'
import { type RowOp, update } from '../../world/change.ts'
import { accept, refuse } from '../../world/decision.ts'
import type { PoolRow, ShareRow, ShareTypeRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { driverMessage, type Message, noPoolMessage } from '../messages/messages.ts'
import type { ShareDecision, ShareRefusal } from '../refusals.ts'
import { findUse } from '../snapshots/snapshots.ts'
import {
  type CopySource,
  describeOrigin,
  makeAbandonOps,
  makeStepOps,
  type NewStep,
  type StepFacts,
} from '../worker/steps.ts'
import { findStepKind, findWork } from './busy.ts'
import { bookShare } from './holding.ts'
import { checkTypeSize } from './sizes.ts'

export interface StartMigration {
  readonly share: string
  readonly stepUuid: string
  /** `host@backend#pool` */
  readonly target: string
  /** The uuid of a new type, if it changes. */
  readonly newType: string | null
  readonly preserveSnapshots: boolean
  /** Ignores its hints. */
  readonly force: boolean
}

export interface Moved {
  readonly share: string
  readonly project: string
  /** It is at the target already. */
  readonly isThere: boolean
  readonly messages: readonly Message[]
  readonly judged: JudgedPool
}

/** What is known about the target pool. */
interface JudgedPool {
  /** Null if it is refused. */
  readonly target: { readonly host: string; readonly provider: string } | null
  readonly choice: ChoiceSummary | null
  readonly because: NoPool | null
  /** The reason, if not from a filter. */
  readonly text: string | null
}

const UNJUDGED: JudgedPool = { target: null, choice: null, because: null, text: null }

/** What only the scheduler can know is accepted and ends in `migration_error`, as in Manila. */
export function startMigration(world: World, command: StartMigration, nowMs: number): ShareDecision<Moved> {
  const { shares } = world
  const before = shares.findShare(command.share)
  if (before === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const fault = moveFault(world, before, command)
  if (fault !== null) return refuse(fault)
  const type = findNewType(world, command)
  if (type !== null && 'kind' in type) return refuse(type)
  const wanted = type ?? shares.types.row(before.type_id)
  const sizeFault = checkTypeSize(world, wanted, before.size)
  if (sizeFault !== null) return refuse(sizeFault)
  if (nameOrEmpty(world, before.pool_id) === command.target && wanted.id === before.type_id) {
    const after = { ...before, task_state: 'migration_success', updated_at: nowMs }
    return accept({ ops: [update('shares', before, after)] }, { ...describeMove(before), isThere: true })
  }
  return beginMove(world, before, command, wanted, nowMs)
}

function findNewType({ shares }: World, { newType }: StartMigration): ShareTypeRow | ShareRefusal | null {
  if (newType === null) return null
  return shares.types.find(newType) ?? { kind: 'type-missing', type: newType }
}

function moveFault(world: World, share: ShareRow, { target }: StartMigration): ShareRefusal | null {
  const { uuid, status } = share
  if (share.deleted_at !== null) return { kind: 'share-soft-deleted', share: uuid }
  if (status !== 'available')
    return { kind: 'share-state', share: uuid, field: 'status', value: status, needs: ['available'] }
  const busy = findWork(world, share)
  if (busy !== null) return { kind: 'share-busy', share: uuid, taskState: busy }
  if (share.pool_id === null) return { kind: 'share-unplaced', share: uuid }
  const backend = target.split('#', 1)[0] as string
  return findBackendByName(world, backend) === undefined ? { kind: 'backend-missing', backend } : null
}

function beginMove(
  world: World,
  before: ShareRow,
  command: StartMigration,
  type: ShareTypeRow,
  nowMs: number,
): ShareDecision<Moved> {
  const { pool, ...judged } = judge(world, before, command, type, nowMs)
  if (pool === null) return failMove(before, judged, nowMs)
  // If only the type changes, nothing is moved.
  if (pool === before.pool_id) {
    const after = { ...before, type_id: type.id, task_state: 'migration_success', updated_at: nowMs }
    return accept({ ops: [update('shares', before, after)] }, describeMove(before, judged))
  }
  const after: ShareRow = {
    ...before,
    status: 'migrating',
    task_state: 'migration_starting',
    updated_at: nowMs,
    target_pool_id: pool,
    target_type_id: type.id,
    target_path: null,
    is_move_forced: Number(command.force),
  }
  const booking = bookShare(world, after, nowMs)
  if (!booking.ok) {
    const text = `The capacity for the share could not be claimed: ${booking.refusal.kind}.`
    return failMove(before, { ...judged, target: null, text }, nowMs)
  }
  const snapshots = world.shares.listSnapshots(before.id)
  const facts: StepFacts = {
    size: before.size,
    from: findOrigin(world, before),
    snapshots: snapshots.flatMap(one => (one.status === 'available' ? [one.uuid] : [])),
    otherSnapshots: snapshots.flatMap(one => (one.status === 'available' ? [] : [one.uuid])),
  }
  const step: NewStep = { uuid: command.stepUuid, kind: 'copy', pool, share: before.uuid, facts }
  const ops = [...booking.ops, update('shares', before, after), ...makeStepOps(world, [step], nowMs)]
  return accept({ ops }, describeMove(before, judged))
}

const describeMove = ({ uuid, project_id }: ShareRow, judged: JudgedPool = UNJUDGED): Moved => ({
  share: uuid,
  project: project_id,
  isThere: false,
  messages: [],
  judged,
})

function failMove(before: ShareRow, judged: JudgedPool, nowMs: number): ShareDecision<Moved> {
  const after = { ...before, task_state: 'migration_error', updated_at: nowMs }
  const { because, text } = judged
  const message =
    because === null
      ? driverMessage(describeSubject(before), text ?? '')
      : noPoolMessage(describeSubject(before), because)
  const answer = { ...describeMove(before, judged), messages: [message] }
  return accept({ ops: [update('shares', before, after)] }, answer)
}

const describeSubject = (share: ShareRow) =>
  ({ project: share.project_id, share: share.uuid, action: 'migrate' }) as const

const findOrigin = (world: World, { uuid, pool_id }: ShareRow): CopySource =>
  describeOrigin(world, pool_id as number, uuid)

/** The pool, or null and why not. */
function judge(
  world: World,
  share: ShareRow,
  command: StartMigration,
  type: ShareTypeRow,
  nowMs: number,
): JudgedPool & { readonly pool: number | null } {
  const pool = findPoolByName(world, command.target)
  if (pool === undefined) return { ...UNJUDGED, pool: null, text: `There is no pool ${command.target}.` }
  const text = checkSnapshots(world, share, command) ?? checkLeftovers(world, share, pool.id)
  if (text !== null) return { ...UNJUDGED, pool: null, text }
  const stays = pool.id === share.pool_id
  const request = makeShareRequest(world, {
    operation: 'migrate',
    sizeGb: stays ? 0 : share.size,
    extraSpecs: world.shares.getSpecs(type.id),
    zone: null,
    onlyHost: null,
    snapshot: null,
    hints: listBindingHints(world, share),
    nowMs,
  })
  const filters = choosePoolFilters(command.force)
  const { choice } = rankPools(world, request, [pool], filters)
  const because = judgePool(request, pool, filters)
  if (because !== null) return { ...UNJUDGED, pool: null, choice, because }
  const provider = world.providers.uuid(providerSlot(pool.id))
  return { ...UNJUDGED, pool: pool.id, choice, target: { host: pool.name, provider } }
}

function checkSnapshots(world: World, share: ShareRow, command: StartMigration): string | null {
  const snapshots = world.shares.listSnapshots(share.id)
  if (snapshots.length > 0 && !command.preserveSnapshots)
    return `The share has ${snapshots.length} snapshots, which would not be preserved.`
  const passing = snapshots.find(({ status }) => status === 'creating' || status === 'deleting')
  if (passing !== undefined) return `Snapshot ${passing.uuid} is ${passing.status}. Try again later.`
  const use = findUse(world, snapshots)
  return use === null
    ? null
    : `Share ${use.share} is being made from snapshot ${use.snapshot}. Try again later.`
}

/** Leftovers of an earlier move in a pool must not be mistaken for the share, nor be removed under it. */
function checkLeftovers({ shares }: World, { uuid }: ShareRow, pool: number): string | null {
  const isLeft = shares
    .listStepsAbout(uuid)
    .some(step => step.kind === 'drop-source' && step.pool_id === pool)
  return isLeft ? 'What an earlier move left there is not cleared away yet. Try again later.' : null
}

/** Whether the hints of a share allow a pool. */
export function obeysHints(world: World, share: ShareRow, pool: number, nowMs: number): boolean {
  const request = makeShareRequest(world, {
    operation: 'migrate',
    sizeGb: 0,
    extraSpecs: new Map(),
    zone: null,
    onlyHost: null,
    snapshot: null,
    hints: listBindingHints(world, share),
    nowMs,
  })
  return (
    judgePool(request, makePoolView(world, world.shares.pools.get(pool) as PoolRow), HINT_FILTERS) === null
  )
}

interface EndMigration {
  readonly share: string
  readonly stepUuid: string
}

const COMPLETABLE = ['migration_driver_phase1_done']
const CANCELLABLE = ['migration_starting', 'migration_driver_in_progress', 'migration_driver_phase1_done']

/** The second half of a move. Cancels it if its hints no longer allow the target, because other shares came there. */
export function completeMigration(world: World, command: EndMigration, nowMs: number): ShareDecision<Moved> {
  const before = world.shares.findShare(command.share)
  if (before === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const target = before.target_pool_id
  if (target === null || !COMPLETABLE.includes(before.task_state ?? ''))
    return refuse(refuseTask(before, COMPLETABLE))
  const work = findStepKind(world.shares, before)
  if (work !== null) return refuse({ kind: 'share-busy', share: before.uuid, taskState: work })
  const use = findUse(world, world.shares.listSnapshots(before.id))
  if (use !== null) return refuse(use)
  if (before.is_move_forced === 0 && !obeysHints(world, before, target, nowMs)) {
    const text = 'The hints of the share, or of others that came meanwhile, no longer let it be there.'
    const answer = { ...describeMove(before), messages: [driverMessage(describeSubject(before), text)] }
    return accept(cancelMove(world, before, command.stepUuid, text, nowMs), answer)
  }
  const after = { ...before, task_state: 'migration_completing', updated_at: nowMs }
  const facts = { size: before.size, from: findOrigin(world, before) }
  const step: NewStep = { uuid: command.stepUuid, kind: 'switch', pool: target, share: before.uuid, facts }
  const ops = [update('shares', before, after), ...makeStepOps(world, [step], nowMs)]
  return accept({ ops }, describeMove(before))
}

export function cancelMigration(world: World, command: EndMigration, nowMs: number): ShareDecision<null> {
  const before = world.shares.findShare(command.share)
  if (before === undefined) return refuse({ kind: 'share-missing', share: command.share })
  if (before.target_pool_id === null || !CANCELLABLE.includes(before.task_state ?? ''))
    return refuse(refuseTask(before, CANCELLABLE))
  return accept(cancelMove(world, before, command.stepUuid, undefined, nowMs), null)
}

/** Cancels running work and drops the copy at the target. */
export function cancelMove(
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
      // Restores access at the old place, where the share stays.
      ...makeAbandonOps(world, share.uuid, ['access']),
      update('shares', share, after),
      ...makeStepOps(world, [step], nowMs),
    ],
  }
}

const refuseTask = (share: ShareRow, needs: readonly string[]): ShareRefusal => ({
  kind: 'share-state',
  share: share.uuid,
  field: 'task_state',
  value: share.task_state ?? 'null',
  needs,
})
