import type { ProviderSlot } from '../../../kernel/ids.ts'
import type { Ask } from '../plan.ts'
import type { Domain } from './domains.ts'
import type { PartialCandidate } from './partial-candidate.ts'
import type { SearchContext } from './root-search.ts'

/** Checking 2 ** 5 asks costs as much as one step. */
const LOOKS_PER_UNIT_BITS = 5

/**
 * Whether a partial candidate can be completed. Caches answers by how providers are used, not by which they
 * are: equal devices are tried once, not in every order.
 */
export class Completion {
  readonly #context: SearchContext
  readonly #domains: readonly Domain[]
  readonly #partial: PartialCandidate
  readonly #kinds = new Map<ProviderSlot, number>()
  readonly #known = new Map<string, boolean>()

  constructor(context: SearchContext, domains: readonly Domain[], partial: PartialCandidate) {
    this.#context = context
    this.#domains = domains
    this.#partial = partial
  }

  isPossible(at: number): boolean {
    if (at === this.#domains.length) return this.#partial.complete
    if (this.#context.plan.isolate && !this.#enoughApart(at)) return false
    if (this.#kinds.size === 0) this.#sortKinds()
    const key = this.#key(at)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const possible = this.#tryAll(at)
    if (!this.#context.budget.spent) this.#known.set(key, possible)
    return possible
  }

  #tryAll(at: number): boolean {
    const tried = new Set<string>()
    for (const provider of (this.#domains[at] as Domain).slots as Iterable<ProviderSlot>) {
      const like = this.#describe(provider)
      this.#context.budget.spend(this.#context.coupling.standingCost(at) >> LOOKS_PER_UNIT_BITS)
      if (tried.has(like)) continue
      tried.add(like)
      if (!this.#context.budget.step()) return false
      if (!this.#partial.place(at, provider)) continue
      const possible = this.isPossible(at + 1)
      this.#partial.unwind(at)
      if (possible) return true
    }
    return false
  }

  #key(at: number): string {
    const standing: string[] = []
    for (const provider of this.#partial.listChosen()) standing.push(this.#describe(provider))
    this.#context.budget.spend(
      (standing.length * this.#context.coupling.standingCost(at)) >> LOOKS_PER_UNIT_BITS,
    )
    return `${at}|${this.#partial.progress()}|${standing.sort().join(';')}`
  }

  #describe(provider: ProviderSlot): string {
    return `${this.#kinds.get(provider)}:${this.#partial.describeUse(provider)}`
  }

  /** Providers are of the same kind if no rule of this request distinguishes them. */
  #sortKinds(): void {
    const kindOf = new Map<string, number>()
    const asksOf = new Map<ProviderSlot, string>()
    this.#domains.forEach((domain, at) => {
      for (const provider of domain.slots as Iterable<ProviderSlot>)
        asksOf.set(provider, `${asksOf.get(provider) ?? ''}${at},`)
    })
    for (const [provider, asks] of asksOf) {
      const looks = `${asks}${this.#looks(provider)}`
      let kind = kindOf.get(looks)
      if (kind === undefined) {
        kind = kindOf.size
        kindOf.set(looks, kind)
      }
      this.#kinds.set(provider, kind)
    }
  }

  #looks(provider: ProviderSlot): string {
    const { world, plan, coupling } = this.#context
    const { providers } = world
    let text = ''
    for (const columns of coupling.contested.values())
      text += columns.present.has(provider)
        ? `|${(columns.capacity[provider] as number) - (columns.used[provider] as number)},${columns.maxUnit[provider]}`
        : '|-'
    for (const set of plan.sharedTraits) text += set.has(provider) ? '1' : '0'
    if (plan.touchesRoot !== null || plan.oneProviderPerTree) text += `r${providers.rootOf(provider)}`
    if (plan.subtrees.length > 0)
      text +=
        (providers.firstChild[provider] as number) < 0 ? `p${providers.parent[provider]}` : `n${provider}`
    return text
  }

  /** Isolated groups need one provider each: checks that a matching exists. */
  #enoughApart(from: number): boolean {
    const { asks } = this.#context.plan
    const takenBy = new Map<ProviderSlot, number>()
    let looks = 0
    let isEnough = true
    for (let at = from; isEnough && at < asks.length; at++) {
      const visited = new Set<ProviderSlot>()
      isEnough = !(asks[at] as Ask).suffixed || this.#pair(at, takenBy, visited)
      looks += visited.size * at
    }
    this.#context.budget.spend(looks >> LOOKS_PER_UNIT_BITS)
    return isEnough
  }

  #pair(at: number, takenBy: Map<ProviderSlot, number>, visited: Set<ProviderSlot>): boolean {
    for (const provider of (this.#domains[at] as Domain).slots as Iterable<ProviderSlot>) {
      if (visited.has(provider) || this.#partial.isIsolated(provider)) continue
      visited.add(provider)
      const holder = takenBy.get(provider)
      if (holder === undefined || this.#pair(holder, takenBy, visited)) {
        takenBy.set(provider, at)
        return true
      }
    }
    return false
  }
}
