/** A growing set of small whole numbers. Words past the end count as empty. */
export class Bitset {
  words: Uint32Array
  #size = 0

  constructor(capacity = 64) {
    this.words = new Uint32Array(Math.max(1, (capacity + 31) >>> 5))
  }

  /** What is in any of them. */
  static union(sets: readonly Bitset[]): Bitset {
    const joined = new Bitset(32 * sets.reduce((most, { words }) => Math.max(most, words.length), 0))
    for (const { words } of sets)
      for (let at = 0; at < words.length; at++) joined.words[at]! |= words[at] as number
    joined.#count()
    return joined
  }

  /** What is in all of them, of which there must be one. */
  static intersection(sets: readonly Bitset[]): Bitset {
    const least = Math.min(...sets.map(({ words }) => words.length))
    const common = new Bitset(32 * least)
    for (let at = 0; at < least; at++) {
      let word = 0xffffffff
      for (const { words } of sets) word &= words[at] as number
      common.words[at] = word
    }
    common.#count()
    return common
  }

  get size(): number {
    return this.#size
  }

  has(bit: number): boolean {
    return (((this.words[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1
  }

  add(bit: number): void {
    const at = bit >>> 5
    if (at >= this.words.length) {
      const grown = new Uint32Array(Math.max(at + 1, this.words.length * 2))
      grown.set(this.words)
      this.words = grown
    }
    const before = this.words[at] as number
    const after = (before | (1 << (bit & 31))) >>> 0
    if (after !== before) {
      this.words[at] = after
      this.#size++
    }
  }

  delete(bit: number): void {
    if (!this.has(bit)) return
    const at = bit >>> 5
    this.words[at] = ((this.words[at] as number) & ~(1 << (bit & 31))) >>> 0
    this.#size--
  }

  #count(): void {
    let size = 0
    for (let word of this.words)
      while (word !== 0) {
        word &= word - 1
        size++
      }
    this.#size = size
  }

  *[Symbol.iterator](): IterableIterator<number> {
    for (let at = 0; at < this.words.length; at++) {
      let word = this.words[at] as number
      while (word !== 0) {
        const low = word & -word
        yield (at << 5) + (31 - Math.clz32(low))
        word = (word ^ low) >>> 0
      }
    }
  }
}
