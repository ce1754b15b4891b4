import type { ClassId } from '../../../kernel/ids.ts'
import type { InventoryColumns } from '../../../world/inventories.ts'
import type { Ask, Plan } from '../plan.ts'

/** How the asks of a request limit one another. */
export class Coupling {
  /** Classes that more than one ask requests: only for these do amounts add up. */
  readonly contested: ReadonlyMap<ClassId, InventoryColumns>
  /** For each ask, the contested classes that it requests, and the earlier asks that request them too. */
  readonly claims: readonly (readonly Claim[])[]
  /** Asks limit one another, so a partial candidate may be impossible to complete. */
  readonly coupled: boolean
  /** The number of asks that `same_subtree` parameters bind; an ask in several of them counts several times. */
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

  /** How many asks `PartialCandidate.standing` checks for one provider, when this many asks have a provider. */
  standingCost(placed: number): number {
    return placed * (1 + this.contested.size) + this.#bound
  }
}

export interface Claim {
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
