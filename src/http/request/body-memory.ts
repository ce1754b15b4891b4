/**
 * Counts the bytes of unfinished bodies. Without a bound, a hundred connections that each send half a body hold a
 * gigabyte. No owner gets more than a quarter, so that one cannot block all others.
 */
export class BodyMemory {
  readonly #bytesMax: number
  readonly #byOwner = new Map<string, number>()
  #held = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get held(): number {
    return this.#held
  }

  /** False, and counts nothing, if that would be too many. */
  take(owner: string, bytes: number): boolean {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes
    if (this.#held + bytes > this.#bytesMax || own > this.#bytesMax / OWNERS_MIN) return false
    this.#held += bytes
    this.#byOwner.set(owner, own)
    return true
  }

  giveBack(owner: string, bytes: number): void {
    this.#held -= bytes
    const own = (this.#byOwner.get(owner) as number) - bytes
    if (own > 0) this.#byOwner.set(owner, own)
    else this.#byOwner.delete(owner)
  }
}

const OWNERS_MIN = 4

/** For requests without a token: they are small, and any client can send them. */
export const ANONYMOUS_BYTES_MAX = 8 * 1024 * 1024

/** For all others: eight of the largest bodies, or many small ones. */
export const computeKnownBytesMax = (bodyBytesMax: number): number =>
  Math.max(8 * bodyBytesMax, 64 * 1024 * 1024)
