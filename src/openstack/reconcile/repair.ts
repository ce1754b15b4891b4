import { isDeepStrictEqual } from 'node:util'
import type { Change, Repair } from './finding.ts'

/** The repair that undoes another. */
export const invertRepair = (repair: Repair): Repair =>
  repair.of === 'consumers'
    ? { of: 'consumers', changes: invert(repair.changes) }
    : { of: 'providers', changes: invert(repair.changes) }

/** The last change comes first: a child is removed before its parent, and made after it. */
const invert = <T>(changes: readonly Change<T>[]): Change<T>[] =>
  changes.map(({ before, after }) => ({ before: after, after: before })).reverse()

/** The state of the parts of a repair in the ledger. */
export type Standing = 'before' | 'after' | 'neither'

/** Compares without generations, which only increase. */
export function compareStanding<T extends { readonly generation: number }>(
  now: T | undefined,
  { before, after }: Change<T>,
): Standing {
  if (isSame(now, before)) return 'before'
  return isSame(now, after) ? 'after' : 'neither'
}

function isSame<T extends { readonly generation: number }>(a: T | null | undefined, b: T | null): boolean {
  if (a === undefined || a === null || b === null) return (a ?? null) === b
  return isDeepStrictEqual(plain(a), plain(b))
}

/** Traits and aggregates are sets. */
const plain = <T extends { readonly generation: number }>(one: T): unknown =>
  JSON.parse(JSON.stringify({ ...one, generation: 0 }), (_, value: unknown) =>
    Array.isArray(value) ? value.toSorted() : value,
  )
