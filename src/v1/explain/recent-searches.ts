import type { KeptSearch, PlacementCall } from '../../scheduling/decisions/refused.rows.ts'

export interface RecentSearch extends PlacementCall {
  readonly search: KeptSearch
}

/** The number of boots that may be in progress at the same time. */
const REMEMBERED_MAX = 512

/** The last successful searches with a global request id. If the boot of one fails, it is stored as a decision. */
export class RecentSearches {
  readonly #entries: (RecentSearch | undefined)[] = new Array(REMEMBERED_MAX).fill(undefined)
  #next = 0

  remember(entry: RecentSearch): void {
    this.#entries[this.#next] = entry
    this.#next = (this.#next + 1) % REMEMBERED_MAX
  }

  /** Oldest first. */
  find(globalRequestId: string): RecentSearch[] {
    return this.#entries
      .filter(one => one !== undefined)
      .filter(one => one.globalRequestId === globalRequestId)
      .sort((a, b) => a.atMs - b.atMs)
  }

  /** Removes what it returns, so that a search is stored only once. */
  take(globalRequestId: string): RecentSearch[] {
    const found = this.find(globalRequestId)
    for (const [at, one] of this.#entries.entries())
      if (one?.globalRequestId === globalRequestId) this.#entries[at] = undefined
    return found
  }
}
