import type { ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import { type ExpandedCandidate, expandCandidate } from './candidates.ts'
import { makePlan, type Plan } from './plan.ts'
import type { CandidateBehaviour, CandidateRefusal, CandidateRequest } from './request.ts'
import { AnchorSearch, Budget, SearchContext } from './search/root-search.ts'
import { RootSource } from './search/root-source.ts'
import { FlatSearch } from './shortcuts/flat-search.ts'

/** How much looking may be done, for one tree and for all of them together. */
export interface TreeLimits {
  readonly stepsPerTreeMax: number
  readonly stepsMax: number
}

/**
 * Which trees serve a request, and with what. A tree serves only with something of its own: what others share with it does
 * not make it a place. It holds for the world as it was made on, until that changes.
 */
export class TreeSearch {
  readonly #world: World
  readonly #plan: Plan
  readonly #budget: Budget
  #stepsLeft: number
  #bench: SearchContext | null = null
  #search: AnchorSearch | null = null
  /** Some tree was given up before it was searched to its end. */
  searchExhausted = false

  private constructor(world: World, plan: Plan, limits: TreeLimits) {
    this.#world = world
    this.#plan = plan
    this.#budget = new Budget(limits.stepsPerTreeMax)
    this.#stepsLeft = limits.stepsMax
  }

  /** Null where some part of the request allows nothing at all. */
  static of(
    world: World,
    request: CandidateRequest,
    behaviour: CandidateBehaviour,
    limits: TreeLimits,
  ): TreeSearch | { readonly refused: CandidateRefusal } | null {
    const planned = makePlan(world, request, behaviour, () => true)
    if (planned.kind === 'refused') return { refused: planned.refusal }
    return planned.kind === 'nothing' ? null : new TreeSearch(world, planned.plan, limits)
  }

  /** The roots of the trees that serve, each once, found as they are asked for. */
  *roots(): Generator<ProviderSlot> {
    const lone = FlatSearch.of(this.#world, this.#plan)
    if (lone !== null) {
      for (let slot = lone.next(); slot >= 0; slot = lone.next()) yield slot as ProviderSlot
      return
    }
    const anchors = new RootSource(this.#world, this.#plan, null)
    for (let root = anchors.next(); root !== null; root = anchors.next())
      if (this.#first(root) !== null) yield root
  }

  /** The first way in which one tree serves; null if it does not. */
  candidateIn(root: ProviderSlot): ExpandedCandidate | null {
    if (this.#plan.rootFilter?.has(root) === false) return null
    const chosen = this.#first(root)
    return chosen === null ? null : expandCandidate(this.#plan, [...chosen] as ProviderSlot[])
  }

  #first(root: ProviderSlot): Int32Array | null {
    this.#bench ??= new SearchContext(this.#world, this.#plan, this.#budget, null)
    this.#budget.refill()
    this.#search ??= new AnchorSearch(this.#bench)
    const search = this.#stepsLeft > 0 && this.#search.begin(root) ? this.#search : null
    let found: Int32Array | null = null
    while (found === null && search?.next() === true)
      if (this.#isOwn(search.chosen, root)) found = search.chosen
    this.#stepsLeft -= Math.max(this.#budget.steps, this.#budget.work)
    if (found === null && (this.#budget.spent || this.#stepsLeft <= 0)) this.searchExhausted = true
    return found
  }

  #isOwn(chosen: Int32Array, root: ProviderSlot): boolean {
    const { providers } = this.#world
    return chosen.some(provider => providers.rootOf(provider as ProviderSlot) === root)
  }
}
