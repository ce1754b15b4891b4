import { assert } from '../../../kernel/assert.ts'
import type { ProviderSlot } from '../../../kernel/ids.ts'
import type { Random } from '../../../kernel/random.ts'
import type { World } from '../../../world/world.ts'
import type { Plan } from '../plan.ts'
import type { Budget } from './budget.ts'
import { Completion } from './completion.ts'
import { Coupling } from './coupling.ts'
import { Domain, Domains, type FirstFound } from './domains.ts'
import { PartialCandidate } from './partial-candidate.ts'

/** A placement is checked against all earlier ones; 2 ** 6 such checks cost as much as one step. */
const PLACED_PER_UNIT_BITS = 6

/** After this many placements without a candidate, the search looks ahead before each further one. */
const PATIENCE = 128

/** State that all searches of one request share. */
export class SearchContext {
  readonly world: World
  readonly plan: Plan
  readonly budget: Budget
  readonly random: Random | null
  readonly domains: Domains
  readonly coupling: Coupling
  /** Halved after every tree without a candidate, so that less work is wasted on a cloud of such trees. */
  patience = PATIENCE

  constructor(world: World, plan: Plan, budget: Budget, random: Random | null) {
    this.world = world
    this.plan = plan
    this.budget = budget
    this.random = random
    this.domains = new Domains(world, plan)
    this.coupling = new Coupling(plan)
  }
}

/**
 * All candidates for one tree, one at a time. Most trees are small and have a candidate at once, so it tries
 * directly first. After `patience` tries without a candidate, it extends a partial candidate only if it can
 * be completed, so that the work stays in proportion to the result.
 */
export class RootSearch {
  readonly #context: SearchContext
  /** For each ask, the providers that could serve it alone. */
  readonly domains: readonly Domain[]
  readonly #partial: PartialCandidate
  #completion: Completion | null = null
  readonly #cursor: Int32Array
  #depth = -1
  /** Placements since the last candidate. */
  #tries = 0
  #hasFound = false

  constructor(context: SearchContext) {
    this.#context = context
    this.domains = context.plan.asks.map(() => new Domain())
    this.#partial = new PartialCandidate(context.world, context.plan, context.coupling)
    this.#cursor = new Int32Array(this.domains.length)
  }

  /** Starts the search of this tree. False if no provider here can serve some ask. */
  begin(root: ProviderSlot): boolean {
    const { domains, random } = this.#context
    if (!domains.begin(this.domains, root)) return false
    if (random !== null) {
      this.complete()
      for (const domain of this.domains) random.shuffle(domain.slots)
    }
    for (let at = 0; at < this.#cursor.length; at++) this.#cursor[at] = -1
    this.#partial.unwind(0)
    this.#completion = null
    this.#depth = -1
    this.#hasFound = false
    return true
  }

  /** Starts again after the first candidate, without counting its steps twice. */
  beginAgain(root: ProviderSlot): void {
    const { budget } = this.#context
    const { steps, spent, work } = budget
    budget.refill()
    const isThere = this.begin(root) && this.next()
    this.complete()
    assert(isThere, () => `the tree of provider ${root} served a moment ago`)
    budget.steps = steps
    budget.spent = spent
    budget.work = work
  }

  /**
   * Fills the domains, so that they can be counted, or so that the search can continue after another tree was
   * begun.
   */
  complete(): void {
    this.#context.domains.complete(this.domains)
  }

  /**
   * Finds the first candidate of a tree, and whether there may be others, which `beginAgain` finds. If asks
   * do not limit one another, the first provider of each ask is the first candidate. Without this shortcut,
   * nested flavors take 12 % longer.
   */
  findFirst(root: ProviderSlot): FirstFound {
    const { domains, budget, coupling, random } = this.#context
    if (coupling.coupled || random !== null) {
      if (!this.begin(root) || !this.next()) return 'none'
      return this.domains.every(({ isWhole, length }) => isWhole && length === 1) ? 'only' : 'first'
    }
    const found = domains.findFirst(root, this.#partial.chosen)
    return found === 'none' || budget.step(this.domains.length) ? found : 'none'
  }

  /** One provider for each ask, after `next` returned true. */
  get chosen(): Int32Array {
    return this.#partial.chosen
  }

  next(): boolean {
    const { budget } = this.#context
    const last = this.domains.length - 1
    let at = this.#depth
    if (at < 0) at = 0
    else this.#partial.unwind(at)
    this.#tries = 0
    for (;;) {
      const domain = this.domains[at] as Domain
      const nth = (this.#cursor[at] as number) + 1
      this.#cursor[at] = nth
      if (nth >= domain.length && !this.#context.domains.more(domain, at)) {
        this.#cursor[at] = -1
        if (--at < 0) break
        this.#partial.unwind(at)
        continue
      }
      if (!budget.step()) break
      budget.spend(at >> PLACED_PER_UNIT_BITS)
      this.#tries++
      if (!this.#partial.place(at, domain.at(nth))) continue
      if (!this.#mayLead(at + 1)) {
        this.#partial.unwind(at)
        continue
      }
      if (at === last) {
        this.#addFound(at)
        return true
      }
      at++
    }
    this.#depth = -1
    if (!this.#hasFound) this.#context.patience >>= 1
    return false
  }

  #addFound(at: number): void {
    this.#depth = at
    this.#context.budget.earn(at + 1)
    if (this.#hasFound) return
    this.#hasFound = true
    this.#context.patience = PATIENCE
  }

  /** Whether the choice so far may become a candidate, with a provider for each remaining ask. */
  #mayLead(from: number): boolean {
    if (!this.#context.coupling.coupled) return true
    if (from === this.domains.length) return this.#partial.complete
    if (this.#completion === null) {
      if (this.#tries <= this.#context.patience) return true
      this.complete()
      this.#completion = new Completion(this.#context, this.domains, this.#partial)
    }
    return this.#completion.isPossible(from)
  }
}
