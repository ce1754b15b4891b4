import { Bitset } from '../../../kernel/bitset.ts'
import { NO_PROVIDER, type ProviderSlot } from '../../../kernel/ids.ts'
import type { Random } from '../../../kernel/random.ts'
import type { World } from '../../../world/world.ts'
import type { FilterCursor } from '../filter.ts'
import type { Ask, Plan } from '../plan.ts'

/**
 * The roots of the trees that candidates may be for, each once, found as they are asked for. It may name
 * trees that turn out to serve nothing; it never leaves out one that serves.
 */
export class RootSource {
  readonly #world: World
  readonly #plan: Plan
  readonly #seen: Bitset
  readonly #shuffled: ProviderSlot[] | null
  #natives: FilterCursor | null = null
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
    if (this.#natives !== null) {
      for (let slot = this.#natives.next(); slot >= 0; slot = this.#natives.next()) {
        const root = providers.root[slot] as ProviderSlot
        // Mostly one provider of a tree comes after the other.
        if (root === this.#last) continue
        this.#last = root
        if (this.#isNew(root)) return root
      }
      this.#natives = null
    }
    for (let step = this.#roots.next(); step.done !== true; step = this.#roots.next())
      if (this.#isNew(step.value)) return step.value
    return null
  }

  #isNew(root: ProviderSlot): boolean {
    if (!this.#seen.add(root)) return false
    return this.#plan.rootFilter === null || this.#plan.rootFilter.has(root)
  }

  /** Chooses where to look: a named tree, or all trees that can serve the ask that fewest can serve. */
  #start(): Iterator<ProviderSlot> {
    const { asks, touchesRoot, sharingProviders } = this.#plan
    if (touchesRoot !== null) return this.#aroundTree(touchesRoot, true)
    const bound = asks.find(ask => ask.treeRoot !== null)
    if (bound !== undefined) return this.#aroundTree(bound.treeRoot as ProviderSlot, bound.suffixed)
    const unlent = asks.filter((_, at) => sharingProviders[at]?.length === 0)
    const rarest = fewest(unlent.length > 0 ? unlent : asks)
    this.#natives = rarest.filter.cursor()
    return this.#borrowers(sharingProviders[asks.indexOf(rarest)] as readonly ProviderSlot[])
  }

  *#aroundTree(root: ProviderSlot, mayLend: boolean): Generator<ProviderSlot> {
    yield root
    if (!mayLend) return
    const { providers } = this.#world
    yield* this.#borrowers(this.#plan.sharing.filter(provider => providers.rootOf(provider) === root))
  }

  /** The roots of all trees with a member in an aggregate of one of the lenders. */
  *#borrowers(sharingProviders: readonly ProviderSlot[]): Generator<ProviderSlot> {
    const { providers, providerAggregates } = this.#world
    for (const lender of sharingProviders)
      for (const aggregate of providerAggregates.of(lender))
        for (const member of providerAggregates.members(aggregate) ?? [])
          yield providers.rootOf(member as ProviderSlot)
  }
}

function fewest(asks: readonly Ask[]): Ask {
  return asks.reduce((least, ask) => (ask.filter.estimate < least.filter.estimate ? ask : least))
}
