import { type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { ShareRow, SnapshotRow, StepRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { hasAccessRules, makeAccessStepOps } from '../access/access-rules.ts'
import { makeAppliedOps, makeFailedOps, makeRequeueOps, type RefusedRule } from '../access/access-steps.ts'
import { driverMessage, type Message, type MessageAction } from '../messages/messages.ts'
import type { ShareRefusal } from '../refusals.ts'
import { makeDeleteOps } from '../share/delete.ts'
import { bookShare } from '../share/holding.ts'
import { cancelMove, obeysHints } from '../share/migrate.ts'
import { isBusy } from '../share/states.ts'
import { checkFence } from './leases.ts'
import { makeRetryOp, makeStepOps, type NewStep, readFacts, STUCK_AT, type StepKind } from './steps.ts'

export type StepResult =
  | {
      readonly ok: true
      readonly exportPath?: string
      /** Access rules that the driver cannot apply. */
      readonly refused?: readonly RefusedRule[]
    }
  | {
      readonly ok: false
      readonly error: string
      /** A failed creation may leave something that takes space. */
      readonly isHalfMade?: boolean
      /** A driver that refuses to shrink a share leaves it as it is. */
      readonly isRefusal?: boolean
    }

interface EndStep {
  readonly step: string
  readonly holder: string
  readonly epoch: number
  readonly result: StepResult
  /** For a step that follows from this one. */
  readonly nextUuid: string
  /** For access to a share that has moved. */
  readonly accessUuid: string
}

export interface Ended {
  readonly messages: readonly Message[]
}

interface StepOutcome {
  readonly ops: readonly RowOp[]
  readonly messages?: readonly Message[]
  /** The step is not over: its new state. */
  readonly again?: RowOp
}

/** Records the result of a step, if the process still has the lease. */
export function endStep(world: World, command: EndStep, nowMs: number): Decision<Ended, ShareRefusal> {
  const step = world.shares.steps.find(command.step)
  if (step === undefined) return refuse({ kind: 'step-gone', step: command.step })
  const fault = checkFence(world, step, command)
  if (fault !== null) return refuse(fault)
  const {
    ops,
    messages = [],
    again = remove('share_steps', step),
  } = decideOutcome(world, step, command, nowMs)
  return accept({ ops: [again, ...ops] }, { messages })
}

function decideOutcome(world: World, step: StepRow, command: EndStep, nowMs: number): StepOutcome {
  const share = world.shares.findShare(step.share)
  const kind = step.kind as StepKind
  if (kind === 'snapshot' || kind === 'drop-snapshot') return endSnapshot(world, step, command, nowMs)
  const { result } = command
  if (kind === 'drop-source') return endDropSource(world, step, share, command, nowMs)
  // The share was deleted: no message.
  if (share === undefined) return { ops: [] }
  switch (kind) {
    case 'create':
      return endCreate(world, share, result, nowMs)
    case 'delete':
      return endDelete(world, share, result, nowMs)
    case 'resize':
      return endResize(world, share, result, nowMs)
    case 'copy':
      return endCopy(world, share, command, nowMs)
    case 'switch':
      return endSwitch(world, share, command, nowMs)
    case 'drop-copy':
      return endDropCopy(world, share, step, result, nowMs)
    case 'access':
      return endAccess(world, share, step, result, nowMs)
    default:
      return kind satisfies never
  }
}

/**
 * Updates the share and the ledger. If the ledger refuses, everything stays booked and the share goes to error; the step has
 * ended in both cases.
 */
function updateShare(
  world: World,
  before: ShareRow,
  changes: Partial<ShareRow>,
  nowMs: number,
  more: { readonly ops?: readonly RowOp[]; readonly messages?: readonly Message[] } = {},
): StepOutcome {
  const after: ShareRow = { ...before, ...changes, updated_at: nowMs }
  const booking = bookShare(world, after, nowMs)
  const { ops = [], messages = [] } = more
  if (booking.ok) return { ops: [...booking.ops, update('shares', before, after), ...ops], messages }
  const task_state = isBusy(before.task_state) ? 'migration_error' : before.task_state
  const stuck = { ...before, status: 'error', task_state, updated_at: nowMs }
  const text = `The allocations of the share could not be updated: ${booking.refusal.kind}`
  return {
    ops: [update('shares', before, stuck)],
    messages: [...messages, makeMessage(before, 'create', text)],
  }
}

const makeMessage = (share: ShareRow, action: MessageAction, text: string): Message =>
  driverMessage({ project: share.project_id, share: share.uuid, action }, text)

/** A failed creation holds nothing, unless it left something. */
function endCreate(world: World, share: ShareRow, result: StepResult, nowMs: number): StepOutcome {
  if (result.ok) {
    const changes = { status: 'available', export_path: result.exportPath ?? null }
    return updateShare(world, share, changes, nowMs)
  }
  const place = result.isHalfMade === true ? {} : { pool_id: null }
  const messages = [makeMessage(share, 'create', `The share could not be created: ${result.error}`)]
  return updateShare(world, share, { status: 'error', ...place }, nowMs, { messages })
}

function endDelete(world: World, share: ShareRow, result: StepResult, nowMs: number): StepOutcome {
  if (result.ok) return { ops: makeDeleteOps(world, share, nowMs) }
  const messages = [makeMessage(share, 'delete', `The share could not be deleted: ${result.error}`)]
  return updateShare(world, share, { status: 'error_deleting' }, nowMs, { messages })
}

function endResize(world: World, share: ShareRow, result: StepResult, nowMs: number): StepOutcome {
  const isMore = share.status === 'extending' || (share.target_size ?? 0) > share.size
  if (result.ok) {
    const changes = { status: 'available', size: share.target_size ?? share.size, target_size: null }
    return updateShare(world, share, changes, nowMs)
  }
  const action = isMore ? 'extend' : 'shrink'
  const status = result.isRefusal === true ? 'available' : isMore ? 'extending_error' : 'shrinking_error'
  const messages = [makeMessage(share, action, `The size of the share could not be changed: ${result.error}`)]
  return updateShare(world, share, { status, target_size: null }, nowMs, { messages })
}

function endCopy(world: World, share: ShareRow, command: EndStep, nowMs: number): StepOutcome {
  const { result } = command
  if (share.target_pool_id === null) return { ops: [] }
  if (result.ok) {
    const changes = { task_state: 'migration_driver_phase1_done', target_path: result.exportPath ?? null }
    return updateShare(world, share, changes, nowMs)
  }
  return moveFailed(world, share, command, result.error, nowMs)
}

/** Drops what is left at the target before the share is available again. */
function moveFailed(
  world: World,
  share: ShareRow,
  { nextUuid }: EndStep,
  error: string,
  nowMs: number,
): StepOutcome {
  const text = `The share could not be moved: ${error}`
  return {
    ops: cancelMove(world, share, nextUuid, text, nowMs).ops.filter(op => !isRemovedStep(op)),
    messages: [makeMessage(share, 'migrate', text)],
  }
}

/** Removes every step. */
const isRemovedStep = (op: RowOp): boolean => op.table === 'share_steps' && op.after === null

const NO_TARGET = {
  target_pool_id: null,
  target_type_id: null,
  target_path: null,
  is_move_forced: 0,
} as const

/** The share is at the target now; its old back end removes what is left there. */
function endSwitch(world: World, share: ShareRow, command: EndStep, nowMs: number): StepOutcome {
  const { result, nextUuid } = command
  const target = share.target_pool_id
  if (target === null) return { ops: [] }
  if (!result.ok) return moveFailed(world, share, command, result.error, nowMs)
  const zone =
    world.shares.backends.get(world.shares.findBackend(target) as number)?.availability_zone ?? null
  const is_forced = Number(share.is_move_forced === 1 && !obeysHints(world, share, target, nowMs))
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
  const snapshots = world.shares.listSnapshots(share.id).map(one => one.uuid)
  const behind: NewStep = {
    uuid: nextUuid,
    kind: 'drop-source',
    pool: share.pool_id as number,
    share: share.uuid,
    facts: { snapshots, access: hasAccessRules(world, share) },
  }
  const steps = [behind, ...describeAccessMove(world, share, target, command.accessUuid)]
  const ops = [...makeAccessMoveOps(world, share), ...makeStepOps(world, steps, nowMs)]
  return updateShare(world, share, changes, nowMs, { ops })
}

/** The old back end withdraws access together with the leftovers. */
const describeAccessMove = (world: World, share: ShareRow, pool: number, uuid: string): NewStep[] =>
  hasAccessRules(world, share) ? [{ uuid, kind: 'access', pool, share: share.uuid, facts: {} }] : []

const makeAccessMoveOps = (world: World, share: ShareRow): RowOp[] => [
  ...listAccessSteps(world, share).map(step => remove('share_steps', step)),
  ...makeRequeueOps(world, share),
]

const listAccessSteps = ({ shares }: World, { uuid }: ShareRow): StepRow[] =>
  shares.listStepsAbout(uuid).filter(({ kind }) => kind === 'access')

/** A failure shows in the rules and is retried. The owner gets one message. */
function endAccess(
  world: World,
  share: ShareRow,
  step: StepRow,
  result: StepResult,
  nowMs: number,
): StepOutcome {
  if (result.ok) {
    const refused = result.refused ?? []
    const ops = makeAppliedOps(world, share, refused)
    const isNew = ({ rule }: RefusedRule) => world.shares.accessRules.find(rule)?.state === 'applying'
    const messages = refused.filter(isNew).map(({ error }) => accessMessage(share, error))
    return { ops, messages }
  }
  const ops = makeFailedOps(world, share)
  const messages = ops.length === 0 ? [] : [accessMessage(share, result.error)]
  // If there is a later step, it retries everything.
  const isLast = listAccessSteps(world, share).at(-1)?.id === step.id
  return { ops, messages, ...(isLast ? { again: makeRetryOp(world, step, result.error, nowMs) } : {}) }
}

const accessMessage = (share: ShareRow, error: string): Message =>
  makeMessage(share, 'access', `Access to the share could not be changed: ${error}`)

/** The share is free again. A copy that could not be dropped no longer belongs to it, and is retried. */
function endDropCopy(
  world: World,
  share: ShareRow,
  step: StepRow,
  result: StepResult,
  nowMs: number,
): StepOutcome {
  const { because } = readFacts(world, step)
  const task_state = because === undefined ? 'migration_cancelled' : 'migration_error'
  const changes = share.status === 'deleting' ? NO_TARGET : { ...NO_TARGET, status: 'available', task_state }
  const outcome = updateShare(world, share, changes, nowMs)
  return result.ok ? outcome : { ...outcome, again: makeRetryOp(world, step, result.error, nowMs) }
}

/** The end of cleanup after a move. If it fails, the owner gets one message, and `berth verify` reports it. */
function endDropSource(
  world: World,
  step: StepRow,
  share: ShareRow | undefined,
  { result, accessUuid }: EndStep,
  nowMs: number,
): StepOutcome {
  if (result.ok) return { ops: share === undefined ? [] : renewAccess(world, step, share, accessUuid, nowMs) }
  const again = makeRetryOp(world, step, result.error, nowMs)
  if (share === undefined || (readFacts(world, step).failures ?? 0) + 1 !== STUCK_AT)
    return { ops: [], again }
  const text = `The old copy of a migrated share cannot be deleted: ${result.error}`
  return { ops: [], again, messages: [makeMessage(share, 'migrate', text)] }
}

/**
 * An NFS server that serves both back ends refuses the new export while it has the old one with the same number. So access
 * is applied again once the old export is gone.
 */
function renewAccess(world: World, step: StepRow, share: ShareRow, stepUuid: string, nowMs: number): RowOp[] {
  if (readFacts(world, step).access !== true || !hasAccessRules(world, share)) return []
  return makeAccessStepOps(world, share, stepUuid, nowMs)
}

function endSnapshot(world: World, step: StepRow, { result }: EndStep, nowMs: number): StepOutcome {
  const row = world.shares.snapshots.find(readFacts(world, step).snapshot ?? '')
  if (row === undefined) return { ops: [] }
  const isMade = step.kind === 'snapshot'
  const becomes = (status: string): RowOp =>
    update('share_snapshots', row, { ...row, status, updated_at: nowMs })
  if (result.ok) return { ops: [isMade ? becomes('available') : remove('share_snapshots', row)] }
  return {
    ops: [becomes(isMade ? 'error' : 'error_deleting')],
    messages: [snapshotMessage(row, `${isMade ? 'created' : 'deleted'}: ${result.error}`)],
  }
}

const snapshotMessage = (row: SnapshotRow, what: string): Message =>
  driverMessage(
    { project: row.project_id, share: row.uuid, action: 'snapshot' },
    `The snapshot could not be ${what}`,
    'SHARE_SNAPSHOT',
  )
