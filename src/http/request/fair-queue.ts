/** What waits, in lanes that take turns: the first of each lane before the second of any. */
export class FairQueue<T> {
  readonly #lanes = new Map<string, T[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The lane whose turn it is, and the first in it. */
  get first(): T | undefined {
    for (const items of this.#lanes.values()) return items[0]
    return undefined
  }

  lengthOf(lane: string): number {
    return this.#lanes.get(lane)?.length ?? 0
  }

  push(lane: string, item: T): void {
    const items = this.#lanes.get(lane)
    if (items === undefined) this.#lanes.set(lane, [item])
    else items.push(item)
    this.#size++
  }

  /** Takes the first of the lane whose turn it is, which then goes to the end of the ring. */
  shift(): T | undefined {
    for (const [lane, items] of this.#lanes) {
      const item = items.shift() as T
      this.#lanes.delete(lane)
      if (items.length > 0) this.#lanes.set(lane, items)
      this.#size--
      return item
    }
    return undefined
  }

  /** Takes the last of a lane. */
  pop(lane: string): T | undefined {
    const items = this.#lanes.get(lane)
    if (items === undefined) return undefined
    const item = items.pop()
    if (items.length === 0) this.#lanes.delete(lane)
    this.#size--
    return item
  }

  /** Searched each time: there are few lanes. */
  findLongest(): string | null {
    let longest: string | null = null
    let length = 0
    for (const [lane, items] of this.#lanes)
      if (items.length > length) {
        longest = lane
        length = items.length
      }
    return longest
  }
}
