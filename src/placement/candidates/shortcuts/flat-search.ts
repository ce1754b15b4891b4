import type { ClassId, ProviderSlot } from '../../../kernel/ids.ts'
import type { InventoryColumns } from '../../../world/inventories.ts'
import type { World } from '../../../world/world.ts'
import { type FilterCursor, ProviderFilter } from '../filter.ts'
import type { Plan } from '../plan.ts'

/**
 * The search of a cloud without nested and sharing providers: each provider serves everything or nothing, so
 * it has at most one candidate. Without this shortcut, searches of flat clouds take 45 % longer.
 */
export class FlatSearch {
  readonly #filter: ProviderFilter
  /** The roots of the trees that the request names. With more than one, nothing can serve the request. */
  readonly #named: readonly ProviderSlot[]
  #cursor: FilterCursor | null
  readonly #needs: readonly Need[]

  private constructor(plan: Plan) {
    this.#filter = wholeFilter(plan)
    this.#named = namedTrees(plan)
    // Isolated groups need one provider each, but a tree has only one.
    const isHopeless = plan.isolate && plan.asks.filter(ask => ask.suffixed).length > 1
    this.#cursor = isHopeless ? null : this.#filter.cursor()
    this.#needs = needsOf(plan)
  }

  /** Null if the world has nested or sharing providers. */
  static of(world: World, plan: Plan): FlatSearch | null {
    return world.providers.hasTrees || plan.sharing.length > 0 ? null : new FlatSearch(plan)
  }

  /** The next provider that serves, ascending; -1 at the end. */
  next(): number {
    for (let slot = this.nextPossible(); slot >= 0; slot = this.nextPossible())
      if (this.serves(slot as ProviderSlot)) return slot
    return -1
  }

  /** The next one that serves if it has room for the amounts. */
  nextPossible(): number {
    const cursor = this.#cursor
    if (cursor === null) return -1
    const [only] = this.#named
    if (only === undefined) return cursor.next()
    this.#cursor = null
    return this.#named.length === 1 && this.#filter.has(only) ? only : -1
  }

  /** How often a provider can serve the request until it is full; 0 if it cannot. */
  countOn(slot: ProviderSlot): number {
    if (this.#cursor === null || this.#named.some(one => one !== slot)) return 0
    if (!this.#filter.has(slot) || !this.serves(slot)) return 0
    let least = Number.POSITIVE_INFINITY
    for (const { columns, together } of this.#needs)
      least = Math.min(least, countTimes(columns.capacity[slot]!, columns.used[slot]!, together))
    return least
  }

  /** Whether a possible one has room. */
  serves(slot: ProviderSlot): boolean {
    for (const { columns, amounts, together } of this.#needs) {
      for (const amount of amounts) if (!columns.fits(slot, amount)) return false
      if (amounts.length > 1) {
        if (together > (columns.maxUnit[slot] as number)) return false
        if ((columns.used[slot] as number) + together > (columns.capacity[slot] as number)) return false
      }
    }
    return true
  }
}

/** How often an amount fits into the free capacity. */
export function countTimes(capacity: number, used: number, amount: number): number {
  // The quotient may have been rounded up to the next integer.
  const guess = Math.floor((capacity - used) / amount)
  return used + guess * amount > capacity ? guess - 1 : guess
}

function namedTrees({ touchesRoot, asks }: Plan): ProviderSlot[] {
  const roots = new Set(asks.flatMap(ask => ask.treeRoot ?? []))
  if (touchesRoot !== null) roots.add(touchesRoot)
  return [...roots]
}

/** The amount of one class that all asks request together. */
interface Need {
  readonly columns: InventoryColumns
  readonly amounts: readonly number[]
  readonly together: number
}

function needsOf(plan: Plan): Need[] {
  const byClass = new Map<ClassId, { columns: InventoryColumns; amounts: number[] }>()
  for (const ask of plan.asks)
    ask.columns.forEach((columns, nth) => {
      const id = ask.classes[nth] as ClassId
      const amount = ask.amounts[nth] as number
      const known = byClass.get(id)
      if (known === undefined) byClass.set(id, { columns, amounts: [amount] })
      else known.amounts.push(amount)
    })
  return [...byClass.values()].map(({ columns, amounts }) => ({
    columns,
    amounts,
    together: amounts.reduce((sum, amount) => sum + amount, 0),
  }))
}

function wholeFilter(plan: Plan): ProviderFilter {
  const filter = new ProviderFilter()
  for (const ask of plan.asks) {
    filter.include(ask.filter)
    if (ask.selfOrRootIn !== null) filter.require(ask.selfOrRootIn)
    if (ask.selfOrRootNotIn !== null) filter.forbid(ask.selfOrRootNotIn)
  }
  for (const set of plan.sharedTraits) filter.require(set)
  if (plan.rootFilter !== null) filter.include(plan.rootFilter)
  return filter
}
