const OPEN = 0
const YES = 1
const NO = 2

/**
 * Whether the batch that was handed over may be committed. The thread that writes asks when all else is done, and waits for
 * the answer: so one thread goes on thinking about a batch while the other writes it, and neither needs another message.
 */
export class Verdict {
  /** For the other thread's end of it. */
  readonly shared: SharedArrayBuffer
  readonly #cell: Int32Array

  constructor(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#cell = new Int32Array(shared)
  }

  /** Before a batch is handed over. */
  leaveOpen(): void {
    Atomics.store(this.#cell, 0, OPEN)
  }

  give(isYes: boolean): void {
    Atomics.store(this.#cell, 0, isYes ? YES : NO)
    Atomics.notify(this.#cell, 0)
  }

  wait(): boolean {
    Atomics.wait(this.#cell, 0, OPEN)
    return Atomics.load(this.#cell, 0) === YES
  }
}
