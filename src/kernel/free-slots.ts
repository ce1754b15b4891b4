import { Bitset } from './bitset.ts'

/** Hands out the lowest free whole numbers first, so that slots stay dense. */
export class FreeSlots {
  /** Freed ones below `#next`. */
  readonly #freed = new Bitset()
  /** No freed slot is lower than this. */
  #lowest = 0
  /** All from here on are free. */
  #next = 0

  get lowest(): number {
    return this.first(1)[0] as number
  }

  /** The slots that this many calls in a row would return. */
  first(count: number): number[] {
    const slots: number[] = []
    if (this.#freed.size > 0)
      for (let slot = this.#lowest; slot < this.#next && slots.length < count; slot++)
        if (this.#freed.has(slot)) {
          if (slots.length === 0) this.#lowest = slot
          slots.push(slot)
        }
    for (let slot = this.#next; slots.length < count; slot++) slots.push(slot)
    return slots
  }

  /** Marks a given slot as used; it may be beyond those handed out so far. */
  occupy(slot: number): void {
    if (slot < this.#next) this.#freed.delete(slot)
    else {
      for (let gap = this.#next; gap < slot; gap++) this.release(gap)
      this.#next = slot + 1
    }
  }

  release(slot: number): void {
    this.#freed.add(slot)
    if (slot < this.#lowest) this.#lowest = slot
  }
}
