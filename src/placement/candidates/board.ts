import type { Bitset } from '../../kernel/bitset.ts'
import type { ClassId, ProviderSlot } from '../../kernel/ids.ts'
import type { InventoryColumns } from '../../world/inventories.ts'
import type { World } from '../../world/world.ts'
import type { Ask, Plan } from './plan.ts'

/**
 * A partial combination: providers chosen for the first asks, and what that uses up. `place` refuses what can
 * never become a candidate; what only the whole combination shows is left to `complete`.
 */
export class Board {
  readonly #world: World
  readonly #plan: Plan
  /** The classes that more than one ask wants: only for these do amounts add up. */
  readonly #contested: ReadonlyMap<ClassId, InventoryColumns>
  readonly #amounts = new Map<ProviderSlot, Map<ClassId, number>>()
  readonly #isolated = new Set<ProviderSlot>()
  readonly #uses = new Map<ProviderSlot, number>()
  readonly #usedOfTree = new Map<ProviderSlot, ProviderSlot>()
  readonly #met: Int32Array
  readonly #inSubtree: Map<ProviderSlot, number>[]
  #touches = 0
  readonly chosen: Int32Array

  constructor(world: World, plan: Plan, contested: ReadonlyMap<ClassId, InventoryColumns>) {
    this.#world = world
    this.#plan = plan
    this.#contested = contested
    this.#met = new Int32Array(plan.sharedTraits.length)
    this.#inSubtree = plan.subtrees.map(() => new Map())
    this.chosen = new Int32Array(plan.asks.length)
  }

  isIsolated(provider: ProviderSlot): boolean {
    return this.#isolated.has(provider)
  }

  /** False, and nothing done, if the provider cannot serve this ask beside the others. */
  place(at: number, provider: ProviderSlot): boolean {
    const ask = this.#plan.asks[at] as Ask
    if (this.#plan.isolate && ask.suffixed && this.#isolated.has(provider)) return false
    const root = this.#world.providers.rootOf(provider)
    const serves = ask.classes.length > 0
    if (this.#plan.oneProviderPerTree && serves) {
      const other = this.#usedOfTree.get(root)
      if (other !== undefined && other !== provider) return false
    }
    if (!this.#hasRoom(ask, provider)) return false
    this.chosen[at] = provider
    this.#count(at, ask, provider, root, 1)
    return true
  }

  take(at: number): void {
    const provider = this.chosen[at] as ProviderSlot
    this.#count(at, this.#plan.asks[at] as Ask, provider, this.#world.providers.rootOf(provider), -1)
  }

  /** All asks have a provider: does the whole hold together? */
  get complete(): boolean {
    if (this.#plan.touchesRoot !== null && this.#touches === 0) return false
    for (const met of this.#met) if (met === 0) return false
    return this.#inSubtree.every(members => this.#underOneOfThem(members))
  }

  /** How a provider stands now, whatever its name: like ones may take each other's place. */
  standing(provider: ProviderSlot): string {
    let text = this.#isolated.has(provider) ? 'i' : ''
    for (const [id, amount] of this.#amounts.get(provider) ?? []) if (amount > 0) text += `${id}=${amount},`
    if (this.#plan.oneProviderPerTree && this.#uses.has(provider)) text += 'u'
    for (let at = 0; at < this.#inSubtree.length; at++)
      if (this.#inSubtree[at]?.has(provider)) text += `s${at}`
    return text
  }

  /** The providers that something was taken from. */
  involved(): Iterable<ProviderSlot> {
    return this.#uses.keys()
  }

  /** What the combination has reached so far that later choices build on. */
  progress(): string {
    let text = this.#touches > 0 ? 't' : ''
    for (const met of this.#met) text += met > 0 ? '1' : '0'
    return text
  }

  #hasRoom(ask: Ask, provider: ProviderSlot): boolean {
    const held = this.#amounts.get(provider)
    if (held === undefined) return true
    for (let nth = 0; nth < ask.classes.length; nth++) {
      const id = ask.classes[nth] as ClassId
      const columns = this.#contested.get(id)
      const before = columns === undefined ? 0 : (held.get(id) ?? 0)
      if (columns === undefined || before === 0) continue
      const together = before + (ask.amounts[nth] as number)
      if (together > (columns.maxUnit[provider] as number)) return false
      if ((columns.used[provider] as number) + together > (columns.capacity[provider] as number)) return false
    }
    return true
  }

  #count(at: number, ask: Ask, provider: ProviderSlot, root: ProviderSlot, sign: 1 | -1): void {
    for (let nth = 0; nth < ask.classes.length; nth++) {
      const id = ask.classes[nth] as ClassId
      if (this.#contested.has(id)) this.#addAmount(provider, id, sign * (ask.amounts[nth] as number))
    }
    if (ask.suffixed && this.#plan.isolate) {
      if (sign > 0) this.#isolated.add(provider)
      else this.#isolated.delete(provider)
    }
    if (root === this.#plan.touchesRoot) this.#touches += sign
    if (!ask.suffixed)
      this.#plan.sharedTraits.forEach((set: Bitset, nth) => {
        if (set.has(provider)) this.#met[nth] = (this.#met[nth] as number) + sign
      })
    this.#plan.subtrees.forEach((asks, nth) => {
      if (asks.includes(at)) bump(this.#inSubtree[nth] as Map<ProviderSlot, number>, provider, sign)
    })
    if (this.#plan.oneProviderPerTree && ask.classes.length === 0) return
    bump(this.#uses, provider, sign)
    if (this.#plan.oneProviderPerTree) {
      if (this.#uses.has(provider)) this.#usedOfTree.set(root, provider)
      else this.#usedOfTree.delete(root)
    }
  }

  #addAmount(provider: ProviderSlot, id: ClassId, amount: number): void {
    let held = this.#amounts.get(provider)
    if (held === undefined) {
      held = new Map()
      this.#amounts.set(provider, held)
    }
    held.set(id, (held.get(id) ?? 0) + amount)
  }

  #underOneOfThem(members: ReadonlyMap<ProviderSlot, number>): boolean {
    const { providers } = this.#world
    for (const top of members.keys()) {
      let above = true
      for (const other of members.keys()) if (!providers.isAncestorOrSelf(top, other)) above = false
      if (above) return true
    }
    return members.size === 0
  }
}

function bump<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
