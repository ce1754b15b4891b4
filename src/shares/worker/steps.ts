import { placeName } from '../../scheduling/pools/pools.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import type { PoolRow, StepRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'

/**
 * What drivers are asked to do. `copy` and `switch` are the two halves of a move, `drop-copy` takes the first back, and
 * `drop-source` clears away what a move left behind.
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
] as const
export type StepKind = (typeof STEP_KINDS)[number]

/** What a driver is told beside the share and its pool. Pools are named by themselves, without their back end. */
export interface StepFacts {
  readonly size?: number
  /** A share is made from this snapshot of another, or a snapshot is made or dropped. */
  readonly snapshot?: string
  /** Where a copy, or what a share is made from, comes from. */
  readonly from?: Origin
  /** The snapshots that go along. */
  readonly snapshots?: readonly string[]
  /** Those that are not available: there may be something of them, or nothing. */
  readonly otherSnapshots?: readonly string[]
  /** Why a copy is dropped; without it, because somebody cancelled. */
  readonly because?: string
  /** How often clearing away has failed, with what, and when it is tried again. */
  readonly failures?: number
  readonly error?: string
  readonly retryAtMs?: number
}

/** A share in a pool of another back end, perhaps. */
export interface Origin {
  readonly backend: string
  readonly pool: string
  readonly share: string
}

export function originIn(world: World, pool: number, share: string): Origin {
  const backend = placeName(world, world.shares.backendOf(pool))
  return { backend, pool: placeName(world, pool).slice(backend.length + 1), share }
}

export interface NewStep {
  readonly uuid: string
  readonly kind: StepKind
  readonly pool: number
  readonly share: string
  readonly facts: StepFacts
}

/** Several steps of one change are numbered one after the other. */
export function stepOps({ shares }: World, steps: readonly NewStep[], nowMs: number): RowOp[] {
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

export const factsOf = ({ shares }: World, step: StepRow): StepFacts => shares.parsed(step.facts) as StepFacts

/** What was going on with a share is not wanted any more. What clears away behind it still is. */
export const abandonedOps = ({ shares }: World, share: string): RowOp[] =>
  shares
    .stepsAbout(share)
    .filter(({ kind }) => kind !== 'drop-source')
    .map(step => remove('share_steps', step))

/** Somebody has to know: it was tried for about a minute. */
export const STUCK_AT = 5
const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 300_000

/** What could not be cleared away is tried again and again, ever more seldom, and stands in nobody's way meanwhile. */
export function triedAgain(world: World, step: StepRow, error: string, nowMs: number): RowOp {
  const facts = factsOf(world, step)
  const failures = (facts.failures ?? 0) + 1
  const retryAtMs = nowMs + Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** failures)
  const told: StepFacts = { ...facts, failures, error, retryAtMs }
  return update('share_steps', step, {
    ...step,
    kind: 'drop-source' satisfies StepKind,
    facts: JSON.stringify(told),
    epoch: null,
  })
}

export const isStuck = (world: World, step: StepRow): boolean =>
  (factsOf(world, step).failures ?? 0) >= STUCK_AT
