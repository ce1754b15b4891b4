import { setImmediate as nextTurn } from 'node:timers/promises'

const TURN_MS = 10

/** Lets other requests have a turn as soon as work has taken long enough. */
export class Turns {
  readonly #nextTurn: () => Promise<void>
  readonly #nowMs: () => number
  #beganMs: number

  constructor(next: () => Promise<void> = nextTurn, nowMs: () => number = () => performance.now()) {
    this.#nextTurn = next
    this.#nowMs = nowMs
    this.#beganMs = nowMs()
  }

  /** True where others had a turn, so that the state may have changed. */
  async give(): Promise<boolean> {
    if (this.#nowMs() - this.#beganMs <= TURN_MS) return false
    await this.#nextTurn()
    this.#beganMs = this.#nowMs()
    return true
  }
}

/** One result for each item, in order. Other requests get a turn between items, however much work there is. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T, at: number) => R): Promise<R[]> {
  const results: R[] = []
  const turns = new Turns()
  for (const [at, item] of items.entries()) {
    await turns.give()
    results.push(work(item, at))
  }
  return results
}
