import type { Clock } from '../kernel/clock.ts'

interface BucketRule {
  /** The size of a burst. */
  readonly burst: number
  readonly perSecond: number
}

interface Bucket {
  left: number
  atMs: number
}

/** Beyond this, the least recently used are dropped. A dropped bucket counts as full. */
const BUCKETS_MAX = 50_000

/** Limits how often something may happen for each name: a burst, then a rate. */
export class TokenBuckets {
  readonly #rule: BucketRule
  readonly #clock: Clock
  readonly #buckets = new Map<string, Bucket>()
  readonly #max: number

  constructor(rule: BucketRule, clock: Clock, max = BUCKETS_MAX) {
    this.#rule = rule
    this.#clock = clock
    this.#max = max
  }

  /** Seconds until one can be taken; 0 if now. Takes nothing. */
  waitS(name: string): number {
    const bucket = this.#buckets.get(name)
    if (bucket === undefined) return 0
    const left = this.#refill(bucket)
    return left >= 1 ? 0 : Math.ceil((1 - left) / this.#rule.perSecond)
  }

  /** False if there is none. */
  take(name: string): boolean {
    const nowMs = this.#clock.nowMs()
    const bucket = this.#buckets.get(name)
    const left = bucket === undefined ? this.#rule.burst : this.#refill(bucket)
    // Inserted again, so that the map is in order of use.
    if (bucket !== undefined) this.#buckets.delete(name)
    else if (this.#buckets.size >= this.#max) this.#forgetOldest()
    this.#buckets.set(name, { left: left >= 1 ? left - 1 : left, atMs: nowMs })
    return left >= 1
  }

  /** Returns one that turned out not to count. */
  giveBack(name: string): void {
    const bucket = this.#buckets.get(name)
    if (bucket !== undefined) bucket.left = Math.min(this.#rule.burst, bucket.left + 1)
  }

  #refill({ left, atMs }: Bucket): number {
    const passedS = Math.max(0, this.#clock.nowMs() - atMs) / 1000
    return Math.min(this.#rule.burst, left + passedS * this.#rule.perSecond)
  }

  #forgetOldest(): void {
    for (const name of this.#buckets.keys()) {
      this.#buckets.delete(name)
      return
    }
  }
}
