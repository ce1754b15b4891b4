import { NO_PROVIDER, type ProviderSlot } from '../../../kernel/ids.ts'
import type { World } from '../../../world/world.ts'
import type { Ask, Plan } from '../plan.ts'
import { SharingIndex } from '../shortcuts/sharing-index.ts'
import { TreeMembers } from '../shortcuts/tree-members.ts'
import { SlotList } from './slot-list.ts'

/** The providers found so far that could serve one ask alone. */
export class Domain extends SlotList {
  /** How many places were checked. */
  looked = 0
  /** True if all were found. */
  isWhole = false

  begin(): void {
    this.length = 0
    this.looked = 0
    this.isWhole = false
  }
}

/** What was found in a tree: no candidate, the only one, or the first of possibly several. */
export type FirstFound = 'none' | 'only' | 'first'

/**
 * For each ask, the providers of one tree that could serve it alone: members of the tree in order of slot,
 * then sharing providers. A provider's index in that order is its place. Mostly the first providers found
 * serve, so more are searched only on demand.
 */
export class Domains {
  readonly #world: World
  readonly #asks: readonly Ask[]
  /** By ask, whether a sharing provider could serve it. */
  readonly #isShared: readonly boolean[]
  readonly #sharingIndex: SharingIndex | null
  /** The current tree. */
  #root: ProviderSlot = NO_PROVIDER
  readonly #members: TreeMembers
  /** The sharing providers of the current tree; null until they are needed. */
  #sharing: SlotList | null = null

  constructor(world: World, plan: Plan) {
    this.#world = world
    this.#asks = plan.asks
    this.#members = new TreeMembers(world)
    this.#isShared = plan.sharingProviders.map(providers => providers.length > 0)
    this.#sharingIndex = this.#isShared.includes(true) ? new SharingIndex(world, plan.sharing) : null
  }

  /** Finds the first provider for each ask, into domains that are reused. False if some ask has none. */
  begin(domains: readonly Domain[], root: ProviderSlot): boolean {
    this.#load(root)
    for (let ask = 0; ask < domains.length; ask++) {
      const domain = domains[ask] as Domain
      domain.begin()
      if (!this.more(domain, ask)) return false
    }
    return true
  }

  /** Finds one more provider for an ask, in the tree of the last `begin`. False if there is none. */
  more(domain: Domain, nth: number): boolean {
    if (domain.isWhole) return false
    const place = this.#next(nth, domain.looked)
    domain.isWhole = place < 0 || this.#isLast(nth, place)
    if (place < 0) return false
    domain.looked = place + 1
    domain.add(this.#at(place))
    return true
  }

  /** Finds one provider for each ask without domains, so `more` cannot continue from it. */
  findFirst(root: ProviderSlot, chosen: Int32Array): FirstFound {
    this.#load(root)
    let isOnly = true
    for (let ask = 0; ask < chosen.length; ask++) {
      const place = this.#next(ask, 0)
      if (place < 0) return 'none'
      if (isOnly && !this.#isLast(ask, place)) isOnly = false
      chosen[ask] = this.#at(place)
    }
    return isOnly ? 'only' : 'first'
  }

  /** Finds all providers. */
  complete(domains: readonly Domain[]): void {
    domains.forEach((domain, ask) => {
      while (this.more(domain, ask));
    })
  }

  #load(root: ProviderSlot): void {
    this.#root = root
    this.#sharing = null
    this.#members.load(root)
  }

  /** The place of the next provider that could serve an ask, starting at a place; -1 if there is none. */
  #next(nth: number, from: number): number {
    const ask = this.#asks[nth] as Ask
    const members = this.#members
    let place = from
    for (; place < members.length; place++) {
      place = members.next(ask.filter, place)
      if (place < members.length && this.#serves(ask, members.at(place), false)) return place
    }
    return this.#isShared[nth] === true ? this.#nextSharing(nth, Math.max(from, members.length)) : -1
  }

  #nextSharing(nth: number, from: number): number {
    const ask = this.#asks[nth] as Ask
    this.#sharing ??= (this.#sharingIndex as SharingIndex).find(this.#members, this.#root)
    const own = this.#members.length
    for (let place = from; place < own + this.#sharing.length; place++) {
      const provider = this.#sharing.at(place - own)
      if (ask.filter.has(provider) && this.#serves(ask, provider, true)) return place
    }
    return -1
  }

  #at(place: number): ProviderSlot {
    const own = this.#members.length
    return place < own ? this.#members.at(place) : (this.#sharing as SlotList).at(place - own)
  }

  /** True if it is known, without searching further, that no provider follows this place. */
  #isLast(nth: number, place: number): boolean {
    const own = this.#members.length
    if (place + 1 < own) return false
    if (this.#isShared[nth] === false) return true
    return this.#sharing !== null && place + 1 === own + this.#sharing.length
  }

  #serves(ask: Ask, provider: ProviderSlot, isSharing: boolean): boolean {
    if (!hasRoom(ask, provider)) return false
    const isPlain = ask.treeRoot === null && ask.selfOrRootIn === null && ask.selfOrRootNotIn === null
    return isPlain || this.#isAllowed(ask, provider, isSharing)
  }

  /** The conditions that depend on the tree. */
  #isAllowed(ask: Ask, provider: ProviderSlot, isSharing: boolean): boolean {
    if (ask.treeRoot !== null) {
      // Bound to a tree, the unsuffixed group uses no sharing providers.
      if (isSharing && !ask.suffixed) return false
      if (this.#world.providers.rootOf(provider) !== ask.treeRoot) return false
    }
    // An aggregate of the root counts for its whole tree, but not for sharing providers.
    if (ask.selfOrRootIn !== null && !ask.selfOrRootIn.has(provider))
      if (isSharing || !ask.selfOrRootIn.has(this.#root)) return false
    if (ask.selfOrRootNotIn !== null)
      if (ask.selfOrRootNotIn.has(provider) || ask.selfOrRootNotIn.has(this.#root)) return false
    return true
  }
}

function hasRoom({ columns, amounts }: Ask, provider: ProviderSlot): boolean {
  for (let at = 0; at < columns.length; at++)
    if (!columns[at]?.fits(provider, amounts[at] as number)) return false
  return true
}
