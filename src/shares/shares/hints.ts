import { insert, type RowOp, remove } from '../../world/change.ts'
import { HINT_KINDS, type HintKind, type HintRow, type ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { ShareRefusal } from '../refusals.ts'

/** The keys under which hints are shown among the metadata. */
export const HINT_KEYS: Readonly<Record<HintKind, string>> = {
  same_host: '__affinity_same_host',
  different_host: '__affinity_different_host',
}

export const hintOfKey = (key: string): HintKind | undefined =>
  HINT_KINDS.find(kind => HINT_KEYS[kind] === key)

export type NamedShares = Readonly<Record<HintKind, readonly string[]>>

export const NO_NAMES: NamedShares = { same_host: [], different_host: [] }

/** The first share that is not there, or that the caller may not name: foreign ones, public or not, are for admins. */
export function unknownHint(
  { shares }: World,
  hints: NamedShares,
  caller: { readonly project: string; readonly isAdmin: boolean },
): ShareRefusal | null {
  for (const hint of HINT_KINDS)
    for (const share of hints[hint]) {
      const row = shares.shares.find(share)
      if (row === undefined || !(caller.isAdmin || row.project_id === caller.project))
        return { kind: 'hinted-share-missing', hint, share }
    }
  return null
}

/** The hints of a new share, and their mirrors on the shares that it names. */
export function newHintOps(
  { shares }: World,
  share: { id: number; uuid: string },
  hints: NamedShares,
): RowOp[] {
  const ops: RowOp[] = []
  for (const kind of HINT_KINDS)
    for (const [place, other] of hints[kind].entries()) {
      ops.push(insert('share_hints', { share_id: share.id, kind, other, place }))
      const named = shares.shares.find(other) as ShareRow
      const last = shares.hintsOf(named.id, kind).at(-1)?.place ?? -1
      ops.push(insert('share_hints', { share_id: named.id, kind, other: share.uuid, place: last + 1 }))
    }
  return ops
}

/** With a share goes all that names it. */
export function forgottenHintOps({ shares }: World, { id, uuid }: ShareRow): RowOp[] {
  const own = shares.hints.of(id)
  const naming = shares.hintsNaming(uuid).filter(row => row.share_id !== id)
  return [...own, ...naming].map(row => remove('share_hints', row))
}

/** What an admin writes under the key of a hint, on one share alone. */
export function editedHintOps(
  { shares }: World,
  shareId: number,
  kind: HintKind,
  others: readonly string[],
): RowOp[] {
  const before = shares.hintsOf(shareId, kind)
  const after = others.map((other, place): HintRow => ({ share_id: shareId, kind, other, place }))
  const isSame = before.length === after.length && before.every((row, at) => row.other === after[at]?.other)
  if (isSame) return []
  return [...before.map(row => remove('share_hints', row)), ...after.map(row => insert('share_hints', row))]
}

/** As metadata: the ids in their order, joined by commas. */
export function shownHints({ shares }: World, shareId: number): [key: string, value: string][] {
  return HINT_KINDS.flatMap(kind => {
    const others = shares.hintsOf(shareId, kind).map(row => row.other)
    return others.length === 0 ? [] : [[HINT_KEYS[kind], others.join(',')] as [string, string]]
  })
}

/** The shares that the hints of a share name. */
export const hintsOf = ({ shares }: World, shareId: number): NamedShares => ({
  same_host: shares.hintsOf(shareId, 'same_host').map(row => row.other),
  different_host: shares.hintsOf(shareId, 'different_host').map(row => row.other),
})
