import { assert } from '../../../kernel/assert.ts'
import type { ProviderSlot } from '../../../kernel/ids.ts'
import type { Random } from '../../../kernel/random.ts'
import type { World } from '../../../world/world.ts'
import type { Plan } from '../plan.ts'
import type { SearchBounds } from '../request.ts'
import { Completion } from './completion.ts'
import { Domain, Domains, type FirstFound } from './domains.ts'
import { Board, Coupling } from './partial-candidate.ts'

/**
 * How much looking a request may do. Steps are partial combinations, and what they lead to is worth them; work is what
 * they cost beyond that, and what leads nowhere. With many groups one step can cost as much as a hundred.
 */
export class Budget {
  readonly #stepsMax: number
  readonly #bounds: SearchBounds
  #providers = 0
  steps = 0
  /** A unit takes about as long as one step of a request with few groups. */
  work = 0
  /** More was wanted than there was. */
  spent = false

  constructor(stepsMax: number, bounds: SearchBounds = UNBOUNDED) {
    this.#stepsMax = stepsMax
    this.#bounds = bounds
  }

  /** As at the beginning, for the next of several searches. */
  refill(): void {
    this.steps = 0
    this.work = 0
    this.spent = false
  }

  /** False when there is not so much left to spend. */
  step(count = 1): boolean {
    this.steps += count
    this.work += count
    if (this.steps > this.#stepsMax) {
      this.steps = this.#stepsMax
      this.spent = true
    } else if (this.work > this.#bounds.workMax) this.spent = true
    return !this.spent
  }

  spend(units: number): void {
    this.work += units
  }

  /** A candidate of so many providers was found: the work for it was not in vain. */
  earn(providers: number): void {
    this.#providers += providers
    if (this.#providers > this.#bounds.providersMax) this.spent = true
    this.work = Math.max(0, this.work - WORK_PER_PROVIDER * providers)
  }
}

const WORK_PER_PROVIDER = 4
const UNBOUNDED: SearchBounds = {
  workMax: Number.POSITIVE_INFINITY,
  providersMax: Number.POSITIVE_INFINITY,
}

/** A placement looks at all that came before it; to look at 2 ** 6 of them takes as long as a step. */
const PLACED_PER_UNIT_BITS = 6

/** After so many placements that led nowhere, a search looks ahead before each further one. */
const PATIENCE = 128

/** What the searches of one request share. */
export class SearchContext {
  readonly world: World
  readonly plan: Plan
  readonly budget: Budget
  readonly random: Random | null
  readonly domains: Domains
  readonly rivalry: Coupling
  /** Shrinks with every tree that turned out to serve nothing, so that a cloud of such trees is not tried in vain. */
  patience = PATIENCE

  constructor(world: World, plan: Plan, budget: Budget, random: Random | null) {
    this.world = world
    this.plan = plan
    this.budget = budget
    this.random = random
    this.domains = new Domains(world, plan)
    this.rivalry = new Coupling(plan)
  }
}

/**
 * All candidates for one tree, one at a time. Most trees are small and serve at once, so it tries first; once that leads
 * nowhere, a partial combination is only taken further if it can be completed, and the work is in proportion to what is
 * found.
 */
export class AnchorSearch {
  readonly #bench: SearchContext
  /** For each ask, the providers that could serve it alone. */
  readonly domains: readonly Domain[]
  readonly #board: Board
  #completion: Completion | null = null
  readonly #cursor: Int32Array
  #depth = -1
  /** Placements since the last candidate. */
  #tries = 0
  #hasFound = false

  constructor(bench: SearchContext) {
    this.#bench = bench
    this.domains = bench.plan.asks.map(() => new Domain())
    this.#board = new Board(bench.world, bench.plan, bench.rivalry)
    this.#cursor = new Int32Array(this.domains.length)
  }

  /** From the beginning, in this tree; whatever was searched before is forgotten. False when some ask finds nobody here. */
  begin(anchor: ProviderSlot): boolean {
    const { domains, random } = this.#bench
    if (!domains.begin(this.domains, anchor)) return false
    if (random !== null) {
      this.complete()
      for (const domain of this.domains) random.shuffle(domain.slots)
    }
    for (let at = 0; at < this.#cursor.length; at++) this.#cursor[at] = -1
    this.#board.take(0)
    this.#completion = null
    this.#depth = -1
    this.#hasFound = false
    return true
  }

  /** The same once more, past the first candidate, which cost its steps already. */
  beginAgain(anchor: ProviderSlot): void {
    const { budget } = this.#bench
    const { steps, spent, work } = budget
    budget.refill()
    const isThere = this.begin(anchor) && this.next()
    this.complete()
    assert(isThere, () => `the tree of provider ${anchor} served a moment ago`)
    budget.steps = steps
    budget.spent = spent
    budget.work = work
  }

  /** Also those that were not needed yet: so that they can be counted, or the search can go on after another tree was begun. */
  complete(): void {
    this.#bench.domains.complete(this.domains)
  }

  /**
   * The first candidate of a tree, and whether there may be others: `beginAgain` would go on with them. Asks that do not limit one
   * another take the first provider each.
   */
  first(anchor: ProviderSlot): FirstFound {
    const { domains, budget, rivalry, random } = this.#bench
    if (rivalry.coupled || random !== null) {
      if (!this.begin(anchor) || !this.next()) return 'none'
      return this.domains.every(({ isWhole, length }) => isWhole && length === 1) ? 'only' : 'first'
    }
    const found = domains.first(anchor, this.#board.chosen)
    return found === 'none' || budget.step(this.domains.length) ? found : 'none'
  }

  /** One provider for each ask, after `next` said yes. */
  get chosen(): Int32Array {
    return this.#board.chosen
  }

  next(): boolean {
    const { budget } = this.#bench
    const last = this.domains.length - 1
    let at = this.#depth
    if (at < 0) at = 0
    else this.#board.take(at)
    this.#tries = 0
    for (;;) {
      const domain = this.domains[at] as Domain
      const nth = (this.#cursor[at] as number) + 1
      this.#cursor[at] = nth
      if (nth >= domain.length && !this.#bench.domains.more(domain, at)) {
        this.#cursor[at] = -1
        if (--at < 0) break
        this.#board.take(at)
        continue
      }
      if (!budget.step()) break
      budget.spend(at >> PLACED_PER_UNIT_BITS)
      this.#tries++
      if (!this.#board.place(at, domain.at(nth))) continue
      if (!this.#mayLead(at + 1)) {
        this.#board.take(at)
        continue
      }
      if (at === last) {
        this.#found(at)
        return true
      }
      at++
    }
    this.#depth = -1
    if (!this.#hasFound) this.#bench.patience >>= 1
    return false
  }

  #found(at: number): void {
    this.#depth = at
    this.#bench.budget.earn(at + 1)
    if (this.#hasFound) return
    this.#hasFound = true
    this.#bench.patience = PATIENCE
  }

  /** Could this become a candidate, with a provider for each ask from here on? */
  #mayLead(from: number): boolean {
    if (!this.#bench.rivalry.coupled) return true
    if (from === this.domains.length) return this.#board.complete
    if (this.#completion === null) {
      if (this.#tries <= this.#bench.patience) return true
      this.complete()
      this.#completion = new Completion(this.#bench, this.domains, this.#board)
    }
    return this.#completion.possible(from)
  }
}
