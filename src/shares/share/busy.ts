import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { isBusy } from './states.ts'

/** Steps that other work on a share does not wait for: about snapshots, access, or what a move left behind. */
const BESIDE: readonly string[] = ['drop-source', 'snapshot', 'drop-snapshot', 'access']

/**
 * The work on a share; null if there is none. An admin may have set its state to anything: running work counts in every
 * state.
 */
export const findWork = ({ shares }: World, share: ShareRow): string | null =>
  moveOf(share) ?? findStepKind(shares, share)

export function moveOf({ task_state, target_pool_id }: ShareRow): string | null {
  if (isBusy(task_state)) return task_state
  return target_pool_id === null ? null : 'a migration in progress'
}

/** The kind of the next or current step. */
export const findStepKind = (shares: World['shares'], { uuid }: ShareRow): string | null =>
  shares.listStepsAbout(uuid).find(({ kind }) => !BESIDE.includes(kind))?.kind ?? null
