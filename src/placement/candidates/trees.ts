import type { ClassId, ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import { type ExpandedCandidate, expandCandidate } from './candidates.ts'
import { makePlan, type Plan } from './plan.ts'
import type { CandidateBehaviour, CandidateRefusal, CandidateRequest } from './request.ts'
import { Budget } from './search/budget.ts'
import { RootSearch, SearchContext } from './search/root-search.ts'
import { RootSource } from './search/root-source.ts'
import { FlatSearch } from './shortcuts/flat-search.ts'

/** How many steps a search may take, in one tree and in all together. */
export interface TreeLimits {
  readonly stepsPerTreeMax: number
  readonly stepsMax: number
}

export interface TreeRoots {
  next(): ProviderSlot | null
  /** Whether the tree of the root that came last serves it. */
  serves(root: ProviderSlot): boolean
}

/**
 * Which trees can serve a request, and how. A tree must use one of its own providers; sharing providers alone
 * do not count. Valid until the world changes.
 */
export class TreeSearch {
  readonly #world: World
  readonly #plan: Plan
  readonly #limits: TreeLimits
  readonly #budget: Budget
  #stepsLeft: number
  #context: SearchContext | null = null
  #search: RootSearch | null = null
  #flat: FlatSearch | null | undefined
  /** The search of some tree stopped early. */
  searchExhausted = false

  private constructor(world: World, plan: Plan, limits: TreeLimits) {
    this.#world = world
    this.#plan = plan
    this.#limits = limits
    this.#budget = new Budget(limits.stepsPerTreeMax)
    this.#stepsLeft = limits.stepsMax
  }

  /** Null if no provider can meet some part of the request. */
  static of(
    world: World,
    request: CandidateRequest,
    behaviour: CandidateBehaviour,
    limits: TreeLimits,
  ): TreeSearch | { readonly refused: CandidateRefusal } | null {
    const planned = makePlan(world, request, behaviour)
    if (planned.kind === 'refused') return { refused: planned.refusal }
    return planned.kind === 'nothing' ? null : new TreeSearch(world, planned.plan, limits)
  }

  /**
   * A new search for the same, of a world in which since then only usages, generations and hosts changed: see
   * `World.cloudChanges`. Not for one that is hopeless.
   */
  again(): TreeSearch {
    return new TreeSearch(this.#world, this.#plan, this.#limits)
  }

  /** The roots of the trees that can serve the request, each once, found on demand. */
  *roots(): Generator<ProviderSlot> {
    const source = this.findRoots()
    for (let root = source.next(); root !== null; root = source.next()) if (source.serves(root)) yield root
  }

  /** The roots of trees that may serve the request, each once, found on demand. */
  findRoots(): TreeRoots {
    const flat = FlatSearch.of(this.#world, this.#plan)
    if (flat === null) {
      const roots = new RootSource(this.#world, this.#plan, null)
      return { next: () => roots.next(), serves: root => this.#findFirst(root) !== null }
    }
    return {
      next() {
        const slot = flat.nextPossible()
        return slot < 0 ? null : (slot as ProviderSlot)
      },
      serves: root => flat.serves(root),
    }
  }

  /** What the last search of a tree took. */
  get stepsOfLast(): number {
    return Math.max(this.#budget.steps, this.#budget.work)
  }

  /**
   * How often one tree can serve the request until it is full; null if that takes a search, because of nested
   * or sharing providers.
   */
  countIn(root: ProviderSlot): number | null {
    if (this.#flat === undefined) this.#flat = FlatSearch.of(this.#world, this.#plan)
    return this.#flat?.countOn(root) ?? null
  }

  /** Whether one tree has a candidate. */
  canServe(root: ProviderSlot): boolean {
    const count = this.countIn(root)
    if (count !== null) return count > 0
    return this.#plan.rootFilter?.has(root) !== false && this.#findFirst(root) !== null
  }

  /** The first candidate of one tree; null if there is none. */
  candidateIn(root: ProviderSlot): ExpandedCandidate | null {
    if (this.#plan.rootFilter?.has(root) === false) return null
    const chosen = this.#findFirst(root)
    return chosen === null ? null : expandCandidate(this.#plan, [...chosen] as ProviderSlot[])
  }

  /** No provider had room for some part when this was made: another search may find some. */
  get isHopeless(): boolean {
    return this.#plan.asks.some(({ filter }) => filter.impossible)
  }

  /** Whether providers of other trees may serve a part of the request. */
  get isShared(): boolean {
    return this.#plan.sharing.length > 0
  }

  /** What the search found in one tree, in its order: at most `max`, each as one provider for each ask. */
  choicesIn(root: ProviderSlot, max: number): TreeChoice[] {
    if (this.#plan.rootFilter?.has(root) === false) return []
    const found: TreeChoice[] = []
    for (let one = this.#findFirst(root); one !== null && found.length < max; one = this.#findNext(root))
      found.push(new TreeChoice(this.#plan, [...one] as ProviderSlot[]))
    return found
  }

  #findNext(root: ProviderSlot): Int32Array | null {
    const search = this.#search as RootSearch
    while (search.next()) if (this.#isOwn(search.chosen, root)) return search.chosen
    return null
  }

  #findFirst(root: ProviderSlot): Int32Array | null {
    this.#context ??= new SearchContext(this.#world, this.#plan, this.#budget, null)
    this.#budget.refill()
    this.#search ??= new RootSearch(this.#context)
    const search = this.#stepsLeft > 0 && this.#search.begin(root) ? this.#search : null
    let found: Int32Array | null = null
    while (found === null && search?.next() === true)
      if (this.#isOwn(search.chosen, root)) found = search.chosen
    this.#stepsLeft -= this.stepsOfLast
    if (found === null && (this.#budget.spent || this.#stepsLeft <= 0)) this.searchExhausted = true
    return found
  }

  #isOwn(chosen: Int32Array, root: ProviderSlot): boolean {
    const { providers } = this.#world
    return chosen.some(provider => providers.rootOf(provider as ProviderSlot) === root)
  }
}

/** One candidate, not expanded yet. */
export class TreeChoice {
  readonly #plan: Plan
  readonly #chosen: readonly ProviderSlot[]

  constructor(plan: Plan, chosen: readonly ProviderSlot[]) {
    this.#plan = plan
    this.#chosen = chosen
  }

  /** What it takes, ask by ask. */
  forEachTake(take: (provider: ProviderSlot, id: ClassId, amount: number) => void): void {
    const { asks } = this.#plan
    for (let at = 0; at < asks.length; at++) {
      const { classes, amounts } = asks[at] as Plan['asks'][number]
      for (let nth = 0; nth < classes.length; nth++)
        take(this.#chosen[at] as ProviderSlot, classes[nth] as ClassId, amounts[nth] as number)
    }
  }

  expand(): ExpandedCandidate {
    return expandCandidate(this.#plan, this.#chosen)
  }
}
