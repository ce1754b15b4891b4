import type { ClassId, ProviderSlot } from '../../../kernel/ids.ts'
import type { World } from '../../../world/world.ts'
import type { Ask, Plan } from '../plan.ts'
import type { Claim, Coupling } from './coupling.ts'

/**
 * Providers chosen for the first asks. `place` rejects what can never become a candidate; `complete` checks
 * conditions on the whole. Stores only the choice: there are few asks, so iterating over them is cheaper than
 * keeping sums.
 */
export class PartialCandidate {
  readonly #world: World
  readonly #plan: Plan
  readonly #coupling: Coupling
  readonly chosen: Int32Array
  /** How many asks have a provider. */
  #depth = 0

  constructor(world: World, plan: Plan, coupling: Coupling) {
    this.#world = world
    this.#plan = plan
    this.#coupling = coupling
    this.chosen = new Int32Array(plan.asks.length)
  }

  /** True if a suffixed group uses this provider exclusively. */
  isIsolated(provider: ProviderSlot): boolean {
    if (!this.#plan.isolate) return false
    for (let at = 0; at < this.#depth; at++)
      if (this.chosen[at] === provider && this.#ask(at).suffixed) return true
    return false
  }

  /** Returns false, and changes nothing, if the provider cannot serve the next ask in addition to the others. */
  place(at: number, provider: ProviderSlot): boolean {
    const { isolate, oneProviderPerTree } = this.#plan
    if (isolate && this.#ask(at).suffixed && this.isIsolated(provider)) return false
    if (oneProviderPerTree && this.#ask(at).classes.length > 0 && this.#otherOfItsTree(provider)) return false
    const claims = this.#coupling.claims[at] as readonly Claim[]
    for (let nth = 0; nth < claims.length; nth++)
      if (!this.#hasRoom(claims[nth] as Claim, provider)) return false
    this.chosen[at] = provider
    this.#depth = at + 1
    return true
  }

  /** Removes the providers of this ask and all later ones. */
  unwind(at: number): void {
    this.#depth = at
  }

  /** Whether the choice of a provider for each ask is a candidate. */
  get complete(): boolean {
    const { touchesRoot, sharedTraits, subtrees } = this.#plan
    if (touchesRoot !== null && !this.#touches(touchesRoot)) return false
    for (let nth = 0; nth < sharedTraits.length; nth++) if (!this.#meets(nth)) return false
    for (let nth = 0; nth < subtrees.length; nth++)
      if (!this.#underOneOfThem(subtrees[nth] as readonly number[])) return false
    return true
  }

  /** How a provider is used so far, without its name: providers with the same use are interchangeable. */
  describeUse(provider: ProviderSlot): string {
    let text = this.isIsolated(provider) ? 'i' : ''
    for (const [id, columns] of this.#coupling.contested) {
      const amount = columns.present.has(provider) ? this.#sumHeld(id, provider) : 0
      if (amount > 0) text += `${id}=${amount},`
    }
    if (this.#plan.oneProviderPerTree && this.#serves(provider)) text += 'u'
    this.#plan.subtrees.forEach((asks, nth) => {
      if (asks.some(at => at < this.#depth && this.chosen[at] === provider)) text += `s${nth}`
    })
    return text
  }

  /** The providers chosen so far, each once. */
  listChosen(): Iterable<ProviderSlot> {
    return new Set(this.chosen.subarray(0, this.#depth)) as Set<ProviderSlot>
  }

  /** Which conditions on the whole are met so far. */
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
    // A provider in the domain has space for one ask alone.
    if (together === amount) return true
    if (together > (columns.maxUnit[provider] as number)) return false
    return (columns.used[provider] as number) + together <= (columns.capacity[provider] as number)
  }

  /** How much of a class the asks so far take from a provider. */
  #sumHeld(id: ClassId, provider: ProviderSlot): number {
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

  /** Whether some provider of the unsuffixed group has one of these traits. */
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
