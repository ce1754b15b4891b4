/** Work of one lane waits for its own lane before it makes others wait. */
export interface Lane {
  readonly name: string
  /** A caller with a token, or an account that signed in from this address before. */
  readonly isKnown: boolean
}

/** The queue is full. */
export class TurnsBusy extends Error {
  override name = 'TurnsBusy'
}

interface TurnLimits {
  readonly atOnceMax: number
  readonly waitingMax: number
  readonly perLaneMax: number
}

interface WaitingTurn {
  readonly begin: () => void
  readonly refuse: (reason: TurnsBusy) => void
}

type Ring = Map<string, WaitingTurn[]>

/**
 * Bounds expensive work and shares it fairly: lanes take turns, known and unknown ones alternate. In a full queue a
 * known lane displaces an unknown one, and a short lane a longer one. So neither one account nor one address can fill
 * the queue.
 */
export class FairTurns {
  readonly #limits: TurnLimits
  readonly #known: Ring = new Map()
  readonly #unknown: Ring = new Map()
  #running = 0
  #waiting = 0
  #isKnownNext = true

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limits.atOnceMax) await this.#wait(lane)
    else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#next()
      if (next === undefined) this.#running--
      else next.begin()
    }
  }

  #wait(lane: Lane): Promise<void> {
    const ring = lane.isKnown ? this.#known : this.#unknown
    const length = ring.get(lane.name)?.length ?? 0
    if (length >= this.#limits.perLaneMax)
      throw new TurnsBusy(`${length} requests of ${lane.name} are waiting already`)
    if (this.#waiting >= this.#limits.waitingMax && !this.#makeRoom(lane, length))
      throw new TurnsBusy(`${this.#waiting} requests are waiting already`)
    return new Promise((begin, refuse) => {
      const waiters = ring.get(lane.name)
      if (waiters === undefined) ring.set(lane.name, [{ begin, refuse }])
      else waiters.push({ begin, refuse })
      this.#waiting++
    })
  }

  /** Rejects the last of the longest lane with lower priority. */
  #makeRoom({ isKnown }: Lane, length: number): boolean {
    const longest = findLongest(this.#unknown)
    const isEnough = longest !== null && (isKnown || longest.length > length + 1)
    if (isEnough) return this.#evict(this.#unknown, longest.name)
    const fellow = isKnown ? findLongest(this.#known) : null
    return fellow !== null && fellow.length > length + 1 && this.#evict(this.#known, fellow.name)
  }

  #evict(ring: Ring, name: string): boolean {
    const waiters = ring.get(name) as WaitingTurn[]
    const last = waiters.pop() as WaitingTurn
    if (waiters.length === 0) ring.delete(name)
    this.#waiting--
    last.refuse(new TurnsBusy('the request made room for a caller with fewer waiting requests'))
    return true
  }

  #next(): WaitingTurn | undefined {
    const first = this.#isKnownNext ? this.#known : this.#unknown
    const other = this.#isKnownNext ? this.#unknown : this.#known
    this.#isKnownNext = !this.#isKnownNext
    const ring = first.size > 0 ? first : other
    for (const [name, waiters] of ring) {
      const next = waiters.shift() as WaitingTurn
      // To the end of the ring.
      ring.delete(name)
      if (waiters.length > 0) ring.set(name, waiters)
      this.#waiting--
      return next
    }
    return undefined
  }
}

/** Searched each time: there are few lanes. */
function findLongest(ring: Ring): { readonly name: string; readonly length: number } | null {
  let longest: { name: string; length: number } | null = null
  for (const [name, { length }] of ring)
    if (longest === null || length > longest.length) longest = { name, length }
  return longest
}
