import { Bitset } from '../../../kernel/bitset.ts'
import { NO_PROVIDER, type ProviderSlot } from '../../../kernel/ids.ts'
import type { Random } from '../../../kernel/random.ts'
import type { World } from '../../../world/world.ts'
import type { FilterCursor } from '../filter.ts'
import type { Ask, Plan } from '../plan.ts'

/**
 * The roots of trees that may have candidates, each once, found on demand. Includes every tree that has a
 * candidate, and maybe some that have none.
 */
export class RootSource {
  readonly #world: World
  readonly #plan: Plan
  readonly #seen: Bitset
  readonly #shuffled: ProviderSlot[] | null
  #own: FilterCursor | null = null
  #last: ProviderSlot = NO_PROVIDER
  #roots: Iterator<ProviderSlot>

  constructor(world: World, plan: Plan, random: Random | null) {
    this.#world = world
    this.#plan = plan
    this.#seen = new Bitset(world.providers.slots)
    this.#roots = this.#start()
    this.#shuffled = random === null ? null : random.shuffle(this.#drain())
  }

  next(): ProviderSlot | null {
    return this.#shuffled === null ? this.#find() : (this.#shuffled.pop() ?? null)
  }

  #drain(): ProviderSlot[] {
    const all: ProviderSlot[] = []
    for (let root = this.#find(); root !== null; root = this.#find()) all.push(root)
    return all
  }

  #find(): ProviderSlot | null {
    const { providers } = this.#world
    if (this.#own !== null) {
      for (let slot = this.#own.next(); slot >= 0; slot = this.#own.next()) {
        const root = providers.root[slot] as ProviderSlot
        // Providers of one tree mostly follow one another.
        if (root === this.#last) continue
        this.#last = root
        if (this.#isNew(root)) return root
      }
      this.#own = null
    }
    for (let step = this.#roots.next(); step.done !== true; step = this.#roots.next())
      if (this.#isNew(step.value)) return step.value
    return null
  }

  #isNew(root: ProviderSlot): boolean {
    if (!this.#seen.add(root)) return false
    return this.#plan.rootFilter === null || this.#plan.rootFilter.has(root)
  }

  /** Chooses where to search: in a named tree, or in all trees that can serve the most selective ask. */
  #start(): Iterator<ProviderSlot> {
    const { asks, touchesRoot, sharingProviders } = this.#plan
    if (touchesRoot !== null) return this.#aroundTree(touchesRoot, true)
    const bound = asks.find(ask => ask.treeRoot !== null)
    if (bound !== undefined) return this.#aroundTree(bound.treeRoot as ProviderSlot, bound.suffixed)
    const unshared = asks.filter((_, at) => sharingProviders[at]?.length === 0)
    const rarest = fewest(unshared.length > 0 ? unshared : asks)
    this.#own = rarest.filter.cursor()
    return this.#borrowers(sharingProviders[asks.indexOf(rarest)] as readonly ProviderSlot[])
  }

  *#aroundTree(root: ProviderSlot, mayShare: boolean): Generator<ProviderSlot> {
    yield root
    if (!mayShare) return
    const { providers } = this.#world
    yield* this.#borrowers(this.#plan.sharing.filter(provider => providers.rootOf(provider) === root))
  }

  /** The roots of all trees with a member in an aggregate of a sharing provider. */
  *#borrowers(sharingProviders: readonly ProviderSlot[]): Generator<ProviderSlot> {
    const { providers, providerAggregates } = this.#world
    for (const provider of sharingProviders)
      for (const aggregate of providerAggregates.list(provider))
        for (const member of providerAggregates.members(aggregate) ?? [])
          yield providers.rootOf(member as ProviderSlot)
  }
}

function fewest(asks: readonly Ask[]): Ask {
  return asks.reduce((least, ask) => (ask.filter.estimate < least.filter.estimate ? ask : least))
}
