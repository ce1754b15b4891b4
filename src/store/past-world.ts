import { assert } from '../kernel/assert.ts'
import type { World } from '../world/world.ts'
import { WorldCopy } from '../world/world-copy.ts'
import { loadWorld } from './load-world.ts'
import type { Committed, Store } from './store.ts'

/** Changes per read from the store. */
const CHANGES_PER_PAGE = 1_000

/** A copy that can be moved to any revision whose changes are still kept. */
export class PastWorld extends WorldCopy {
  readonly #store: Pick<Store, 'changesAfter'>

  private constructor(world: World, store: Pick<Store, 'changesAfter'>) {
    super(world)
    this.#store = store
  }

  static async load(store: Store): Promise<PastWorld> {
    const { world } = await loadWorld(store)
    return new PastWorld(world, store)
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
