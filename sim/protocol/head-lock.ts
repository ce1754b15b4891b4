import type { Schedule, Timer } from './schedule.ts'

interface Waiter {
  readonly holder: object
  readonly granted: () => void
  readonly timer: Timer
}

/** The lock on the head row: one holder, the others in a queue, each with a timeout. */
export class HeadLock {
  readonly #schedule: Schedule
  #holder: object | null = null
  #queue: Waiter[] = []

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  take(holder: object, patienceMs: number, granted: () => void, timedOut: () => void): void {
    if (this.#holder === null) {
      this.#holder = holder
      granted()
      return
    }
    const timer = this.#schedule.after(patienceMs, () => {
      this.#queue = this.#queue.filter(one => one.holder !== holder)
      timedOut()
    })
    this.#queue.push({ holder, granted, timer })
  }

  /** Drops holder and waiters: the server is gone. */
  forget(): void {
    for (const { timer } of this.#queue.splice(0)) timer.cancel()
    this.#holder = null
  }

  /** Removes a holder or waiter. */
  release(holder: object): void {
    this.#queue = this.#queue.filter(one => {
      if (one.holder === holder) one.timer.cancel()
      return one.holder !== holder
    })
    if (this.#holder !== holder) return
    const next = this.#queue.shift()
    this.#holder = next?.holder ?? null
    next?.timer.cancel()
    next?.granted()
  }
}
