import type { HintKind, ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'

/** By kind of hint, the uuids of the shares that it names. */
export type HintedUuids = Readonly<Record<HintKind, readonly string[]>>

export const NO_HINTED_SHARES: HintedUuids = { same_host: [], different_host: [] }

/** The shares that the hints of a share name. */
export const allHintsOf = ({ shares }: World, shareId: number): HintedUuids => ({
  same_host: shares.hintsOf(shareId, 'same_host').map(row => row.other),
  different_host: shares.hintsOf(shareId, 'different_host').map(row => row.other),
})

/**
 * Whether other shares have to heed the hints that they have in common with this one. A share that failed and has no pool
 * binds no other; once it has one, or an admin resets its status, it does again.
 */
export const tiesOthers = ({ status, pool_id }: Pick<ShareRow, 'status' | 'pool_id'>): boolean =>
  pool_id !== null || status !== 'error'

/** The shares that decide where a share may be. One without a pool wants all that it asked for. */
export function bindingHintsOf(world: World, { id, pool_id }: ShareRow): HintedUuids {
  const all = allHintsOf(world, id)
  if (pool_id === null) return all
  const binds = (uuid: string) => {
    const other = world.shares.findShare(uuid)
    return other !== undefined && tiesOthers(other)
  }
  return { same_host: all.same_host.filter(binds), different_host: all.different_host.filter(binds) }
}
