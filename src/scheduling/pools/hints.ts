import type { HintKind, ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'

/** By kind of hint, the uuids of the named shares. */
export type HintedUuids = Readonly<Record<HintKind, readonly string[]>>

export const NO_HINTED_SHARES: HintedUuids = { same_host: [], different_host: [] }

export const listHints = ({ shares }: World, shareId: number): HintedUuids => ({
  same_host: shares.listHints(shareId, 'same_host').map(row => row.other),
  different_host: shares.listHints(shareId, 'different_host').map(row => row.other),
})

/**
 * Whether other shares must obey the hints that they share with this one. A failed share without a pool binds
 * no other, until it gets a pool or an admin resets its status.
 */
export const bindsOthers = ({ status, pool_id }: Pick<ShareRow, 'status' | 'pool_id'>): boolean =>
  pool_id !== null || status !== 'error'

/** The shares that decide where a share may be. One without a pool is bound by all its hints. */
export function listBindingHints(world: World, { id, pool_id }: ShareRow): HintedUuids {
  const all = listHints(world, id)
  if (pool_id === null) return all
  const binds = (uuid: string) => {
    const other = world.shares.findShare(uuid)
    return other !== undefined && bindsOthers(other)
  }
  return { same_host: all.same_host.filter(binds), different_host: all.different_host.filter(binds) }
}
