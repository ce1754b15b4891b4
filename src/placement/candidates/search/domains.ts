import { Bitset } from '../../../kernel/bitset.ts'
import { type AggregateId, NO_PROVIDER, type ProviderSlot } from '../../../kernel/ids.ts'
import { grownInt32 } from '../../../world/columns.ts'
import type { World } from '../../../world/world.ts'
import type { Ask, Plan } from '../plan.ts'

/** Providers in a row. It is emptied and filled again for every tree, so it keeps its room. */
class Row {
  #slots = new Int32Array(8)
  length = 0

  at(nth: number): ProviderSlot {
    return this.#slots[nth] as ProviderSlot
  }

  add(provider: number): void {
    if (this.length === this.#slots.length) this.#slots = grownInt32(this.#slots, 2 * this.length)
    this.#slots[this.length++] = provider
  }

  has(provider: number): boolean {
    for (let nth = 0; nth < this.length; nth++) if (this.#slots[nth] === provider) return true
    return false
  }

  /** A column has this value for one of them. */
  some(column: Int32Array, value: number): boolean {
    for (let nth = 0; nth < this.length; nth++) if (column[this.#slots[nth] as number] === value) return true
    return false
  }

  /** What is in it, until it is filled again. */
  get slots(): Int32Array {
    return this.#slots.subarray(0, this.length)
  }
}

/** The providers that could serve one ask alone, as far as they were looked for. */
export class Domain extends Row {
  /** How many of those that it may be were looked at. */
  looked = 0
  /** There are no others. */
  isWhole = false

  begin(): void {
    this.length = 0
    this.looked = 0
    this.isWhole = false
  }
}

/** What was found first in a tree: nothing; all there is; or something that others may come after. */
export type FirstFound = 'none' | 'only' | 'first'

/**
 * For each ask, the providers that could serve it alone, for one tree: its own in order of slot, then those that lend to it. Most
 * trees serve with the first that are found, so more are looked for when somebody asks for them.
 */
export class Domains {
  readonly #world: World
  readonly #asks: readonly Ask[]
  /** By ask, for members of trees and for those that lend to them. */
  readonly #own: readonly WordTest[]
  readonly #lent: readonly WordTest[]
  /** By ask, whether anybody could lend to it. */
  readonly #isLent: readonly boolean[]
  readonly #sharingProviders: Lenders | null
  /** Of the tree at hand. */
  #anchor: ProviderSlot = NO_PROVIDER
  readonly #members: Members
  #lending: Row | null = null

  constructor(world: World, plan: Plan) {
    this.#world = world
    this.#asks = plan.asks
    this.#members = new Members(world)
    this.#own = plan.asks.map(ask => new WordTest(ask.filter))
    this.#lent = plan.asks.map(ask => new WordTest(ask.filter))
    this.#isLent = plan.sharingProviders.map(sharingProviders => sharingProviders.length > 0)
    this.#sharingProviders = this.#isLent.includes(true) ? new Lenders(world, plan.sharing) : null
  }

  /** The first of each ask, into lists that are there already. False when some ask has nobody. */
  begin(domains: readonly Domain[], anchor: ProviderSlot): boolean {
    this.#take(anchor)
    for (let ask = 0; ask < domains.length; ask++) {
      const domain = domains[ask] as Domain
      domain.begin()
      if (!this.more(domain, ask)) return false
    }
    return true
  }

  /** One more for an ask, in the tree that was begun last. False when there is none. */
  more(domain: Domain, nth: number): boolean {
    if (domain.isWhole) return false
    const place = this.#next(nth, domain.looked)
    domain.isWhole = place < 0 || this.#isLast(nth, place)
    if (place < 0) return false
    domain.looked = place + 1
    domain.add(this.#at(place))
    return true
  }

  /** One for each ask, of a tree that is not looked at any further: nothing can be begun or asked for more after it. */
  first(anchor: ProviderSlot, chosen: Int32Array): FirstFound {
    this.#take(anchor)
    let isOnly = true
    for (let ask = 0; ask < chosen.length; ask++) {
      const place = this.#next(ask, 0)
      if (place < 0) return 'none'
      if (isOnly && !this.#isLast(ask, place)) isOnly = false
      chosen[ask] = this.#at(place)
    }
    return isOnly ? 'only' : 'first'
  }

  /** All there are. */
  complete(domains: readonly Domain[]): void {
    domains.forEach((domain, ask) => {
      while (this.more(domain, ask));
    })
  }

  #take(anchor: ProviderSlot): void {
    this.#anchor = anchor
    this.#lending = null
    this.#members.take(anchor)
  }

  /** The place of the next that could serve an ask, from one place on: members of the tree first, then who lends to it. */
  #next(nth: number, from: number): number {
    const ask = this.#asks[nth] as Ask
    const members = this.#members
    const own = this.#own[nth] as WordTest
    let place = from
    for (; place < members.length; place++) {
      place = members.next(own, place)
      if (place < members.length && this.#serves(ask, members.at(place), false)) return place
    }
    return this.#isLent[nth] === true ? this.#nextLender(nth, Math.max(from, members.length)) : -1
  }

  #nextLender(nth: number, from: number): number {
    const ask = this.#asks[nth] as Ask
    const test = this.#lent[nth] as WordTest
    this.#lending ??= (this.#sharingProviders as Lenders).to(this.#members, this.#anchor)
    const own = this.#members.length
    for (let place = from; place < own + this.#lending.length; place++) {
      const lender = this.#lending.at(place - own)
      if (test.has(lender) && this.#serves(ask, lender, true)) return place
    }
    return -1
  }

  #at(place: number): ProviderSlot {
    const own = this.#members.length
    return place < own ? this.#members.at(place) : (this.#lending as Row).at(place - own)
  }

  /** Nobody comes after this one: as far as that is known without looking for more. */
  #isLast(nth: number, place: number): boolean {
    const own = this.#members.length
    if (place + 1 < own) return false
    if (this.#isLent[nth] === false) return true
    return this.#lending !== null && place + 1 === own + this.#lending.length
  }

  #serves(ask: Ask, provider: ProviderSlot, lent: boolean): boolean {
    if (!hasRoom(ask, provider)) return false
    const isPlain = ask.treeRoot === null && ask.selfOrRootIn === null && ask.selfOrRootNotIn === null
    return isPlain || this.#isAllowed(ask, provider, this.#anchor, lent)
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

const NOBODY = new Row()

function hasRoom({ columns, amounts }: Ask, provider: ProviderSlot): boolean {
  for (let at = 0; at < columns.length; at++)
    if (!columns[at]?.fits(provider, amounts[at] as number)) return false
  return true
}

/** Sets for one provider after the other: neighbours stand in one word of them, which is made once. */
class WordTest {
  readonly #sets: { word(at: number): number }
  #wordAt = -1
  #word = 0

  constructor(sets: { word(at: number): number }) {
    this.#sets = sets
  }

  has(provider: number): boolean {
    return ((this.#wordOf(provider >>> 5) >>> (provider & 31)) & 1) === 1
  }

  /** The first that is in, from one slot up to another; the other if there is none. */
  next(from: number, end: number): number {
    let at = from >>> 5
    let word = this.#wordOf(at) & (-1 << (from & 31))
    while (word === 0) {
      at++
      if (at << 5 >= end) return end
      word = this.#wordOf(at)
    }
    const slot = (at << 5) + (31 - Math.clz32(word & -word))
    return slot < end ? slot : end
  }

  #wordOf(at: number): number {
    if (at !== this.#wordAt) {
      this.#wordAt = at
      this.#word = this.#sets.word(at)
    }
    return this.#word
  }
}

/** The providers of one tree, in order of slot. Mostly they stand in a row, as they came; others are listed. */
class Members {
  readonly #world: World
  #anchor = 0
  #isInRow = true
  readonly #listed = new Row()
  length = 0

  constructor(world: World) {
    this.#world = world
  }

  take(anchor: ProviderSlot): void {
    const { root, treeSize } = this.#world.providers
    this.#anchor = anchor
    this.length = treeSize[anchor] as number
    let at = anchor + 1
    while (at < anchor + this.length && root[at] === anchor) at++
    this.#isInRow = at === anchor + this.length
    if (!this.#isInRow) this.#list(anchor)
  }

  at(nth: number): ProviderSlot {
    return this.#isInRow ? ((this.#anchor + nth) as ProviderSlot) : this.#listed.at(nth)
  }

  /** The place of the first that is in the sets, from one place on; the length if there is none. */
  next(test: WordTest, from: number): number {
    if (this.#isInRow) return test.next(this.#anchor + from, this.#anchor + this.length) - this.#anchor
    let nth = from
    while (nth < this.length && !test.has(this.#listed.at(nth))) nth++
    return nth
  }

  #list(anchor: ProviderSlot): void {
    const { firstChild, nextSibling } = this.#world.providers
    const listed = this.#listed
    listed.length = 0
    listed.add(anchor)
    for (let at = 0; at < listed.length; at++) {
      let child = firstChild[listed.at(at)] as number
      for (; child !== NO_PROVIDER; child = nextSibling[child] as number) listed.add(child)
    }
    listed.slots.sort()
  }
}

/** Who shares with whom. */
class Lenders {
  readonly #world: World
  /** By the number of the aggregate. */
  readonly #byAggregate: (Row | undefined)[] = []
  /** Everybody in an aggregate that somebody shares with. */
  readonly #borrowers: WordTest
  /** To the tree at hand, where they are those of several aggregates. */
  readonly #lending = new Row()

  constructor(world: World, sharing: readonly ProviderSlot[]) {
    this.#world = world
    for (const provider of sharing)
      for (const aggregate of world.providerAggregates.of(provider)) {
        const sharingProviders = this.#byAggregate[aggregate] ?? new Row()
        this.#byAggregate[aggregate] = sharingProviders
        sharingProviders.add(provider)
      }
    const groups = this.#byAggregate.flatMap(
      (_, id) => world.providerAggregates.members(id as AggregateId) ?? [],
    )
    this.#borrowers = new WordTest(Bitset.union(groups))
  }

  /** Each once, and none of the tree's own. Mostly they are those of one aggregate. */
  to(members: Members, anchor: ProviderSlot): Row {
    const { root } = this.#world.providers
    let found: Row | null = null
    for (let at = this.#next(members, 0); at < members.length; at = this.#next(members, at + 1)) {
      const aggregates = this.#world.providerAggregates.of(members.at(at))
      for (let nth = 0; nth < aggregates.length; nth++) {
        const sharingProviders = this.#byAggregate[aggregates[nth] as number]
        if (sharingProviders === undefined || sharingProviders === found) continue
        if (found !== null || sharingProviders.some(root, anchor)) return this.#joined(members, anchor)
        found = sharingProviders
      }
    }
    return found ?? NOBODY
  }

  #next(members: Members, from: number): number {
    return members.next(this.#borrowers, from)
  }

  #joined(members: Members, anchor: ProviderSlot): Row {
    const { root } = this.#world.providers
    const lending = this.#lending
    lending.length = 0
    for (let at = this.#next(members, 0); at < members.length; at = this.#next(members, at + 1))
      for (const aggregate of this.#world.providerAggregates.of(members.at(at)))
        for (const lender of this.#byAggregate[aggregate]?.slots ?? [])
          if (root[lender] !== anchor && !lending.has(lender)) lending.add(lender)
    return lending
  }
}
