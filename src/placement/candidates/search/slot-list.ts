import type { ProviderSlot } from '../../../kernel/ids.ts'
import { growInt32 } from '../../../world/columns.ts'

/** A growing list of providers. It is emptied and refilled for every tree, so it keeps its memory. */
export class SlotList {
  #slots = new Int32Array(8)
  length = 0

  at(nth: number): ProviderSlot {
    return this.#slots[nth] as ProviderSlot
  }

  add(provider: number): void {
    if (this.length === this.#slots.length) this.#slots = growInt32(this.#slots, 2 * this.length)
    this.#slots[this.length++] = provider
  }

  has(provider: number): boolean {
    for (let nth = 0; nth < this.length; nth++) if (this.#slots[nth] === provider) return true
    return false
  }

  /** Whether a column has this value for one of them. */
  some(column: Int32Array, value: number): boolean {
    for (let nth = 0; nth < this.length; nth++) if (column[this.#slots[nth] as number] === value) return true
    return false
  }

  /** A view that is valid until the list is filled again. */
  get slots(): Int32Array {
    return this.#slots.subarray(0, this.length)
  }
}
