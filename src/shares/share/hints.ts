import { type HintedUuids, listHints } from '../../scheduling/pools/hints.ts'
import { insert, type RowOp, remove } from '../../world/change.ts'
import { HINT_KINDS, type HintKind, type HintRow, type ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { ShareRefusal } from '../refusals.ts'

/** The metadata keys of hints. */
export const HINT_KEYS: Readonly<Record<HintKind, string>> = {
  same_host: '__affinity_same_host',
  different_host: '__affinity_different_host',
}

export const findHintKind = (key: string): HintKind | undefined =>
  HINT_KINDS.find(kind => HINT_KEYS[kind] === key)

/**
 * The first share that does not exist, or that the caller may not name: those of other projects, public or not, are for
 * admins.
 */
export function checkHints(
  { shares }: World,
  hints: HintedUuids,
  caller: { readonly project: string; readonly isAdmin: boolean },
): ShareRefusal | null {
  for (const hint of HINT_KINDS)
    for (const share of hints[hint]) {
      const row = shares.findShare(share)
      if (row === undefined || !(caller.isAdmin || row.project_id === caller.project))
        return { kind: 'hinted-share-missing', hint, share }
    }
  return null
}

/**
 * Checks hints that are added to a share: `after` has all that it will have. A share cannot be on the same back end as
 * another and on a different one.
 */
export function checkAddedHints(
  { shares }: World,
  uuid: string,
  added: HintedUuids,
  after: HintedUuids,
): ShareRefusal | null {
  for (const hint of HINT_KINDS) {
    const opposite = new Set(after[hint === 'same_host' ? 'different_host' : 'same_host'])
    for (const share of added[hint]) {
      if (share === uuid) return { kind: 'hint-own-share', hint, share }
      if (shares.findShare(share) === undefined) return { kind: 'hinted-share-missing', hint, share }
      if (opposite.has(share)) return { kind: 'hint-both-kinds', share: uuid, other: share }
    }
  }
  return null
}

/** The hints of a new share, and their mirrors on the shares that it names. */
export function makeNewHintOps(
  { shares }: World,
  share: { id: number; uuid: string },
  hints: HintedUuids,
): RowOp[] {
  return HINT_KINDS.flatMap(kind =>
    hints[kind].flatMap((other, place) => [
      insert('share_hints', { share_id: share.id, kind, other, place }),
      ...makeMirrorOps(shares, share.uuid, kind, other),
    ]),
  )
}

/** Removes everything that names a deleted share. */
export function makeForgetOps({ shares }: World, { id, uuid }: ShareRow): RowOp[] {
  const own = shares.hints.list(id)
  const naming = shares.listHintsNaming(uuid).filter(row => row.share_id !== id)
  return [...own, ...naming].map(row => remove('share_hints', row))
}

export type HintEdits = Readonly<Partial<Record<HintKind, readonly string[]>>>

/** Checks hints that an admin sets. Hints that stay are not checked again. */
export function checkHintEdits(world: World, share: ShareRow, edits: HintEdits): ShareRefusal | null {
  const before = listHints(world, share.id)
  const listAdded = (kind: HintKind) => {
    const known = new Set(before[kind])
    return (edits[kind] ?? []).filter(other => !known.has(other))
  }
  return checkAddedHints(
    world,
    share.uuid,
    { same_host: listAdded('same_host'), different_host: listAdded('different_host') },
    { ...before, ...edits },
  )
}

/**
 * Writes a hint and its mirrors on the named shares. Manila keeps the other side when one side is removed: `keepOtherSide`
 * does that for versions in which it is so.
 */
export function makeEditOps(
  { shares }: World,
  share: { readonly id: number; readonly uuid: string },
  kind: HintKind,
  others: readonly string[],
  keepOtherSide: boolean,
): RowOp[] {
  const before = shares.listHints(share.id, kind)
  const after = others.map((other, place): HintRow => ({ share_id: share.id, kind, other, place }))
  const isSame = before.length === after.length && before.every((row, at) => row.other === after[at]?.other)
  if (isSame) return []
  const [known, kept] = [new Set(before.map(row => row.other)), new Set(others)]
  const dropped = keepOtherSide ? [] : before.filter(row => !kept.has(row.other))
  return [
    ...before.map(row => remove('share_hints', row)),
    ...after.map(row => insert('share_hints', row)),
    ...others.flatMap(other => (known.has(other) ? [] : makeMirrorOps(shares, share.uuid, kind, other))),
    ...dropped
      .flatMap(({ other }) => findMirror(shares, share.uuid, kind, other) ?? [])
      .map(row => remove('share_hints', row)),
  ]
}

/** The mirror row on the other share. */
function findMirror(
  shares: World['shares'],
  uuid: string,
  kind: HintKind,
  other: string,
): HintRow | undefined {
  const named = other === uuid ? undefined : shares.findShare(other)
  return named === undefined ? undefined : shares.hints.find(named.id, `${kind} ${uuid}`)
}

function makeMirrorOps(shares: World['shares'], uuid: string, kind: HintKind, other: string): RowOp[] {
  const named = other === uuid ? undefined : shares.findShare(other)
  if (named === undefined || findMirror(shares, uuid, kind, other) !== undefined) return []
  const last = shares.listHints(named.id, kind).at(-1)?.place ?? -1
  return [insert('share_hints', { share_id: named.id, kind, other: uuid, place: last + 1 })]
}

/** As metadata: the ids in order, joined by commas. */
export function renderHints({ shares }: World, shareId: number): [key: string, value: string][] {
  return HINT_KINDS.flatMap(kind => {
    const others = shares.listHints(shareId, kind).map(row => row.other)
    return others.length === 0 ? [] : [[HINT_KEYS[kind], others.join(',')] as [string, string]]
  })
}
