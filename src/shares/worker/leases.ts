import { findBackendByName, nameOrEmpty } from '../../scheduling/pools/pools.ts'
import { insert, type RowOp, update } from '../../world/change.ts'
import { accept, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { LeaseRow, PoolRow, StepRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { makeBeginAccessOps } from '../access/access-steps.ts'
import type { ShareDecision, ShareRefusal } from '../refusals.ts'
import { type CopySource, describeOrigin, readFacts, type StepFacts, type StepKind } from './steps.ts'

interface BeginWork {
  /** `host@backend` */
  readonly backend: string
  /** The process: a new name at every start. */
  readonly holder: string
  readonly leaseMs: number
  /** No other process can exist: an earlier holder of the lease is gone. */
  readonly isAlone: boolean
  /** Steps that it is working on. */
  readonly running: readonly string[]
  readonly stepsMax: number
}

/** One step for the process with the lease. */
export interface Work {
  readonly step: string
  readonly kind: StepKind
  readonly share: string
  /** Without the back end. */
  readonly pool: string
  readonly facts: StepFacts
  /** For cleanup: where the share is, and where it is being moved. */
  readonly keeps: readonly CopySource[]
  /** Earlier attempts, in other processes too. */
  readonly attempts: number
}

export interface Begun {
  readonly epoch: number
  readonly work: readonly Work[]
}

/**
 * Takes or renews the lease of a back end and records which steps begin under it. Of each share only the oldest step begins.
 */
export function beginWork(world: World, command: BeginWork, nowMs: number): ShareDecision<Begun> {
  const { shares } = world
  const backend = findBackendByName(world, command.backend)
  if (backend === undefined) return refuse({ kind: 'backend-missing', backend: command.backend })
  const before = shares.leases.get(backend.provider_id)
  if (before !== undefined && !isFree(before, command, nowMs))
    return refuse({
      kind: 'lease-held',
      backend: command.backend,
      holder: before.holder,
      untilMs: before.expires_at,
    })
  // Includes the time, so that it is higher than any epoch of a store that was restored from a backup.
  const epoch = before?.holder === command.holder ? before.epoch : Math.max((before?.epoch ?? 0) + 1, nowMs)
  const lease: LeaseRow = {
    backend_id: backend.provider_id,
    holder: command.holder,
    epoch,
    expires_at: nowMs + command.leaseMs,
  }
  const running = new Set(command.running)
  const steps = findWaitingSteps(world, backend.provider_id, running, nowMs).slice(0, command.stepsMax)
  if (steps.length === 0) return accept(NO_CHANGE, { epoch, work: [] })
  const ops: RowOp[] = [
    before === undefined ? insert('share_leases', lease) : update('share_leases', before, lease),
    ...steps.flatMap(step => makeBeginOps(world, step, epoch, nowMs)),
  ]
  return accept({ ops }, { epoch, work: steps.map(step => describeWork(world, step)) })
}

const isFree = (lease: LeaseRow, { holder, isAlone }: BeginWork, nowMs: number): boolean =>
  isAlone || lease.holder === holder || lease.expires_at <= nowMs

/** The steps of a back end that can begin: of each share the oldest of its kind, unless it is running. */
export function findWaitingSteps(
  world: World,
  backendId: number,
  running: ReadonlySet<string>,
  nowMs: number,
): StepRow[] {
  const { shares } = world
  return shares.listSteps(backendId).filter(step => {
    if (running.has(step.uuid)) return false
    // Cleanup after a move waits only for shares that are created from snapshots there.
    if ((readFacts(world, step).retryAtMs ?? 0) > nowMs) return false
    if (step.kind === 'drop-source') return !isMadeFrom(world, step)
    const oldest = shares.listStepsAbout(step.share).find(({ kind }) => waitForEachOther(kind, step.kind))
    return oldest?.id === step.id
  })
}

/** Access rules are independent of work on the contents. */
const waitForEachOther = (one: string, other: string): boolean =>
  one !== 'drop-source' && other !== 'drop-source' && (one === 'access') === (other === 'access')

/** Shares stay on the back end of the snapshot that they are created from. */
function isMadeFrom(world: World, { backend_id, pool_id, share }: StepRow): boolean {
  const { pool } = describeOrigin(world, pool_id, share)
  return world.shares.listSteps(backend_id).some(step => {
    const from = step.kind === 'create' ? readFacts(world, step).from : undefined
    return from?.share === share && from.pool === pool
  })
}

function makeBeginOps(world: World, step: StepRow, epoch: number, nowMs: number): RowOp[] {
  const { shares } = world
  const ops: RowOp[] = [update('share_steps', step, { ...step, epoch, attempts: step.attempts + 1 })]
  const share = shares.findShare(step.share)
  if (share === undefined) return ops
  if (step.kind === 'access') return [...ops, ...makeBeginAccessOps(world, share)]
  if (step.kind === 'copy' && share.task_state === 'migration_starting')
    ops.push(
      update('shares', share, { ...share, task_state: 'migration_driver_in_progress', updated_at: nowMs }),
    )
  return ops
}

function describeWork(world: World, step: StepRow): Work {
  const { uuid, kind, share, attempts, pool_id } = step
  const pool = (world.shares.pools.get(pool_id) as PoolRow).name
  const facts = readFacts(world, step)
  return { step: uuid, kind: kind as StepKind, share, pool, facts, keeps: listKept(world, step), attempts }
}

/** Dropping a copy works at the target itself. */
function listKept(world: World, { kind, share }: StepRow): CopySource[] {
  const row = kind === 'drop-copy' || kind === 'drop-source' ? world.shares.findShare(share) : undefined
  if (row === undefined) return []
  const pools = kind === 'drop-copy' ? [row.pool_id] : [row.pool_id, row.target_pool_id]
  return pools.flatMap(pool => (pool === null ? [] : [describeOrigin(world, pool, share)]))
}

interface RenewLeases {
  readonly holder: string
  readonly backends: readonly string[]
  readonly leaseMs: number
}

/** Returns the leases that are still ours. */
export function renewLeases(
  world: World,
  command: RenewLeases,
  nowMs: number,
): ShareDecision<readonly string[]> {
  const mine = command.backends.flatMap(name => {
    const backend = findBackendByName(world, name)
    const lease = backend === undefined ? undefined : world.shares.leases.get(backend.provider_id)
    return lease?.holder === command.holder ? [{ name, lease }] : []
  })
  const ops = mine.map(({ lease }) =>
    update('share_leases', lease, { ...lease, expires_at: nowMs + command.leaseMs }),
  )
  return accept(
    ops.length === 0 ? NO_CHANGE : { ops },
    mine.map(({ name }) => name),
  )
}

/** At the end of a process. */
export function releaseLeases(world: World, command: { readonly holder: string }): ShareDecision<null> {
  const ops = [...world.shares.leases.rows()]
    .filter(lease => lease.holder === command.holder && lease.expires_at > 0)
    .map(lease => update('share_leases', lease, { ...lease, expires_at: 0 }))
  return accept(ops.length === 0 ? NO_CHANGE : { ops }, null)
}

/** Checks that the process that reports a result still has the lease under which the step began. */
export function checkFence(
  world: World,
  step: StepRow,
  { holder, epoch }: { readonly holder: string; readonly epoch: number },
): ShareRefusal | null {
  const lease = world.shares.leases.get(step.backend_id)
  if (lease?.holder === holder && lease.epoch === epoch && step.epoch === epoch) return null
  return { kind: 'lease-lost', backend: nameOrEmpty(world, step.backend_id), epoch }
}
