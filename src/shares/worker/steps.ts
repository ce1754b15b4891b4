import { nameOrEmpty } from '../../scheduling/pools/pools.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import type { PoolRow, StepRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'

/**
 * What drivers do. `copy` and `switch` are the two halves of a move, `drop-copy` cancels the first, `drop-source` removes
 * what a move left behind, and `access` applies the access rules.
 */
const STEP_KINDS = [
  'create',
  'delete',
  'resize',
  'copy',
  'switch',
  'drop-copy',
  'drop-source',
  'snapshot',
  'drop-snapshot',
  'access',
] as const
export type StepKind = (typeof STEP_KINDS)[number]

/** Input of a driver besides the share and its pool. Pools are named without their back end. */
export interface StepFacts {
  readonly size?: number
  /** The snapshot that a share is created from, or that is created or deleted. */
  readonly snapshot?: string
  /** The source of a copy or of a new share. */
  readonly from?: CopySource
  /** Snapshots that are moved too. */
  readonly snapshots?: readonly string[]
  /** Unavailable ones: something of them may exist, or nothing. */
  readonly otherSnapshots?: readonly string[]
  /** Why a copy is dropped; absent if the move was cancelled. */
  readonly because?: string
  /** The share had access rules; they are withdrawn first. */
  readonly access?: boolean
  /** How often cleanup or access failed, the last error, and when it is retried. */
  readonly failures?: number
  readonly error?: string
  readonly retryAtMs?: number
}

/** A share in a pool, perhaps of another back end. */
export interface CopySource {
  readonly backend: string
  readonly pool: string
  readonly share: string
}

export function describeOrigin(world: World, pool: number, share: string): CopySource {
  const backend = nameOrEmpty(world, world.shares.findBackend(pool))
  return { backend, pool: nameOrEmpty(world, pool).slice(backend.length + 1), share }
}

export interface NewStep {
  readonly uuid: string
  readonly kind: StepKind
  readonly pool: number
  readonly share: string
  readonly facts: StepFacts
}

/** Several steps of one change are numbered in sequence. */
export function makeStepOps({ shares }: World, steps: readonly NewStep[], nowMs: number): RowOp[] {
  const first = shares.steps.nextId()
  return steps.map(({ uuid, kind, pool, share, facts }, at) =>
    insert('share_steps', {
      id: first + at,
      uuid,
      kind,
      backend_id: (shares.pools.get(pool) as PoolRow).backend_id,
      pool_id: pool,
      share,
      facts: JSON.stringify(facts),
      epoch: null,
      attempts: 0,
      created_at: nowMs,
    }),
  )
}

export const readFacts = ({ shares }: World, step: StepRow): StepFacts =>
  shares.parseColumn(step.facts) as StepFacts

/** Removes running work on a share, except cleanup and the kinds to keep. */
export const makeAbandonOps = ({ shares }: World, share: string, kept: readonly StepKind[] = []): RowOp[] =>
  shares
    .listStepsAbout(share)
    .filter(({ kind }) => kind !== 'drop-source' && !kept.some(one => one === kind))
    .map(step => remove('share_steps', step))

/** About a minute of retries; then `isStuck` reports the step. */
export const STUCK_AT = 5
const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 300_000

/** Retries a failed step at growing intervals; it blocks nothing while it waits. */
export function makeRetryOp(world: World, step: StepRow, error: string, nowMs: number): RowOp {
  const facts = readFacts(world, step)
  const failures = (facts.failures ?? 0) + 1
  const retryAtMs = nowMs + Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** failures)
  const next: StepFacts = { ...facts, failures, error, retryAtMs }
  return update('share_steps', step, {
    ...step,
    kind: (step.kind === 'access' ? 'access' : 'drop-source') satisfies StepKind,
    facts: JSON.stringify(next),
    epoch: null,
  })
}

export const isStuck = (world: World, step: StepRow): boolean =>
  (readFacts(world, step).failures ?? 0) >= STUCK_AT
