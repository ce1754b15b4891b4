import { insert, type RowOp, remove } from '../../world/change.ts'
import type { PoolRow, StepRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'

/**
 * What drivers are asked to do. `copy` and `switch` are the two halves of a move, `drop-copy` takes the first back, and
 * `drop-source` clears away what a move left behind.
 */
export const STEP_KINDS = [
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
  readonly from?: { readonly backend: string; readonly pool: string; readonly share: string }
  /** The snapshots that go along. */
  readonly snapshots?: readonly string[]
  /** Why a copy is dropped; without it, because somebody cancelled. */
  readonly because?: string
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
      ...{
        id: first + at,
        uuid,
        kind,
        backend_id: (shares.pools.get(pool) as PoolRow).backend_id,
        pool_id: pool,
      },
      ...{ share, facts: JSON.stringify(facts), epoch: null, attempts: 0, created_at: nowMs },
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
