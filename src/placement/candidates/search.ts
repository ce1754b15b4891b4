import type { ClassId, ProviderSlot } from '../../kernel/ids.ts'
import type { Random } from '../../kernel/random.ts'
import type { InventoryColumns } from '../../world/inventories.ts'
import type { World } from '../../world/world.ts'
import { Board } from './board.ts'
import { Completion } from './completion.ts'
import { Domains } from './domains.ts'
import type { Plan } from './plan.ts'

/** How much looking a request may do. */
export class Budget {
  readonly #stepsMax: number
  steps = 0
  /** More was wanted than there was. */
  spent = false

  constructor(stepsMax: number) {
    this.#stepsMax = stepsMax
  }

  /** As at the beginning, for the next of several searches. */
  refill(): void {
    this.steps = 0
    this.spent = false
  }

  /** False when there is nothing left to spend. */
  step(): boolean {
    if (this.steps >= this.#stepsMax) {
      this.spent = true
      return false
    }
    this.steps++
    return true
  }
}

/** What the searches of one request share. */
export class SearchBench {
  readonly world: World
  readonly plan: Plan
  readonly budget: Budget
  readonly random: Random | null
  readonly domains: Domains
  /** Classes that more than one ask wants. */
  readonly contested: ReadonlyMap<ClassId, InventoryColumns>
  /** Asks limit one another, so a partial combination may lead nowhere. */
  readonly coupled: boolean

  constructor(world: World, plan: Plan, budget: Budget, random: Random | null) {
    this.world = world
    this.plan = plan
    this.budget = budget
    this.random = random
    this.domains = new Domains(world, plan)
    this.contested = contestedClasses(plan)
    this.coupled =
      this.contested.size > 0 ||
      plan.sharedTraits.length > 0 ||
      plan.subtrees.length > 0 ||
      plan.touchesRoot !== null ||
      plan.oneProviderPerTree ||
      (plan.isolate && plan.asks.filter(ask => ask.suffixed).length > 1)
  }
}

function contestedClasses(plan: Plan): Map<ClassId, InventoryColumns> {
  const seen = new Set<ClassId>()
  const contested = new Map<ClassId, InventoryColumns>()
  for (const ask of plan.asks)
    ask.classes.forEach((id, nth) => {
      if (seen.has(id)) contested.set(id, ask.columns[nth] as InventoryColumns)
      seen.add(id)
    })
  return contested
}

/**
 * All candidates for one tree, one at a time. A partial combination is only taken further if it can be
 * completed, so the work is in proportion to what is found.
 */
export class AnchorSearch {
  readonly #budget: Budget
  readonly #domains: readonly (readonly ProviderSlot[])[]
  readonly #board: Board
  readonly #completion: Completion | null
  readonly #cursor: Int32Array
  #depth = -1
  readonly mayHaveMore: boolean

  private constructor(bench: SearchBench, domains: ProviderSlot[][]) {
    this.#budget = bench.budget
    this.#domains = domains
    this.#board = new Board(bench.world, bench.plan, bench.contested)
    this.#completion = bench.coupled ? new Completion(bench, domains, this.#board) : null
    this.#cursor = new Int32Array(domains.length).fill(-1)
    this.mayHaveMore = domains.some(domain => domain.length > 1)
  }

  /** Null when some ask finds nobody here. */
  static open(bench: SearchBench, anchor: ProviderSlot): AnchorSearch | null {
    const domains = bench.domains.of(anchor)
    if (domains === null) return null
    if (bench.random !== null) for (const domain of domains) bench.random.shuffle(domain)
    return new AnchorSearch(bench, domains)
  }

  /** One provider for each ask, after `next` said yes. */
  get chosen(): Int32Array {
    return this.#board.chosen
  }

  next(): boolean {
    const last = this.#domains.length - 1
    let at = this.#depth
    if (at < 0) at = 0
    else this.#board.take(at)
    for (;;) {
      const domain = this.#domains[at] as readonly ProviderSlot[]
      const nth = (this.#cursor[at] as number) + 1
      this.#cursor[at] = nth
      if (nth >= domain.length) {
        this.#cursor[at] = -1
        if (--at < 0) break
        this.#board.take(at)
        continue
      }
      if (!this.#budget.step()) break
      if (!this.#board.place(at, domain[nth] as ProviderSlot)) continue
      if (this.#completion !== null && !this.#completion.possible(at + 1)) {
        this.#board.take(at)
        continue
      }
      if (at === last) {
        this.#depth = at
        return true
      }
      at++
    }
    this.#depth = -1
    return false
  }
}
