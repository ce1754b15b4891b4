import { backendNamed, placeName } from '../../scheduling/pools/pools.ts'
import { insert, type RowOp, update } from '../../world/change.ts'
import { accept, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { LeaseRow, PoolRow, StepRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { ShareDecision, ShareRefusal } from '../refusals.ts'
import { factsOf, type Origin, originIn, type StepFacts, type StepKind } from './steps.ts'

interface BeginWork {
  /** `host@backend` */
  readonly backend: string
  /** Who asks: another name for every start of a process. */
  readonly holder: string
  readonly leaseMs: number
  /** Nobody else can be there: whoever had the lease is no more. */
  readonly isAlone: boolean
  /** Steps that it is at already. */
  readonly running: readonly string[]
  readonly stepsMax: number
}

/** One step as the process that has the lease is to do it. */
export interface Work {
  readonly step: string
  readonly kind: StepKind
  readonly share: string
  /** The pool's own name. */
  readonly pool: string
  readonly facts: StepFacts
  /** For what clears away: where the share itself is, and where it is on its way to. */
  readonly keeps: readonly Origin[]
  /** How often it was begun before, perhaps by others. */
  readonly attempts: number
}

export interface Begun {
  readonly epoch: number
  readonly work: readonly Work[]
}

/**
 * Takes or renews the lease of a back end and writes down what is going to be done under it. Of each share only the
 * oldest step is begun.
 */
export function beginWork(world: World, command: BeginWork, nowMs: number): ShareDecision<Begun> {
  const { shares } = world
  const backend = backendNamed(world, command.backend)
  if (backend === undefined) return refuse({ kind: 'backend-missing', backend: command.backend })
  const before = shares.leases.get(backend.provider_id)
  if (before !== undefined && !isFree(before, command, nowMs))
    return refuse({
      kind: 'lease-held',
      backend: command.backend,
      holder: before.holder,
      untilMs: before.expires_at,
    })
  // The time makes it higher than any that a store had which was put back from a backup since.
  const epoch = before?.holder === command.holder ? before.epoch : Math.max((before?.epoch ?? 0) + 1, nowMs)
  const lease: LeaseRow = {
    backend_id: backend.provider_id,
    holder: command.holder,
    epoch,
    expires_at: nowMs + command.leaseMs,
  }
  const running = new Set(command.running)
  const steps = waitingSteps(world, backend.provider_id, running, nowMs).slice(0, command.stepsMax)
  if (steps.length === 0) return accept(NO_CHANGE, { epoch, work: [] })
  const ops: RowOp[] = [
    before === undefined ? insert('share_leases', lease) : update('share_leases', before, lease),
    ...steps.flatMap(step => begunOps(world, step, epoch, nowMs)),
  ]
  return accept({ ops }, { epoch, work: steps.map(step => workOf(world, step)) })
}

const isFree = (lease: LeaseRow, { holder, isAlone }: BeginWork, nowMs: number): boolean =>
  isAlone || lease.holder === holder || lease.expires_at <= nowMs

/** The steps of a back end that can be begun: of each share the oldest, unless somebody is at it. */
export function waitingSteps(
  world: World,
  backendId: number,
  running: ReadonlySet<string>,
  nowMs: number,
): StepRow[] {
  const { shares } = world
  return shares.stepsOf(backendId).filter(step => {
    if (running.has(step.uuid)) return false
    // What clears away behind a share waits for nobody but for those that are made from its snapshots there.
    if (step.kind === 'drop-source')
      return (factsOf(world, step).retryAtMs ?? 0) <= nowMs && !isMadeFrom(world, step)
    const oldest = shares.stepsAbout(step.share).find(({ kind }) => kind !== 'drop-source')
    return oldest?.id === step.id
  })
}

/** Shares stay on the back end of the snapshot that they are made from. */
function isMadeFrom(world: World, { backend_id, pool_id, share }: StepRow): boolean {
  const { pool } = originIn(world, pool_id, share)
  return world.shares.stepsOf(backend_id).some(step => {
    const from = step.kind === 'create' ? factsOf(world, step).from : undefined
    return from?.share === share && from.pool === pool
  })
}

function begunOps({ shares }: World, step: StepRow, epoch: number, nowMs: number): RowOp[] {
  const ops: RowOp[] = [update('share_steps', step, { ...step, epoch, attempts: step.attempts + 1 })]
  const share = step.kind === 'copy' ? shares.findShare(step.share) : undefined
  if (share !== undefined && share.task_state === 'migration_starting')
    ops.push(
      update('shares', share, { ...share, task_state: 'migration_driver_in_progress', updated_at: nowMs }),
    )
  return ops
}

function workOf(world: World, step: StepRow): Work {
  const { uuid, kind, share, attempts, pool_id } = step
  const pool = (world.shares.pools.get(pool_id) as PoolRow).name
  const facts = factsOf(world, step)
  return { step: uuid, kind: kind as StepKind, share, pool, facts, keeps: keptBy(world, step), attempts }
}

/** A copy that is taken back is at the target itself. */
function keptBy(world: World, { kind, share }: StepRow): Origin[] {
  const row = kind === 'drop-copy' || kind === 'drop-source' ? world.shares.findShare(share) : undefined
  if (row === undefined) return []
  const pools = kind === 'drop-copy' ? [row.pool_id] : [row.pool_id, row.target_pool_id]
  return pools.flatMap(pool => (pool === null ? [] : [originIn(world, pool, share)]))
}

interface RenewLeases {
  readonly holder: string
  readonly backends: readonly string[]
  readonly leaseMs: number
}

/** The answer is those that are still ours. */
export function renewLeases(
  world: World,
  command: RenewLeases,
  nowMs: number,
): ShareDecision<readonly string[]> {
  const mine = command.backends.flatMap(name => {
    const backend = backendNamed(world, name)
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

/** A process that ends gives back what it has. */
export function releaseLeases(world: World, command: { readonly holder: string }): ShareDecision<null> {
  const ops = [...world.shares.leases.rows()]
    .filter(lease => lease.holder === command.holder && lease.expires_at > 0)
    .map(lease => update('share_leases', lease, { ...lease, expires_at: 0 }))
  return accept(ops.length === 0 ? NO_CHANGE : { ops }, null)
}

/** Whether whoever reports a result still has the lease under which the step was begun. */
export function fenceFault(
  world: World,
  step: StepRow,
  { holder, epoch }: { readonly holder: string; readonly epoch: number },
): ShareRefusal | null {
  const lease = world.shares.leases.get(step.backend_id)
  if (lease?.holder === holder && lease.epoch === epoch && step.epoch === epoch) return null
  return { kind: 'lease-lost', backend: placeName(world, step.backend_id), epoch }
}
