import { assert } from '../kernel/assert.ts'

const NONE: readonly never[] = []

/** The aggregates that some hosts have in common. */
interface HostSet<View> {
  /** Ascending. */
  readonly ids: readonly number[]
  /** Built on first use; null after one of them changed. */
  views: readonly View[] | null
  hosts: number
}

/** The aggregates of each host. Hosts in the same aggregates share one list, so that it is processed once. */
export class HostSets<View> {
  readonly #ofHost = new Map<number, HostSet<View>>()
  readonly #sets = new Map<string, HostSet<View>>()
  readonly #viewOf: (id: number) => View

  constructor(viewOf: (id: number) => View) {
    this.#viewOf = viewOf
  }

  get(host: number): readonly View[] {
    const set = this.#ofHost.get(host)
    if (set === undefined) return NONE
    set.views ??= set.ids.map(this.#viewOf)
    return set.views
  }

  add(host: number, id: number): void {
    const ids = this.#ofHost.get(host)?.ids ?? []
    assert(!ids.includes(id), () => `host ${host} is in ${id} already`)
    this.#move(
      host,
      [...ids, id].sort((a, b) => a - b),
    )
  }

  delete(host: number, id: number): void {
    const ids = this.#ofHost.get(host)?.ids ?? []
    assert(ids.includes(id), () => `host ${host} is not in ${id}`)
    this.#move(
      host,
      ids.filter(one => one !== id),
    )
  }

  /** Rebuilds lists with this aggregate. */
  invalidate(id: number): void {
    for (const set of this.#sets.values()) if (set.ids.includes(id)) set.views = null
  }

  #move(host: number, ids: readonly number[]): void {
    const old = this.#ofHost.get(host)
    if (old !== undefined && --old.hosts === 0) this.#sets.delete(old.ids.join(' '))
    if (ids.length === 0) {
      this.#ofHost.delete(host)
      return
    }
    const key = ids.join(' ')
    const set = this.#sets.get(key) ?? { ids, views: null, hosts: 0 }
    set.hosts++
    this.#sets.set(key, set)
    this.#ofHost.set(host, set)
  }
}
