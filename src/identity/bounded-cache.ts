/** Keeps a limited number of entries: those used last. */
export class BoundedCache<V> {
  readonly #max: number
  readonly #entries = new Map<string, V>()

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#entries.size
  }

  count(isWanted: (value: V) => boolean): number {
    return this.#entries.values().filter(isWanted).toArray().length
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // The map is in the order of use.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: string, value: V): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#max)
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest)
        break
      }
    this.#entries.set(key, value)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
