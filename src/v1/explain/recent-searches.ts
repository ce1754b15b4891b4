import type { KeptSearch, PlacementCall } from '../../scheduling/decisions/refused.rows.ts'

export interface RecentSearch extends PlacementCall {
  readonly search: KeptSearch
}

/** As many boots may be under way at once. */
const REMEMBERED_MAX = 512

/** The last searches with a global request id that found something; one is kept once its boot fails. */
export class RecentSearches {
  readonly #entries: (RecentSearch | undefined)[] = new Array(REMEMBERED_MAX).fill(undefined)
  #next = 0

  remember(entry: RecentSearch): void {
    this.#entries[this.#next] = entry
    this.#next = (this.#next + 1) % REMEMBERED_MAX
  }

  /** In the order of time. */
  find(globalRequestId: string): RecentSearch[] {
    return this.#entries
      .filter(one => one !== undefined)
      .filter(one => one.globalRequestId === globalRequestId)
      .sort((a, b) => a.atMs - b.atMs)
  }

  /** What is taken is not found again, so that it is kept once. */
  take(globalRequestId: string): RecentSearch[] {
    const found = this.find(globalRequestId)
    for (const [at, one] of this.#entries.entries())
      if (one?.globalRequestId === globalRequestId) this.#entries[at] = undefined
    return found
  }
}
