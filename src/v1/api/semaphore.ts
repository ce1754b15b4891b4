import { Problem } from './problem.ts'
import type { OnClose } from './streaming.ts'

const RETRY_S = 5

/** How many long answers are under way: so many in all, and of these so many of one user. */
export class Semaphore {
  readonly #code: string
  readonly #what: string
  readonly #max: number
  readonly #perUserMax: number
  readonly #taken = new Map<string, number>()
  #all = 0

  /** `what` is such as "clients follow". */
  constructor(code: string, what: string, limits: { readonly max: number; readonly perUserMax: number }) {
    this.#code = code
    this.#what = what
    this.#max = limits.max
    this.#perUserMax = limits.perUserMax
  }

  /** Takes one until the answer is over, however it ends; or refuses. */
  acquire(userId: string, onClose: OnClose): void {
    const own = this.#taken.get(userId) ?? 0
    if (own >= this.#perUserMax)
      throw new Problem(429, `${this.#code}-of-user`, `${own} ${this.#what} already for this user.`, {
        retry_after_s: RETRY_S,
      })
    if (this.#all >= this.#max) throw new Problem(503, this.#code, `${this.#all} ${this.#what} already.`)
    this.#all++
    this.#taken.set(userId, own + 1)
    onClose(() => this.#release(userId))
  }

  #release(userId: string): void {
    this.#all--
    const left = (this.#taken.get(userId) as number) - 1
    if (left === 0) this.#taken.delete(userId)
    else this.#taken.set(userId, left)
  }
}
