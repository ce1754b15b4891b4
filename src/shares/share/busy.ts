import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { isBusy } from './states.ts'

/** Steps that other work on a share need not wait for: they concern its snapshots, or what it left behind. */
const BESIDE: readonly string[] = ['drop-source', 'snapshot', 'drop-snapshot']

/**
 * What is being done to a share; null for nothing. An admin may have set its states to anything, and what is under way is
 * under way all the same.
 */
export const busyWith = ({ shares }: World, share: ShareRow): string | null =>
  moveOf(share) ?? workOn(shares, share)

export function moveOf({ task_state, target_pool_id }: ShareRow): string | null {
  if (isBusy(task_state)) return task_state
  return target_pool_id === null ? null : 'a move that is not over'
}

/** The kind of the step that is to be done next, or is being done. */
export const workOn = (shares: World['shares'], { uuid }: ShareRow): string | null =>
  shares.stepsAbout(uuid).find(({ kind }) => !BESIDE.includes(kind))?.kind ?? null
