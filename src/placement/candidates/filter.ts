import { Bitset } from '../../kernel/bitset.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'

/** The sets that a provider must be in, and those that it must not be in. */
export class ProviderFilter {
  readonly all: Bitset[] = []
  readonly none: Bitset[] = []
  /** No provider can pass. */
  #impossible = false

  require(set: Bitset | undefined): void {
    if (set === undefined || set.size === 0) this.#impossible = true
    else this.all.push(set)
  }

  forbid(set: Bitset | undefined): void {
    if (set !== undefined && set.size > 0) this.none.push(set)
  }

  include(other: ProviderFilter): void {
    if (other.#impossible) this.#impossible = true
    this.all.push(...other.all)
    this.none.push(...other.none)
  }

  get impossible(): boolean {
    return this.#impossible
  }

  has(provider: ProviderSlot): boolean {
    if (this.#impossible) return false
    for (const set of this.all) if (!set.has(provider)) return false
    for (const set of this.none) if (set.has(provider)) return false
    return true
  }

  /** A word with the bits of 32 providers; a bit is set if the provider passes. */
  word(at: number): number {
    if (this.#impossible) return 0
    let word = 0xffffffff
    for (let nth = 0; nth < this.all.length; nth++) word &= (this.all[nth] as Bitset).word(at)
    for (let nth = 0; nth < this.none.length; nth++) word &= ~(this.none[nth] as Bitset).word(at)
    return word >>> 0
  }

  /** No more providers than this can pass. */
  get estimate(): number {
    if (this.#impossible) return 0
    let least = Number.POSITIVE_INFINITY
    for (const set of this.all) least = Math.min(least, set.size)
    return least
  }

  /** The providers that pass, ascending, found on demand. At least one set must be required. */
  cursor(): FilterCursor {
    return new FilterCursor(this)
  }
}

const NOTHING = new Bitset()

export class FilterCursor {
  readonly #filter: ProviderFilter
  readonly #end: number
  #at: number
  #word = 0

  constructor(filter: ProviderFilter) {
    this.#filter = filter
    this.#end = filter.impossible ? 0 : Math.min(...filter.all.map(set => set.end))
    this.#at = filter.impossible ? 0 : Math.max(...filter.all.map(set => set.from)) - 1
  }

  /** -1 at the end. */
  next(): number {
    while (this.#word === 0) {
      if (++this.#at >= this.#end) return -1
      this.#word = this.#filter.word(this.#at)
    }
    const low = this.#word & -this.#word
    this.#word = (this.#word ^ low) >>> 0
    return (this.#at << 5) + (31 - Math.clz32(low))
  }
}

/** Providers in any of the sets. */
export function union(sets: readonly (Bitset | undefined)[]): Bitset | undefined {
  const present = sets.filter(set => set !== undefined && set.size > 0) as Bitset[]
  if (present.length <= 1) return present[0]
  return Bitset.union(present)
}

/** Providers in every one of the sets. */
export function intersection(sets: readonly (Bitset | undefined)[]): Bitset {
  const [first, ...others] = sets
  if (first === undefined) return NOTHING
  if (others.length === 0) return first
  return sets.includes(undefined) ? NOTHING : Bitset.intersection(sets as Bitset[])
}
