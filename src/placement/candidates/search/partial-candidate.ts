import type { ClassId, ProviderSlot } from '../../../kernel/ids.ts'
import type { InventoryColumns } from '../../../world/inventories.ts'
import type { World } from '../../../world/world.ts'
import type { Ask, Plan } from '../plan.ts'

/** What asks have to do with one another, worked out once for a request. */
export class Coupling {
  /** The classes that more than one ask wants: only for these do amounts add up. */
  readonly contested: ReadonlyMap<ClassId, InventoryColumns>
  /** Of each ask, the contested classes that it wants, and the earlier asks that want them too. */
  readonly claims: readonly (readonly Claim[])[]
  /** Asks limit one another, so a partial combination may lead nowhere. */
  readonly coupled: boolean
  /** The asks that `same_subtree` binds, counted for each time that it does. */
  readonly #bound: number

  constructor(plan: Plan) {
    this.contested = contestedClasses(plan)
    this.claims = plan.asks.map((ask, at) => claimsOf(plan, ask, at, this.contested))
    this.#bound = plan.subtrees.reduce((sum, asks) => sum + asks.length, 0)
    this.coupled =
      this.contested.size > 0 ||
      plan.sharedTraits.length > 0 ||
      plan.subtrees.length > 0 ||
      plan.touchesRoot !== null ||
      plan.oneProviderPerTree ||
      (plan.isolate && plan.asks.filter(ask => ask.suffixed).length > 1)
  }

  /** How many asks `Board.standing` looks at for one provider, while so many have one. */
  standingCost(placed: number): number {
    return placed * (1 + this.contested.size) + this.#bound
  }
}

interface Claim {
  readonly id: ClassId
  readonly columns: InventoryColumns
  readonly amount: number
  readonly earlier: readonly { readonly ask: number; readonly amount: number }[]
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

function claimsOf(
  plan: Plan,
  ask: Ask,
  at: number,
  contested: ReadonlyMap<ClassId, InventoryColumns>,
): Claim[] {
  return ask.classes.flatMap((id, nth) => {
    const columns = contested.get(id)
    if (columns === undefined) return []
    const earlier = plan.asks.slice(0, at).flatMap((other, place) => {
      const its = other.classes.indexOf(id)
      return its < 0 ? [] : [{ ask: place, amount: other.amounts[its] as number }]
    })
    return [{ id, columns, amount: ask.amounts[nth] as number, earlier }]
  })
}

/**
 * A partial combination: providers chosen for the first asks. `place` refuses what can never become a candidate; what
 * only the whole combination shows is left to `complete`. It keeps nothing but the choice: asks are few, and looking
 * through them costs less than books that have to be kept.
 */
export class Board {
  readonly #world: World
  readonly #plan: Plan
  readonly #rivalry: Coupling
  readonly chosen: Int32Array
  /** How many asks have a provider. */
  #depth = 0

  constructor(world: World, plan: Plan, rivalry: Coupling) {
    this.#world = world
    this.#plan = plan
    this.#rivalry = rivalry
    this.chosen = new Int32Array(plan.asks.length)
  }

