/**
 * A growing set of small integers. It stores only the words from its lowest to its highest: a rack of twenty
 * hosts takes a word or two, wherever in a large cloud they are. Words outside count as empty.
 */
export class Bitset {
  #words: Uint32Array
  /** The index of the first stored word. */
  #from = 0
  #size = 0

  /** With space for all numbers below the capacity. */
  constructor(capacity = 0) {
    this.#words = capacity === 0 ? NO_WORDS : new Uint32Array((capacity + 31) >>> 5)
  }

  /** The union of the sets. */
  static union(sets: readonly Bitset[]): Bitset {
    const joined = new Bitset()
    joined.#span(
      sets.reduce((least, set) => Math.min(least, set.from), Number.POSITIVE_INFINITY),
      sets.reduce((most, set) => Math.max(most, set.end), 0),
    )
    for (const set of sets)
      for (let at = set.from; at < set.end; at++) joined.#words[at - joined.#from]! |= set.word(at)
    joined.#count()
    return joined
  }

  /** The intersection of the sets; there must be at least one. */
  static intersection(sets: readonly Bitset[]): Bitset {
    const common = new Bitset()
    common.#span(
      sets.reduce((most, set) => Math.max(most, set.from), 0),
      sets.reduce((least, set) => Math.min(least, set.end), Number.POSITIVE_INFINITY),
    )
    for (let at = common.from; at < common.end; at++) {
      let word = 0xffffffff
      for (const set of sets) word &= set.word(at)
      common.#words[at - common.#from] = word
    }
    common.#count()
    return common
  }

  get size(): number {
    return this.#size
  }

  /** All words before this one are empty. */
  get from(): number {
    return this.#from
  }

  /** All words from this one on are empty. */
  get end(): number {
    return this.#from + this.#words.length
  }

  /** 32 numbers at once, by the index of their word. */
  word(at: number): number {
    const place = at - this.#from
    return place >= 0 && place < this.#words.length ? (this.#words[place] as number) : 0
  }

  has(bit: number): boolean {
    return ((this.word(bit >>> 5) >>> (bit & 31)) & 1) === 1
  }

  /** False if it was in the set already. */
  add(bit: number): boolean {
    const at = bit >>> 5
    if (at < this.#from || at >= this.end) this.#reach(at)
    const before = this.word(at)
    const after = (before | (1 << (bit & 31))) >>> 0
    if (after === before) return false
    this.#words[at - this.#from] = after
    this.#size++
    return true
  }

  delete(bit: number): void {
    if (!this.has(bit)) return
    const at = bit >>> 5
    this.#words[at - this.#from] = (this.word(at) & ~(1 << (bit & 31))) >>> 0
    this.#size--
  }

  /** Makes space for one more word, and doubles the space on that side. */
  #reach(at: number): void {
    const { from, end } = this
    const more = this.#words.length
    if (more === 0) this.#span(at, at + 1)
    else if (at < from) this.#span(Math.max(0, Math.min(at, from - more)), end)
    else this.#span(from, Math.max(at + 1, end + more))
  }

  #span(from: number, end: number): void {
    const words = new Uint32Array(Math.max(0, end - from))
    if (this.#words.length > 0) words.set(this.#words, this.#from - from)
    this.#words = words
    this.#from = words.length === 0 ? 0 : from
  }

  #count(): void {
    let size = 0
    for (let word of this.#words)
      while (word !== 0) {
        word &= word - 1
        size++
      }
    this.#size = size
  }

  *[Symbol.iterator](): IterableIterator<number> {
    for (let at = this.from; at < this.end; at++) {
      let word = this.word(at)
      while (word !== 0) {
        const low = word & -word
        yield (at << 5) + (31 - Math.clz32(low))
        word = (word ^ low) >>> 0
      }
    }
  }
}

const NO_WORDS = new Uint32Array(0)
