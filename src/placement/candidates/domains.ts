import { Bitset } from '../../kernel/bitset.ts'
import { type AggregateId, NO_PROVIDER, type ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import type { ProviderFilter } from './filter.ts'
import type { Ask, Plan } from './plan.ts'

/** Providers in a row. It is emptied and filled again for every tree, so it keeps its room. */
export class Domain {
  #slots = new Int32Array(8)
  length = 0

  at(nth: number): ProviderSlot {
    return this.#slots[nth] as ProviderSlot
  }

  add(provider: number): void {
    if (this.length === this.#slots.length) {
      const grown = new Int32Array(2 * this.length)
      grown.set(this.#slots)
      this.#slots = grown
    }
    this.#slots[this.length++] = provider
  }

  has(provider: number): boolean {
    for (let nth = 0; nth < this.length; nth++) if (this.#slots[nth] === provider) return true
    return false
  }

  /** What is in it, until it is filled again. */
  get slots(): Int32Array {
    return this.#slots.subarray(0, this.length)
  }

  /** The same with room at its end: thousands of trees are looked through, and a view of each has its price. */
  get roomySlots(): Int32Array {
    return this.#slots
  }
}

/** For each ask, the providers that could serve it alone, for one tree: its own and those that lend to it. */
export class Domains {
  readonly #world: World
  readonly #asks: readonly Ask[]
  /** By ask, for members of trees and for those that lend to them. */
  readonly #own: readonly WordTest[]
  readonly #lent: readonly WordTest[]
  /** Of the tree at hand, parents first. */
  readonly #members = new Domain()
  readonly #lenders: Lenders | null

  constructor(world: World, plan: Plan) {
    this.#world = world
    this.#asks = plan.asks
    this.#own = plan.asks.map(ask => new WordTest(ask.filter))
    this.#lent = plan.asks.map(ask => new WordTest(ask.filter))
    this.#lenders = plan.sharing.length === 0 ? null : new Lenders(world, plan.sharing)
  }

  /** Into lists that are there already, one for each ask. False, and some of them filled, when one has nobody. */
  fill(domains: readonly Domain[], anchor: ProviderSlot): boolean {
    this.#listMembers(anchor)
    const lenders = this.#lenders === null ? NOBODY : this.#lenders.to(this.#members, anchor)
    for (let nth = 0; nth < domains.length; nth++) {
      const domain = domains[nth] as Domain
      const ask = this.#asks[nth] as Ask
      domain.length = 0
      this.#addServing(domain, ask, this.#own[nth] as WordTest, this.#members, anchor, false)
      if (lenders.length > 0)
        this.#addServing(domain, ask, this.#lent[nth] as WordTest, lenders, anchor, true)
      if (domain.length === 0) return false
    }
    return true
  }

  #addServing(
    domain: Domain,
    ask: Ask,
    test: WordTest,
    among: Domain,
    anchor: ProviderSlot,
    lent: boolean,
  ): void {
    const isPlain = ask.treeRoot === null && ask.selfOrRootIn === null && ask.selfOrRootNotIn === null
    const slots = among.roomySlots
    const count = among.length
    for (let at = 0; at < count; at++) {
      const provider = slots[at] as ProviderSlot
      if (!test.isIn(provider) || !hasRoom(ask, provider)) continue
      if (isPlain || this.#isAllowed(ask, provider, anchor, lent)) domain.add(provider)
    }
  }

  #listMembers(anchor: ProviderSlot): void {
    const { firstChild, nextSibling } = this.#world.providers
    const members = this.#members
    members.length = 0
    members.add(anchor)
    for (let at = 0; at < members.length; at++) {
      let child = firstChild[members.at(at)] as number
      for (; child !== NO_PROVIDER; child = nextSibling[child] as number) members.add(child)
    }
  }

  /** What depends on the tree that it is for. */
  #isAllowed(ask: Ask, provider: ProviderSlot, anchor: ProviderSlot, lent: boolean): boolean {
    if (ask.treeRoot !== null) {
      // Bound to a tree, the unsuffixed group borrows from nobody.
      if (lent && !ask.suffixed) return false
      if (this.#world.providers.rootOf(provider) !== ask.treeRoot) return false
    }
    // An aggregate of the root counts for its whole tree, but not for those who lend to it.
    if (ask.selfOrRootIn !== null && !ask.selfOrRootIn.has(provider))
      if (lent || !ask.selfOrRootIn.has(anchor)) return false
    if (ask.selfOrRootNotIn !== null)
      if (ask.selfOrRootNotIn.has(provider) || ask.selfOrRootNotIn.has(anchor)) return false
    return true
  }
}

const NOBODY = new Domain()

function hasRoom({ columns, amounts }: Ask, provider: ProviderSlot): boolean {
  for (let at = 0; at < columns.length; at++)
    if (!columns[at]?.fits(provider, amounts[at] as number)) return false
  return true
}

/** A filter for one provider after the other: neighbours stand in one word of its sets, which is made once. */
class WordTest {
  readonly #filter: ProviderFilter
  #wordAt = -1
  #word = 0

  constructor(filter: ProviderFilter) {
    this.#filter = filter
  }

  isIn(provider: ProviderSlot): boolean {
    const at = provider >>> 5
    if (at !== this.#wordAt) {
      this.#wordAt = at
      this.#word = this.#filter.word(at)
    }
    return ((this.#word >>> (provider & 31)) & 1) === 1
  }
}

/** Who shares with whom. */
class Lenders {
  readonly #world: World
  /** By the number of the aggregate. */
  readonly #byAggregate: (ProviderSlot[] | undefined)[] = []
  /** Everybody in an aggregate that somebody shares with. */
  readonly #borrowers: Bitset
  /** To the tree at hand. */
  readonly #lending = new Domain()

  constructor(world: World, sharing: readonly ProviderSlot[]) {
    this.#world = world
    for (const provider of sharing)
      for (const aggregate of world.providerAggregates.of(provider)) {
        const known = this.#byAggregate[aggregate]
        if (known === undefined) this.#byAggregate[aggregate] = [provider]
        else known.push(provider)
      }
    const groups = this.#byAggregate.flatMap(
      (_, id) => world.providerAggregates.members(id as AggregateId) ?? [],
    )
    this.#borrowers = Bitset.union(groups)
  }

  /** Each once, and none of the tree's own. */
  to(members: Domain, anchor: ProviderSlot): Domain {
    const { providers, providerAggregates } = this.#world
    const lending = this.#lending
    lending.length = 0
    for (let at = 0; at < members.length; at++) {
      const member = members.at(at)
      if (!this.#borrowers.has(member)) continue
      const aggregates = providerAggregates.of(member)
      for (let nth = 0; nth < aggregates.length; nth++) {
        const lenders = this.#byAggregate[aggregates[nth] as number]
        if (lenders === undefined) continue
        for (const lender of lenders)
          if (providers.rootOf(lender) !== anchor && !lending.has(lender)) lending.add(lender)
      }
    }
    return lending
  }
}
