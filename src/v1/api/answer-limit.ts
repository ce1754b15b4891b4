import { Semaphore } from '../../kernel/semaphore.ts'
import { Problem } from './problem.ts'
import type { OnClose } from './streaming.ts'

const RETRY_S = 5

/** Limits long answers in progress: in all, and per user. */
export class AnswerLimit {
  readonly #code: string
  readonly #what: string
  readonly #max: number
  readonly #perUserMax: number
  readonly #permits: Semaphore
  readonly #ofUser = new Map<string, number>()

  /** `what` names the limited answers, for example "clients follow". */
  constructor(code: string, what: string, limits: { readonly max: number; readonly perUserMax: number }) {
    this.#code = code
    this.#what = what
    this.#max = limits.max
    this.#permits = new Semaphore(limits.max)
    this.#perUserMax = limits.perUserMax
  }

  /** Holds a place until the answer ends in any way. Refuses if none is free. */
  acquire(userId: string, onClose: OnClose): void {
    const own = this.#ofUser.get(userId) ?? 0
    if (own >= this.#perUserMax)
      throw new Problem(
        429,
        `${this.#code}-of-user`,
        `For this user, ${own} ${this.#what} already; try again later.`,
        {
          retry_after_s: RETRY_S,
        },
      )
    const release = this.#permits.tryAcquire()
    if (release === null)
      throw new Problem(503, this.#code, `${this.#max} ${this.#what} already; try again later.`)
    this.#ofUser.set(userId, own + 1)
    onClose(() => {
      release()
      this.#forget(userId)
    })
  }

  #forget(userId: string): void {
    const left = (this.#ofUser.get(userId) as number) - 1
    if (left === 0) this.#ofUser.delete(userId)
    else this.#ofUser.set(userId, left)
  }
}
