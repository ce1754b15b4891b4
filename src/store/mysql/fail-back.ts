interface FailBackParts {
  /** Finds the place of the first usable host before one in the address; null if there is none. */
  readonly findBefore: (rank: number) => Promise<number | null>
  readonly nowMs: () => number
  readonly everyMs: number
}

/**
 * Leads connections back to the host that the address prefers, once it can be used again: otherwise a node that was
 * restarted would stay without writes, and processes would write at several nodes.
 */
export class FailBack {
  readonly #parts: FailBackParts
  #found = Number.POSITIVE_INFINITY
  #lookedAtMs: number
  #isLooking = false

  constructor(parts: FailBackParts) {
    this.#parts = parts
    this.#lookedAtMs = parts.nowMs()
  }

  /** Whether a better host than this one was found. Looks for one now and then, without delaying anybody. */
  isOutranked(rank: number): boolean {
    if (this.#found < rank) return true
    const { nowMs, everyMs } = this.#parts
    if (rank > 0 && !this.#isLooking && nowMs() >= this.#lookedAtMs + everyMs) void this.#look(rank)
    return false
  }

  /** A new connection leads there: if that is not what was found, it cannot be used after all. */
  connected(rank: number): void {
    if (rank > this.#found) this.#found = Number.POSITIVE_INFINITY
    this.#lookedAtMs = this.#parts.nowMs()
  }

  async #look(rank: number): Promise<void> {
    this.#isLooking = true
    try {
      this.#found = (await this.#parts.findBefore(rank)) ?? Number.POSITIVE_INFINITY
    } finally {
      this.#isLooking = false
      this.#lookedAtMs = this.#parts.nowMs()
    }
  }
}
