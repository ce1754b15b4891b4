import type { ProviderSlot } from '../../kernel/ids.ts'
import type { Change } from '../../world/change.ts'
import type { Decision } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { setAggregates } from '../aggregates/aggregates.ts'
import { updateInventory } from '../inventories/inventories.ts'
import { setProviderTraits } from '../traits/traits.ts'
import type { Constraint } from './constraints.ts'
import type { Miss } from './misses.ts'
import type { NearMiss } from './nearest.ts'

/** One change to the request or to the cloud that leads to a candidate. Every remedy in an answer was tried. */
export type Remedy =
  | { readonly kind: 'drop'; readonly constraint: Constraint }
  | { readonly kind: 'drop-group'; readonly group: string }
  | {
      readonly kind: 'ask-less' | 'ask-more'
      readonly group: string
      readonly class: string
      readonly from: number
      readonly to: number
    }
  | { readonly kind: 'add-trait'; readonly provider: ProviderSlot; readonly trait: string }
  | { readonly kind: 'remove-trait'; readonly provider: ProviderSlot; readonly trait: string }
  | {
      readonly kind: 'raise-total'
      readonly provider: ProviderSlot
      readonly class: string
      readonly from: number
      readonly to: number
    }
  | {
      readonly kind: 'raise-max-unit'
      readonly provider: ProviderSlot
      readonly class: string
      readonly from: number
      readonly to: number
    }
  | { readonly kind: 'join-aggregate'; readonly provider: ProviderSlot; readonly aggregate: string }
  | { readonly kind: 'leave-aggregate'; readonly provider: ProviderSlot; readonly aggregate: string }

/** Changes to the cloud for trees with a single miss. Not yet tried. */
export function cloudRemedies(world: World, nearest: readonly NearMiss[]): Remedy[] {
  return nearest.flatMap(({ misses }) => (misses.length === 1 ? remediesFor(world, misses[0] as Miss) : []))
}

function remediesFor(world: World, miss: Miss): Remedy[] {
  const { provider } = miss
  switch (miss.kind) {
    case 'trait-missing':
    case 'root-trait-missing':
      return miss.anyOf.map(trait => ({ kind: 'add-trait', provider, trait }))
    case 'trait-forbidden':
    case 'root-trait-forbidden':
      return [{ kind: 'remove-trait', provider, trait: miss.trait }]
    case 'not-in-aggregate':
      return miss.anyOf.map(aggregate => ({ kind: 'join-aggregate', provider, aggregate }))
    case 'in-forbidden-aggregate':
      return [{ kind: 'leave-aggregate', provider, aggregate: miss.aggregate }]
    case 'short':
      return raiseTotal(world, miss)
    case 'units':
      return miss.need > miss.maxUnit
        ? [{ kind: 'raise-max-unit', provider, class: miss.class, from: miss.maxUnit, to: miss.need }]
        : []
    case 'no-inventory':
    case 'other-tree':
    case 'not-together':
      return []
    default:
      return miss satisfies never
  }
}

function raiseTotal(world: World, miss: Extract<Miss, { kind: 'short' }>): Remedy[] {
  const row = world.inventories.row(miss.provider, world.classes.id(miss.class)!)
  if (row === null || row.allocation_ratio <= 0) return []
  const used = miss.capacity - miss.free
  const to = row.reserved + Math.ceil((used + miss.need) / row.allocation_ratio)
  return [{ kind: 'raise-total', provider: miss.provider, class: miss.class, from: row.total, to }]
}

/** What a change to the cloud would write; null if it cannot be made. */
export function changeOf(world: World, remedy: Remedy): Change | null {
  if (!('provider' in remedy)) return null
  const provider = world.providers.uuid(remedy.provider)
  switch (remedy.kind) {
    case 'add-trait':
    case 'remove-trait': {
      const names = world.providerTraits.list(remedy.provider).map(id => world.traits.name(id))
      const others = names.filter(name => name !== remedy.trait)
      const traits = remedy.kind === 'add-trait' ? [...others, remedy.trait] : others
      return getChange(setProviderTraits(world, { provider, generation: null, traits }, 0))
    }
    case 'join-aggregate':
    case 'leave-aggregate': {
      const uuids = world.providerAggregates.list(remedy.provider).map(id => world.aggregates.uuid(id))
      const others = uuids.filter(uuid => uuid !== remedy.aggregate)
      const aggregates = remedy.kind === 'join-aggregate' ? [...others, remedy.aggregate] : others
      return getChange(setAggregates(world, { provider, generation: null, aggregates }, 0))
    }
    case 'raise-total':
    case 'raise-max-unit':
      return inventoryChange(world, remedy, provider)
    default:
      return remedy satisfies never
  }
}

function inventoryChange(
  world: World,
  remedy: Extract<Remedy, { kind: 'raise-total' | 'raise-max-unit' }>,
  provider: string,
): Change | null {
  const row = world.inventories.row(remedy.provider, world.classes.id(remedy.class)!)
  if (row === null) return null
  const record = {
    total: remedy.kind === 'raise-total' ? remedy.to : row.total,
    reserved: row.reserved,
    minUnit: row.min_unit,
    maxUnit: remedy.kind === 'raise-max-unit' ? remedy.to : row.max_unit,
    stepSize: row.step_size,
    allocationRatio: row.allocation_ratio,
  }
  const generation = world.providers.generation[remedy.provider] as number
  const command = { provider, generation, class: remedy.class, record, mayBeFullyReserved: true }
  return getChange(updateInventory(world, command, 0))
}

function getChange(decision: Decision<unknown, unknown>): Change | null {
  return decision.ok ? decision.change : null
}