  /** Some suffixed group has it for itself. */
  isIsolated(provider: ProviderSlot): boolean {
    if (!this.#plan.isolate) return false
    for (let at = 0; at < this.#depth; at++)
      if (this.chosen[at] === provider && this.#ask(at).suffixed) return true
    return false
  }

  /** False, and nothing done, if the provider cannot serve the next ask beside the others. */
  place(at: number, provider: ProviderSlot): boolean {
    const { isolate, oneProviderPerTree } = this.#plan
    if (isolate && this.#ask(at).suffixed && this.isIsolated(provider)) return false
    if (oneProviderPerTree && this.#ask(at).classes.length > 0 && this.#otherOfItsTree(provider)) return false
    const claims = this.#rivalry.claims[at] as readonly Claim[]
    for (let nth = 0; nth < claims.length; nth++)
      if (!this.#hasRoom(claims[nth] as Claim, provider)) return false
    this.chosen[at] = provider
    this.#depth = at + 1
    return true
  }

  take(at: number): void {
    this.#depth = at
  }

  /** All asks have a provider: does the whole hold together? */
  get complete(): boolean {
    const { touchesRoot, sharedTraits, subtrees } = this.#plan
    if (touchesRoot !== null && !this.#touches(touchesRoot)) return false
    for (let nth = 0; nth < sharedTraits.length; nth++) if (!this.#meets(nth)) return false
    for (let nth = 0; nth < subtrees.length; nth++)
      if (!this.#underOneOfThem(subtrees[nth] as readonly number[])) return false
    return true
  }

  /** How a provider stands now, whatever its name: like ones may take each other's place. */
  standing(provider: ProviderSlot): string {
    let text = this.isIsolated(provider) ? 'i' : ''
    for (const [id, columns] of this.#rivalry.contested) {
      const amount = columns.present.has(provider) ? this.#held(id, provider) : 0
      if (amount > 0) text += `${id}=${amount},`
    }
    if (this.#plan.oneProviderPerTree && this.#serves(provider)) text += 'u'
    this.#plan.subtrees.forEach((asks, nth) => {
      if (asks.some(at => at < this.#depth && this.chosen[at] === provider)) text += `s${nth}`
    })
    return text
  }

  /** The providers that something was taken from, each once. */
  involved(): Iterable<ProviderSlot> {
    return new Set(this.chosen.subarray(0, this.#depth)) as Set<ProviderSlot>
  }

  /** What the combination has reached so far that later choices build on. */
  progress(): string {
    const { touchesRoot, sharedTraits } = this.#plan
    let text = touchesRoot !== null && this.#touches(touchesRoot) ? 't' : ''
    for (let nth = 0; nth < sharedTraits.length; nth++) text += this.#meets(nth) ? '1' : '0'
    return text
  }

  #ask(at: number): Ask {
    return this.#plan.asks[at] as Ask
  }

  #hasRoom({ columns, amount, earlier }: Claim, provider: ProviderSlot): boolean {
    let together = amount
    for (let nth = 0; nth < earlier.length; nth++) {
      const rival = earlier[nth] as Claim['earlier'][number]
      if (this.chosen[rival.ask] === provider) together += rival.amount
    }
    // Alone, it fits: that made it one to choose from.
    if (together === amount) return true
    if (together > (columns.maxUnit[provider] as number)) return false
    return (columns.used[provider] as number) + together <= (columns.capacity[provider] as number)
  }

  /** How much of a class the asks so far take from a provider. */
  #held(id: ClassId, provider: ProviderSlot): number {
    let held = 0
    for (let at = 0; at < this.#depth; at++) {
      if (this.chosen[at] !== provider) continue
      const { classes, amounts } = this.#ask(at)
      const nth = classes.indexOf(id)
      if (nth >= 0) held += amounts[nth] as number
    }
    return held
  }

  #serves(provider: ProviderSlot): boolean {
    for (let at = 0; at < this.#depth; at++)
      if (this.chosen[at] === provider && this.#ask(at).classes.length > 0) return true
    return false
  }

  #otherOfItsTree(provider: ProviderSlot): boolean {
    const { root } = this.#world.providers
    for (let at = 0; at < this.#depth; at++) {
      const other = this.chosen[at] as number
      if (other !== provider && root[other] === root[provider] && this.#ask(at).classes.length > 0)
        return true
    }
    return false
  }

  #touches(root: ProviderSlot): boolean {
    const { providers } = this.#world
    for (let at = 0; at < this.#depth; at++)
      if (providers.root[this.chosen[at] as number] === root) return true
    return false
  }

  /** Some provider of the unsuffixed group has one of these traits. */
  #meets(nth: number): boolean {
    const set = this.#plan.sharedTraits[nth] as Plan['sharedTraits'][number]
    for (let at = 0; at < this.#depth; at++)
      if (!this.#ask(at).suffixed && set.has(this.chosen[at] as number)) return true
    return false
  }

  #underOneOfThem(asks: readonly number[]): boolean {
    const { providers } = this.#world
    for (let top = 0; top < asks.length; top++) {
      const above = this.chosen[asks[top] as number] as ProviderSlot
      let isAbove = true
      for (let other = 0; other < asks.length && isAbove; other++)
        isAbove = providers.isAncestorOrSelf(above, this.chosen[asks[other] as number] as ProviderSlot)
      if (isAbove) return true
    }
    return asks.length === 0
  }
}
