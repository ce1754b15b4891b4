import type { Share } from '../../../src/wire/openstack-shares.ts'
import type { HintKind } from '../../../src/wire/share-explanation.ts'
import { reappliedSet, setChange } from '../controls/three-way.ts'

/**
 * Which of two shares has the hint. Hints are mirrored on the named share, so both have them: the younger share was
 * created with it. If only one has it, an admin wrote it there, and it binds that one alone.
 */
export type AskedBy = 'this' | 'other' | 'only-this' | 'only-other' | 'unknown'

export interface Tie {
  readonly kind: HintKind
  readonly other: string
  readonly askedBy: AskedBy
}

const KEYS: Readonly<Record<HintKind, string>> = {
  same_host: '__affinity_same_host',
  different_host: '__affinity_different_host',
}

const KINDS: readonly HintKind[] = ['same_host', 'different_host']

export const isHintKey = (key: string): boolean => KINDS.some(kind => KEYS[kind] === key)

export const hintedBy = ({ metadata }: Pick<Share, 'metadata'>, kind: HintKind): readonly string[] => {
  const text = metadata[KEYS[kind]] ?? ''
  return text === '' ? [] : text.split(',')
}

export const tieCounts = (share: Pick<Share, 'metadata'>): Readonly<Record<HintKind, number>> => ({
  same_host: hintedBy(share, 'same_host').length,
  different_host: hintedBy(share, 'different_host').length,
})

/** All hints of a share, and those that name it, among the visible shares, the newest first. */
export function tiesOf(share: Pick<Share, 'id' | 'metadata'>, all: readonly Share[]): readonly Tie[] {
  const age = new Map(all.map(({ id }, at) => [id, at]))
  const isYounger = (one: string, other: string) => (age.get(one) ?? 0) < (age.get(other) ?? 0)
  const byId = new Map(all.map(one => [one.id, one]))
  return KINDS.flatMap(kind => {
    const own = hintedBy(share, kind)
    const ties = own.map((other): Tie => {
      const row = byId.get(other)
      if (row === undefined || !age.has(share.id)) return { kind, other, askedBy: 'unknown' }
      if (!hintedBy(row, kind).includes(share.id)) return { kind, other, askedBy: 'only-this' }
      return { kind, other, askedBy: isYounger(share.id, other) ? 'this' : 'other' }
    })
    const naming = all
      .filter(one => !own.includes(one.id) && hintedBy(one, kind).includes(share.id))
      .map(({ id }): Tie => ({ kind, other: id, askedBy: 'only-other' }))
    return [...ties, ...naming]
  })
}

interface HintWrite {
  readonly key: string
  /** Null: it is removed. */
  readonly text: string | null
}

/** The writes that apply the user's changes and keep those of others. */
export function hintWrites(
  before: Pick<Share, 'metadata'>,
  mine: Readonly<Record<HintKind, readonly string[]>>,
  now: Pick<Share, 'metadata'>,
): readonly HintWrite[] {
  return KINDS.flatMap((kind): HintWrite[] => {
    const theirs = hintedBy(now, kind)
    const after = reappliedSet(hintedBy(before, kind), theirs, mine[kind])
    const { added, removed } = setChange(theirs, after)
    if (added.length + removed.length === 0) return []
    return [{ key: KEYS[kind], text: after.length === 0 ? null : after.join(',') }]
  })
}

/** Known pairs of shares: on one back end, or not; null if one of them has no pool. */
type Beside = (one: string, other: string) => boolean | null | undefined

/** The pairs to ask about to find every contradiction: being together is transitive, so the first of a group stands for it. */
export function pairsToAsk(near: readonly string[], away: readonly string[]): readonly [string, string][] {
  const [first, ...others] = near
  if (first === undefined) return []
  return [first, ...others, ...away].map(other => [first, other])
}

export interface Contradiction {
  readonly kind: 'both' | 'near-apart' | 'near-away' | 'nowhere'
  readonly one: string
  readonly other: string
}

/** Contradictory hints, which no pool can meet. */
export function contradictions(
  near: readonly string[],
  away: readonly string[],
  beside: Beside,
): readonly Contradiction[] {
  const both = near.filter(id => away.includes(id))
  const found: Contradiction[] = both.map(id => ({ kind: 'both', one: id, other: id }))
  const [first, ...others] = near
  if (first === undefined) return found
  if (beside(first, first) === null) return [...found, { kind: 'nowhere', one: first, other: first }]
  for (const other of others) {
    const is = beside(first, other)
    if (is === false) found.push({ kind: 'near-apart', one: first, other })
    if (is === null) found.push({ kind: 'nowhere', one: other, other })
  }
  for (const other of away)
    if (!both.includes(other) && beside(first, other) === true)
      found.push({ kind: 'near-away', one: first, other })
  return found
}
