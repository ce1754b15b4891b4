import type { ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import { AnchorSource } from './anchors.ts'
import { type ExpandedCandidate, expandCandidate } from './candidates.ts'
import { LoneSearch } from './lone.ts'
import { makePlan, type Plan } from './plan.ts'
import type { CandidateBehaviour, CandidateRefusal, CandidateRequest } from './request.ts'
import { AnchorSearch, Budget, SearchBench } from './search.ts'

/** Which trees serve a request, and with what. It holds for the world as it was made on, until that changes. */
export class TreeSearch {
  readonly #world: World
  readonly #plan: Plan
  readonly #budget: Budget
  #bench: SearchBench | null = null
  /** Some tree was given up before it was searched to its end. */
  isExhausted = false

  private constructor(world: World, plan: Plan, stepsMax: number) {
    this.#world = world
    this.#plan = plan
    this.#budget = new Budget(stepsMax)
  }

  /** Null where some part of the request allows nothing at all. `stepsMax` is what each tree may take. */
  static of(
    world: World,
    request: CandidateRequest,
    behaviour: CandidateBehaviour,
    stepsMax: number,
  ): TreeSearch | { readonly refused: CandidateRefusal } | null {
    const planned = makePlan(world, request, behaviour, () => true)
    if (planned.kind === 'refused') return { refused: planned.refusal }
    return planned.kind === 'nothing' ? null : new TreeSearch(world, planned.plan, stepsMax)
  }

  /** The roots of the trees that serve, each once, found as they are asked for. */
  *roots(): Generator<ProviderSlot> {
    const lone = LoneSearch.of(this.#world, this.#plan)
    if (lone !== null) {
      for (let slot = lone.next(); slot >= 0; slot = lone.next()) yield slot as ProviderSlot
      return
    }
    const anchors = new AnchorSource(this.#world, this.#plan, null)
    for (let root = anchors.next(); root !== null; root = anchors.next())
      if (this.#first(root) !== null) yield root
  }

  /** The first way in which one tree serves; null if it does not. */
  candidateIn(root: ProviderSlot): ExpandedCandidate | null {
    if (this.#plan.rootFilter?.has(root) === false) return null
    const chosen = this.#first(root)
    return chosen === null ? null : expandCandidate(this.#plan, chosen)
  }

  #first(root: ProviderSlot): Int32Array | null {
    this.#bench ??= new SearchBench(this.#world, this.#plan, this.#budget, null)
    this.#budget.refill()
    const search = AnchorSearch.open(this.#bench, root)
    if (search?.next() === true) return search.chosen
    if (this.#budget.spent) this.isExhausted = true
    return null
  }
}
