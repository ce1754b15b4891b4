import { type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { ShareRow, SnapshotRow, StepRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { driverMessage, type Message, type MessageAction } from '../messages/messages.ts'
import type { ShareRefusal } from '../refusals.ts'
import { goneOps } from '../shares/delete.ts'
import { holdOps } from '../shares/holding.ts'
import { takenBack } from '../shares/migrate.ts'
import { fenceFault } from './leases.ts'
import { factsOf, type NewStep, type StepKind, stepOps } from './steps.ts'

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

export interface EndStep {
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

type Outcome = { readonly ops: readonly RowOp[]; readonly messages?: readonly Message[] }

/** Writes down what came of a step, if whoever did it still may. */
export function endStep(world: World, command: EndStep, nowMs: number): Decision<Ended, ShareRefusal> {
  const step = world.shares.steps.find(command.step)
  if (step === undefined) return refuse({ kind: 'step-gone', step: command.step })
  const fault = fenceFault(world, step, command)
  if (fault !== null) return refuse(fault)
  const { ops, messages = [] } = outcomeOf(world, step, command, nowMs)
  return accept({ ops: [remove('share_steps', step), ...ops] }, { messages })
}

function outcomeOf(world: World, step: StepRow, command: EndStep, nowMs: number): Outcome {
  const share = world.shares.shares.find(step.share)
  const kind = step.kind as StepKind
  if (kind === 'snapshot' || kind === 'drop-snapshot') return snapshotOutcome(world, step, command, nowMs)
  // A share that is no more has nothing to be told.
  if (share === undefined || kind === 'drop-source') return { ops: [] }
  const { result } = command
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
      return dropped(world, share, step, nowMs)
    default:
      return kind satisfies never
  }
}

/** The share as it is from now on, and the ledger with it. */
function becomes(world: World, before: ShareRow, changes: Partial<ShareRow>, nowMs: number): RowOp[] {
  const after: ShareRow = { ...before, ...changes, updated_at: nowMs }
  const held = holdOps(world, after, nowMs)
  if (!('length' in held)) throw new Error(`no claim for share ${before.uuid}: ${held.kind}`)
  return [...held, update('shares', before, after)]
}

const told = (share: ShareRow, action: MessageAction, text: string): Message =>
  driverMessage({ project: share.project_id, share: share.uuid, action }, text)

/** What could not be made holds nothing, unless something is left of it. */
function created(world: World, share: ShareRow, result: StepResult, nowMs: number): Outcome {
  if (result.ok) {
    const changes = { status: 'available', export_path: result.exportPath ?? null }
    return { ops: becomes(world, share, changes, nowMs) }
  }
  const place = result.isHalfMade === true ? {} : { pool_id: null }
  return {
    ops: becomes(world, share, { status: 'error', ...place }, nowMs),
    messages: [told(share, 'create', `The share could not be made: ${result.error}`)],
  }
}

function deleted(world: World, share: ShareRow, result: StepResult, nowMs: number): Outcome {
  if (result.ok) return { ops: goneOps(world, share, nowMs) }
  return {
    ops: becomes(world, share, { status: 'error_deleting' }, nowMs),
    messages: [told(share, 'delete', `The share could not be deleted: ${result.error}`)],
  }
}

function resized(world: World, share: ShareRow, result: StepResult, nowMs: number): Outcome {
  const isMore = share.status === 'extending' || (share.target_size ?? 0) > share.size
  if (result.ok) {
    const changes = { status: 'available', size: share.target_size ?? share.size, target_size: null }
    return { ops: becomes(world, share, changes, nowMs) }
  }
  const action = isMore ? 'extend' : 'shrink'
  const status = result.isRefusal === true ? 'available' : isMore ? 'extending_error' : 'shrinking_error'
  return {
    ops: becomes(world, share, { status, target_size: null }, nowMs),
    messages: [told(share, action, `The size of the share could not be changed: ${result.error}`)],
  }
}

function copied(world: World, share: ShareRow, command: EndStep, nowMs: number): Outcome {
  const { result } = command
  if (result.ok) {
    const changes = { task_state: 'migration_driver_phase1_done', target_path: result.exportPath ?? null }
    return { ops: becomes(world, share, changes, nowMs) }
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
  ...{ target_pool_id: null, target_type_id: null, target_path: null, is_move_forced: 0 },
} as const

/** From now on it is there; what is left behind is cleared away by its own back end. */
function switched(world: World, share: ShareRow, command: EndStep, nowMs: number): Outcome {
  const { result, nextUuid } = command
  if (!result.ok) return moveFailed(world, share, command, result.error, nowMs)
  const target = share.target_pool_id as number
  const zone = world.shares.backends.get(world.shares.backendOf(target) as number)?.availability_zone ?? null
  const changes: Partial<ShareRow> = {
    ...{ ...NO_TARGET, pool_id: target, type_id: share.target_type_id ?? share.type_id },
    ...{ export_path: result.exportPath ?? share.target_path, availability_zone: zone },
    ...{ status: 'available', task_state: 'migration_success', is_forced: share.is_move_forced },
  }
  const snapshots = world.shares.snapshotsOf(share.id).map(one => one.uuid)
  const behind: NewStep = {
    ...{ uuid: nextUuid, kind: 'drop-source', pool: share.pool_id as number, share: share.uuid },
    facts: { snapshots },
  }
  return { ops: [...becomes(world, share, changes, nowMs), ...stepOps(world, [behind], nowMs)] }
}

/** What could not be dropped is not the share's any more; the log of the back end's holder has it. */
function dropped(world: World, share: ShareRow, step: StepRow, nowMs: number): Outcome {
  const { because } = factsOf(world, step)
  if (share.status === 'deleting') return { ops: becomes(world, share, NO_TARGET, nowMs) }
  const task_state = because === undefined ? 'migration_cancelled' : 'migration_error'
  return { ops: becomes(world, share, { ...NO_TARGET, status: 'available', task_state }, nowMs) }
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
