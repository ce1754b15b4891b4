import { type AggregateId, NO_PROVIDER, type ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import type { Ask, Plan } from './plan.ts'

/** For each ask, the providers that could serve it alone, for one tree: its own and those that lend to it. */
export class Domains {
  readonly #world: World
  readonly #plan: Plan
  /** Sharing providers by aggregate. */
  readonly #lenders = new Map<AggregateId, ProviderSlot[]>()
  /** Of the tree at hand; used again for the next one. */
  readonly #members: ProviderSlot[] = []
  readonly #lending: ProviderSlot[] = []
  readonly #lendingOnce = new Set<ProviderSlot>()

  constructor(world: World, plan: Plan) {
    this.#world = world
    this.#plan = plan
    for (const provider of plan.sharing)
      for (const aggregate of world.providerAggregates.of(provider)) {
        const known = this.#lenders.get(aggregate)
        if (known === undefined) this.#lenders.set(aggregate, [provider])
        else known.push(provider)
      }
  }

  /** Into lists that are there already, one for each ask. False, and some of them filled, when one has nobody. */
  fill(domains: readonly ProviderSlot[][], anchor: ProviderSlot): boolean {
    const { asks } = this.#plan
    const members = this.#listMembers(anchor)
    const lenders = this.#listLenders(anchor)
    for (let nth = 0; nth < asks.length; nth++) {
      const ask = asks[nth] as Ask
      const domain = domains[nth] as ProviderSlot[]
      domain.length = 0
      for (let at = 0; at < members.length; at++) {
        const member = members[at] as ProviderSlot
        if (this.#serves(ask, member, anchor, false)) domain.push(member)
      }
      for (let at = 0; at < lenders.length; at++) {
        const lender = lenders[at] as ProviderSlot
        if (this.#serves(ask, lender, anchor, true)) domain.push(lender)
      }
      if (domain.length === 0) return false
    }
    return true
  }

  /** The tree, parents first. */
  #listMembers(anchor: ProviderSlot): readonly ProviderSlot[] {
    const { firstChild, nextSibling } = this.#world.providers
    const members = this.#members
    members.length = 0
    members.push(anchor)
    for (let at = 0; at < members.length; at++) {
      let child = firstChild[members[at] as number] as number
      for (; child !== NO_PROVIDER; child = nextSibling[child] as number) members.push(child as ProviderSlot)
    }
    return members
  }

  #listLenders(anchor: ProviderSlot): readonly ProviderSlot[] {
    const lending = this.#lending
    lending.length = 0
    if (this.#lenders.size === 0) return lending
    const { providers, providerAggregates } = this.#world
    for (const member of this.#members)
      for (const aggregate of providerAggregates.of(member)) {
        const lenders = this.#lenders.get(aggregate)
        if (lenders === undefined) continue
        for (const lender of lenders) if (providers.rootOf(lender) !== anchor) lending.push(lender)
      }
    if (lending.length > 1) this.#leaveEachOnce(lending)
    return lending
  }

  #leaveEachOnce(lending: ProviderSlot[]): void {
    const once = this.#lendingOnce
    once.clear()
    let kept = 0
    for (const lender of lending) {
      if (once.has(lender)) continue
      once.add(lender)
      lending[kept++] = lender
    }
    lending.length = kept
  }

  #serves(ask: Ask, provider: ProviderSlot, anchor: ProviderSlot, lent: boolean): boolean {
    if (!ask.filter.has(provider)) return false
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
    for (let at = 0; at < ask.columns.length; at++)
      if (!ask.columns[at]?.fits(provider, ask.amounts[at] as number)) return false
    return true
  }
}
