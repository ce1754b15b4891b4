const UNDECIDED = 0
const YES = 1
const NO = 2

/**
 * Tells the writing thread whether it may commit the batch. That thread waits here when all else is done, so the main thread
 * can rehearse a batch while it is written, without another message.
 */
export class CommitGate {
  /** For the other thread. */
  readonly shared: SharedArrayBuffer
  readonly #cell: Int32Array

  constructor(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#cell = new Int32Array(shared)
  }

  /** Before a batch is handed over. */
  reset(): void {
    Atomics.store(this.#cell, 0, UNDECIDED)
  }

  decide(mayCommit: boolean): void {
    Atomics.store(this.#cell, 0, mayCommit ? YES : NO)
    Atomics.notify(this.#cell, 0)
  }

  wait(): boolean {
    Atomics.wait(this.#cell, 0, UNDECIDED)
    return Atomics.load(this.#cell, 0) === YES
  }
}
