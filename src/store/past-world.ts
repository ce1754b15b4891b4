import { assert } from '../kernel/assert.ts'
import { World } from '../world/world.ts'
import { WorldCopy } from '../world/world-copy.ts'
import { isSameHead } from './chain.ts'
import { loadRows } from './load-world.ts'
import type { Committed, Head, Store } from './store.ts'
import { loadFrom } from './tables/every-page.ts'

/** Small pages, because other requests wait while one is taken over. */
const ROWS_PER_PAGE = 1_000
/** Changes per read from the store. */
const CHANGES_PER_PAGE = 200
/** With more changes, to load everything again takes no longer. */
const MISSED_MAX = 20_000

/** A copy that can be moved to any revision whose changes are still kept. */
export class PastWorld extends WorldCopy {
  readonly #store: Pick<Store, 'changesAfter' | 'head'>
  /** Where it was loaded or last refreshed. */
  #head: Head
  /** Part of a change could not be undone. */
  #isTorn = false

  private constructor(world: World, store: Pick<Store, 'changesAfter' | 'head'>, head: Head) {
    super(world)
    this.#store = store
    this.#head = head
    world.onTorn(() => {
      this.#isTorn = true
    })
  }

  static async load(store: Store): Promise<PastWorld> {
    const world = new World()
    const take = (...page: Parameters<Parameters<Store['load']>[0]>) => loadRows(world, ...page)
    const head = await loadFrom(await store.snapshot(), take, ROWS_PER_PAGE)
    world.revision = head.revision
    return new PastWorld(world, store, head)
  }

  /**
   * Makes it a copy of the newest state again, whatever was done with it; `pause` lets other requests run. False if it
   * must be loaded instead: it has missed too much, or the store has another history.
   */
  async refresh(pause: () => Promise<void>): Promise<boolean> {
    if (this.#isTorn) return false
    for (let last = this.made.at(-1); last !== undefined; last = this.made.at(-1)) {
      this.takeBack(last)
      await pause()
    }
    if (!(await this.goTo(this.#head.revision))) return false
    const head = await this.#store.head()
    const missed = head.revision - this.#head.revision
    if (missed < 0 || missed > MISSED_MAX || !(await this.#isPartOf(head))) return false
    this.#head = head
    return this.goTo(head.revision)
  }

  /** Whether the history that ends with `head` has the own head in it. */
  async #isPartOf(head: Head): Promise<boolean> {
    const own = this.#head
    if (own.revision === head.revision) return isSameHead(own, head)
    if (own.revision === 0) return true
    const history = await this.#store.changesAfter(own.revision - 1, 1)
    const [same] = history.kept ? history.changes : []
    return same !== undefined && isSameHead(own, same)
  }

  /** False if changes in between are no longer kept; the world is then unusable. */
  async goTo(revision: number): Promise<boolean> {
    while (this.world.revision > revision) {
      const from = Math.max(revision, this.world.revision - CHANGES_PER_PAGE)
      const changes = await this.#readBetween(from, this.world.revision)
      if (changes === null) return false
      for (const { change } of changes.toReversed()) this.world.undo(change)
      this.world.revision = from
    }
    while (this.world.revision < revision) {
      const to = Math.min(revision, this.world.revision + CHANGES_PER_PAGE)
      const changes = await this.#readBetween(this.world.revision, to)
      if (changes === null) return false
      for (const { change } of changes) this.world.apply(change)
      this.world.revision = to
    }
    return true
  }

  /** The changes between two revisions; a page may end early if changes are large. */
  async #readBetween(from: number, to: number): Promise<Committed[] | null> {
    const found: Committed[] = []
    while (from + found.length < to) {
      const history = await this.#store.changesAfter(from + found.length, to - from - found.length)
      if (!history.kept || history.changes.length === 0) return null
      found.push(...history.changes)
    }
    assert(found.at(-1)?.revision === to, () => `the changes up to ${to} are contiguous`)
    return found
  }
}
