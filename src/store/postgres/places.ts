import { StoreUnavailable } from '../store.ts'

/** So many may be inside at once; others wait for a while. */
export class Places {
  #free: number
  readonly #waitMsMax: number
  readonly #full: string
  readonly #waiting = new Set<() => void>()

  /** `full` is what those are told who waited in vain. */
  constructor(count: number, waitMsMax: number, full: string) {
    this.#free = count
    this.#waitMsMax = waitMsMax
    this.#full = full
  }

  /** Resolves with what gives the place back; calling that again does nothing. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await this.#wait()
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#giveBack()
    }
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const mine = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(mine)
        reject(new StoreUnavailable(this.#full))
      }, this.#waitMsMax)
      this.#waiting.add(mine)
    })
  }

  #giveBack(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
