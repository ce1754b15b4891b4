import type { ProviderSlot } from '../../kernel/ids.ts'
import type { Random } from '../../kernel/random.ts'
import { growInt32 } from '../../world/columns.ts'

/** One provider for each ask of the plan, in the same order. */
export type Candidate = readonly ProviderSlot[]

const NO_SLOTS = new Int32Array(0)

/** All candidates in one array, because an answer can have thousands. */
export class CandidateList implements Iterable<Candidate> {
  /** How many providers each of them has. */
  readonly asks: number
  length = 0
  /** The providers of all candidates, one candidate after the other; the end may be unused. */
  slots = NO_SLOTS
  readonly #slotsExpected: number

  constructor(asks: number, expected: number) {
    this.asks = asks
    this.#slotsExpected = asks * expected
  }

  add(chosen: Int32Array): void {
    const from = this.#reach()
    for (let ask = 0; ask < this.asks; ask++) this.slots[from + ask] = chosen[ask] as number
  }

  /** One provider serves all asks. */
  addFlat(provider: number): void {
    const from = this.#reach()
    for (let ask = 0; ask < this.asks; ask++) this.slots[from + ask] = provider
  }

  at(nth: number): Candidate {
    return [...this.slots.subarray(nth * this.asks, (nth + 1) * this.asks)] as ProviderSlot[]
  }

  *[Symbol.iterator](): Generator<Candidate> {
    for (let nth = 0; nth < this.length; nth++) yield this.at(nth)
  }

  shuffle(random: Random): void {
    const before = this.slots.slice()
    random.shuffle(Array.from({ length: this.length }, (_, nth) => nth)).forEach((nth, to) => {
      this.slots.set(before.subarray(nth * this.asks, (nth + 1) * this.asks), to * this.asks)
    })
  }

  /** The index for the next candidate. */
  #reach(): number {
    const from = this.length++ * this.asks
    const end = from + this.asks
    if (end > this.slots.length) this.slots = growInt32(this.slots, Math.max(2 * end, this.#slotsExpected))
    return from
  }
}
