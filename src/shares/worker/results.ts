import { type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { ShareRow, SnapshotRow, StepRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { driverMessage, type Message, type MessageAction } from '../messages/messages.ts'
import type { ShareRefusal } from '../refusals.ts'
import { goneOps } from '../share/delete.ts'
import { bookShare } from '../share/holding.ts'
import { obeysHints, takenBack } from '../share/migrate.ts'
import { isBusy } from '../share/states.ts'
import { fenceFault } from './leases.ts'
import { factsOf, type NewStep, STUCK_AT, type StepKind, stepOps, triedAgain } from './steps.ts'

/** What came of a step. */
export type StepResult =
  | { readonly ok: true; readonly exportPath?: string }
  | {
      readonly ok: false
      readonly error: string
      /** Something may be left of what was begun, which takes room. */
      readonly isHalfMade?: boolean
      /** A driver that says no to a smaller share leaves it as it is. */
      readonly isRefusal?: boolean
    }

interface EndStep {
  readonly step: string
  readonly holder: string
  readonly epoch: number
  readonly result: StepResult
  /** For a step that follows from this one. */
  readonly nextUuid: string
}

export interface Ended {
  readonly messages: readonly Message[]
}

interface Outcome {
  readonly ops: readonly RowOp[]
  readonly messages?: readonly Message[]
  /** The step is not over: it is as this says. */
  readonly again?: RowOp
}

/** Writes down what came of a step, if whoever did it still may. */
export function endStep(world: World, command: EndStep, nowMs: number): Decision<Ended, ShareRefusal> {
  const step = world.shares.steps.find(command.step)
  if (step === undefined) return refuse({ kind: 'step-gone', step: command.step })
  const fault = fenceFault(world, step, command)
  if (fault !== null) return refuse(fault)
  const { ops, messages = [], again = remove('share_steps', step) } = outcomeOf(world, step, command, nowMs)
  return accept({ ops: [again, ...ops] }, { messages })
}

function outcomeOf(world: World, step: StepRow, command: EndStep, nowMs: number): Outcome {
  const share = world.shares.findShare(step.share)
  const kind = step.kind as StepKind
  if (kind === 'snapshot' || kind === 'drop-snapshot') return snapshotOutcome(world, step, command, nowMs)
  const { result } = command
  if (kind === 'drop-source') return cleared(world, step, share, result, nowMs)
  // A share that is no more has nothing to be told.
  if (share === undefined) return { ops: [] }
  switch (kind) {
    case 'create':
      return created(world, share, result, nowMs)
    case 'delete':
      return deleted(world, share, result, nowMs)
    case 'resize':
      return resized(world, share, result, nowMs)
    case 'copy':
      return copied(world, share, command, nowMs)
    case 'switch':
      return switched(world, share, command, nowMs)
    case 'drop-copy':
      return dropped(world, share, step, result, nowMs)
    default:
      return kind satisfies never
  }
}

/**
 * The share as it is from now on, and the ledger with it. Where the ledger will not have it, everything stays booked as it
 * was and the share is in error: the step is over all the same.
 */
function becomes(
  world: World,
  before: ShareRow,
  changes: Partial<ShareRow>,
  nowMs: number,
  more: { readonly ops?: readonly RowOp[]; readonly messages?: readonly Message[] } = {},
): Outcome {
  const after: ShareRow = { ...before, ...changes, updated_at: nowMs }
  const booking = bookShare(world, after, nowMs)
  const { ops = [], messages = [] } = more
  if (booking.ok) return { ops: [...booking.ops, update('shares', before, after), ...ops], messages }
  const task_state = isBusy(before.task_state) ? 'migration_error' : before.task_state
  const stuck = { ...before, status: 'error', task_state, updated_at: nowMs }
  const text = `The room that the share takes could not be booked as it is now: ${booking.refusal.kind}`
  return { ops: [update('shares', before, stuck)], messages: [...messages, told(before, 'create', text)] }
}

const told = (share: ShareRow, action: MessageAction, text: string): Message =>
  driverMessage({ project: share.project_id, share: share.uuid, action }, text)

/** What could not be made holds nothing, unless something is left of it. */
function created(world: World, share: ShareRow, result: StepResult, nowMs: number): Outcome {
  if (result.ok) {
    const changes = { status: 'available', export_path: result.exportPath ?? null }
    return becomes(world, share, changes, nowMs)
  }
  const place = result.isHalfMade === true ? {} : { pool_id: null }
  const messages = [told(share, 'create', `The share could not be made: ${result.error}`)]
  return becomes(world, share, { status: 'error', ...place }, nowMs, { messages })
}

function deleted(world: World, share: ShareRow, result: StepResult, nowMs: number): Outcome {
  if (result.ok) return { ops: goneOps(world, share, nowMs) }
  const messages = [told(share, 'delete', `The share could not be deleted: ${result.error}`)]
  return becomes(world, share, { status: 'error_deleting' }, nowMs, { messages })
}

function resized(world: World, share: ShareRow, result: StepResult, nowMs: number): Outcome {
  const isMore = share.status === 'extending' || (share.target_size ?? 0) > share.size
  if (result.ok) {
    const changes = { status: 'available', size: share.target_size ?? share.size, target_size: null }
    return becomes(world, share, changes, nowMs)
  }
  const action = isMore ? 'extend' : 'shrink'
  const status = result.isRefusal === true ? 'available' : isMore ? 'extending_error' : 'shrinking_error'
  const messages = [told(share, action, `The size of the share could not be changed: ${result.error}`)]
  return becomes(world, share, { status, target_size: null }, nowMs, { messages })
}

function copied(world: World, share: ShareRow, command: EndStep, nowMs: number): Outcome {
  const { result } = command
  if (share.target_pool_id === null) return { ops: [] }
  if (result.ok) {
    const changes = { task_state: 'migration_driver_phase1_done', target_path: result.exportPath ?? null }
    return becomes(world, share, changes, nowMs)
  }
  return moveFailed(world, share, command, result.error, nowMs)
}

/** What is left at the target goes before the share is free again. */
function moveFailed(
  world: World,
  share: ShareRow,
  { nextUuid }: EndStep,
  error: string,
  nowMs: number,
): Outcome {
  const text = `The share could not be moved: ${error}`
  return {
    ops: takenBack(world, share, nextUuid, text, nowMs).ops.filter(op => !isRemovedStep(op)),
    messages: [told(share, 'migrate', text)],
  }
}

/** The step itself goes by the rule for all of them. */
const isRemovedStep = (op: RowOp): boolean => op.table === 'share_steps' && op.after === null

const NO_TARGET = {
  target_pool_id: null,
  target_type_id: null,
  target_path: null,
  is_move_forced: 0,
} as const

/** From now on it is there; what is left behind is cleared away by its own back end. */
function switched(world: World, share: ShareRow, command: EndStep, nowMs: number): Outcome {
  const { result, nextUuid } = command
  const target = share.target_pool_id
  if (target === null) return { ops: [] }
  if (!result.ok) return moveFailed(world, share, command, result.error, nowMs)
  const zone = world.shares.backends.get(world.shares.backendOf(target) as number)?.availability_zone ?? null
  const is_forced = Number(share.is_move_forced === 1 && !obeysHints(world, share, target))
  const changes: Partial<ShareRow> = {
    ...NO_TARGET,
    pool_id: target,
    type_id: share.target_type_id ?? share.type_id,
    export_path: result.exportPath ?? share.target_path,
    availability_zone: zone,
    status: 'available',
    task_state: 'migration_success',
    is_forced,
  }
  const snapshots = world.shares.snapshotsOf(share.id).map(one => one.uuid)
  const behind: NewStep = {
    uuid: nextUuid,
    kind: 'drop-source',
    pool: share.pool_id as number,
    share: share.uuid,
    facts: { snapshots },
  }
  return becomes(world, share, changes, nowMs, { ops: stepOps(world, [behind], nowMs) })
}

/** The share is free again. A copy that could not be dropped is not the share's any more, and is tried again. */
function dropped(world: World, share: ShareRow, step: StepRow, result: StepResult, nowMs: number): Outcome {
  const { because } = factsOf(world, step)
  const task_state = because === undefined ? 'migration_cancelled' : 'migration_error'
  const changes = share.status === 'deleting' ? NO_TARGET : { ...NO_TARGET, status: 'available', task_state }
  const outcome = becomes(world, share, changes, nowMs)
  return result.ok ? outcome : { ...outcome, again: triedAgain(world, step, result.error, nowMs) }
}

/** What a move left behind. Where it cannot be cleared away, the owner is told once, and `berth verify` says so. */
function cleared(
  world: World,
  step: StepRow,
  share: ShareRow | undefined,
  result: StepResult,
  nowMs: number,
): Outcome {
  if (result.ok) return { ops: [] }
  const again = triedAgain(world, step, result.error, nowMs)
  if (share === undefined || (factsOf(world, step).failures ?? 0) + 1 !== STUCK_AT) return { ops: [], again }
  const text = `What a move of the share left behind cannot be cleared away: ${result.error}`
  return { ops: [], again, messages: [told(share, 'migrate', text)] }
}

function snapshotOutcome(world: World, step: StepRow, { result }: EndStep, nowMs: number): Outcome {
  const row = world.shares.snapshots.find(factsOf(world, step).snapshot ?? '')
  if (row === undefined) return { ops: [] }
  const isMade = step.kind === 'snapshot'
  const becomes = (status: string): RowOp =>
    update('share_snapshots', row, { ...row, status, updated_at: nowMs })
  if (result.ok) return { ops: [isMade ? becomes('available') : remove('share_snapshots', row)] }
  return {
    ops: [becomes(isMade ? 'error' : 'error_deleting')],
    messages: [snapshotMessage(row, `${isMade ? 'made' : 'deleted'}: ${result.error}`)],
  }
}

const snapshotMessage = (row: SnapshotRow, what: string): Message =>
  driverMessage(
    { project: row.project_id, share: row.uuid, action: 'snapshot' },
    `The snapshot could not be ${what}`,
    'SHARE_SNAPSHOT',
  )
