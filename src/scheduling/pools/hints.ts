import type { HintKind, ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'

/** By kind of hint, the uuids of the named shares. */
export type HintedUuids = Readonly<Record<HintKind, readonly string[]>>

export const NO_HINTED_SHARES: HintedUuids = { same_host: [], different_host: [] }

export const listHints = (world: World, shareId: number): HintedUuids => ({
  same_host: listHintsOfKind(world, shareId, 'same_host'),
  different_host: listHintsOfKind(world, shareId, 'different_host'),
})

/** With those that the metadata of Manila has no room for: they are known from when the share was placed. */
function listHintsOfKind({ shares, manilaClaims }: World, shareId: number, kind: HintKind): string[] {
  const stored = shares.listHints(shareId, kind).map(row => row.other)
  if (manilaClaims.size === 0) return stored
  const self = shares.shares.row(shareId).uuid
  const own = manilaClaims.listHints(self)[kind]
  const named = new Set(isCut(own, stored) ? own : stored)
  for (const uuid of manilaClaims.listNaming(self)) {
    const all = manilaClaims.listHints(uuid)[kind]
    const other = shares.findShare(uuid)
    const kept = other === undefined ? [] : shares.listHints(other.id, kind).map(row => row.other)
    if (all.includes(self) && isCut(all, kept)) named.add(uuid)
  }
  return [...named]
}

/** How many uuids fit into a value of Manila's metadata, 1023 characters. */
const STORED_MAX = 27

/**
 * Whether Manila has only the first uuids, because the metadata value is full. An admin who edits it replaces
 * all.
 */
export const isCut = (all: readonly string[], stored: readonly string[]): boolean =>
  stored.length >= STORED_MAX && stored.length < all.length && stored.every((uuid, at) => uuid === all[at])

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
