import { setImmediate as nextTurn } from 'node:timers/promises'

/** With the step that is under way when it is over, nobody waits more than 10 ms. */
const TURN_MS = 3

/** Lets other requests run once a task has taken its share of time. */
export class Turns {
  readonly #nextTurn: () => Promise<void>
  readonly #nowMs: () => number
  #beganMs: number

  constructor(next: () => Promise<void> = nextTurn, nowMs: () => number = () => performance.now()) {
    this.#nextTurn = next
    this.#nowMs = nowMs
    this.#beganMs = nowMs()
  }

  /** True if other requests ran, so that the state may have changed. */
  async give(): Promise<boolean> {
    if (this.#nowMs() - this.#beganMs <= TURN_MS) return false
    await this.#nextTurn()
    this.#beganMs = this.#nowMs()
    return true
  }
}

/** For long work that pauses after each small step: others run only once it has taken its share of time. */
export function pauseInTurns(next: () => Promise<void> = nextTurn): () => Promise<void> {
  const turns = new Turns(next)
  return async () => {
    await turns.give()
  }
}

/** One result per item, in order. Other requests may run between items. */
export async function mapInTurns<T, R>(items: readonly T[], work: (item: T, at: number) => R): Promise<R[]> {
  const results: R[] = []
  const turns = new Turns()
  for (const [at, item] of items.entries()) {
    await turns.give()
    results.push(work(item, at))
  }
  return results
}
