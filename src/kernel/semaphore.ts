/** Returns a permit; further calls do nothing. */
type Release = () => void

/** Limits the number of holders. */
export class Semaphore {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(permits: number) {
    this.#free = permits
  }

  /** A permit at once, or null if all are taken. */
  tryAcquire(): Release | null {
    if (this.#free === 0) return null
    this.#free--
    return this.#releaseOnce()
  }

  /** A permit, in the order of requests; null if none became free in time. */
  async acquire(waitMsMax: number): Promise<Release | null> {
    const release = this.tryAcquire()
    if (release !== null) return release
    return (await this.#wait(waitMsMax)) ? this.#releaseOnce() : null
  }

  /** Runs the work with a permit, or throws if all are taken. */
  async run<T>(work: () => Promise<T>, refusal: () => Error): Promise<T> {
    const release = this.tryAcquire()
    if (release === null) throw refusal()
    try {
      return await work()
    } finally {
      release()
    }
  }

  #wait(waitMsMax: number): Promise<boolean> {
    return new Promise(resolve => {
      const grant = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(grant)
        resolve(false)
      }, waitMsMax)
      this.#waiting.add(grant)
    })
  }

  #releaseOnce(): Release {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const [next] = this.#waiting
      if (next === undefined) this.#free++
      else {
        this.#waiting.delete(next)
        next()
      }
    }
  }
}
