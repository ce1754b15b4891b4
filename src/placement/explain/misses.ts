import type { ClassId, ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import type { CandidateRequest, RequestGroup } from '../candidates/request.ts'

/** Why one provider, or one tree, cannot serve a request: kinds and numbers, no prose. */
export type Miss =
  | {
      readonly kind: 'no-inventory'
      readonly group: string
      readonly provider: ProviderSlot
      readonly class: string
      readonly need: number
    }
  | {
      readonly kind: 'short'
      readonly group: string
      readonly provider: ProviderSlot
      readonly class: string
      readonly need: number
      readonly free: number
      readonly capacity: number
    }
  | {
      readonly kind: 'units'
      readonly group: string
      readonly provider: ProviderSlot
      readonly class: string
      readonly need: number
      readonly minUnit: number
      readonly maxUnit: number
      readonly stepSize: number
    }
  | {
      readonly kind: 'trait-missing'
      readonly group: string
      readonly provider: ProviderSlot
      readonly anyOf: readonly string[]
    }
  | {
      readonly kind: 'trait-forbidden'
      readonly group: string
      readonly provider: ProviderSlot
      readonly trait: string
    }
  | {
      readonly kind: 'not-in-aggregate'
      readonly group: string
      readonly provider: ProviderSlot
      readonly anyOf: readonly string[]
    }
  | {
      readonly kind: 'in-forbidden-aggregate'
      readonly group: string
      readonly provider: ProviderSlot
      readonly aggregate: string
    }
  | {
      readonly kind: 'other-tree'
      readonly group: string
      readonly provider: ProviderSlot
      readonly tree: string
    }
  | {
      readonly kind: 'root-trait-missing'
      readonly provider: ProviderSlot
      readonly anyOf: readonly string[]
    }
  | { readonly kind: 'root-trait-forbidden'; readonly provider: ProviderSlot; readonly trait: string }
  /** Every group finds a provider, but not all at the same time. */
  | { readonly kind: 'not-together'; readonly provider: ProviderSlot }

/** What one class of one provider lacks for an amount; null if it has enough. */
function resourceMiss(
  world: World,
  provider: ProviderSlot,
  group: string,
  name: string,
  need: number,
): Miss | null {
  const id = world.classes.id(name) as ClassId
  const columns = world.inventories.columns(id)
  if (!columns?.present.has(provider)) return { kind: 'no-inventory', group, provider, class: name, need }
  if (columns.fits(provider, need)) return null
  const capacity = Math.trunc(columns.capacity[provider] as number)
  const free = capacity - (columns.used[provider] as number)
  if (need > free) return { kind: 'short', group, provider, class: name, need, free, capacity }
  return {
    kind: 'units',
    group,
    provider,
    class: name,
    need,
    minUnit: columns.minUnit[provider] as number,
    maxUnit: columns.maxUnit[provider] as number,
    stepSize: columns.stepSize[provider] as number,
  }
}

/**
 * What a provider of a tree lacks to serve these resources of a group. For a sharing provider, only the
 * provider itself counts.
 */
export function groupMisses(
  world: World,
  group: RequestGroup,
  resources: Iterable<readonly [string, number]>,
  provider: ProviderSlot,
  anchor: ProviderSlot,
): Miss[] {
  const { suffix } = group
  const misses: Miss[] = []
  for (const [name, need] of resources) {
    const miss = resourceMiss(world, provider, suffix, name, need)
    if (miss !== null) misses.push(miss)
  }
  const has = (trait: string) => hasTrait(world, provider, trait)
  if (suffix !== '')
    for (const anyOf of group.required)
      if (!anyOf.some(has)) misses.push({ kind: 'trait-missing', group: suffix, provider, anyOf })
  for (const trait of group.forbidden)
    if (has(trait)) misses.push({ kind: 'trait-forbidden', group: suffix, provider, trait })
  // In the unsuffixed group, the aggregates of a root count for its whole tree.
  const seats = suffix === '' ? [provider, anchor] : [provider]
  const inOne = (uuid: string) => seats.some(seat => isMember(world, seat, uuid))
  const memberOf = group.memberOf.filter(anyOf => !anyOf.some(inOne))
  for (const anyOf of memberOf) misses.push({ kind: 'not-in-aggregate', group: suffix, provider, anyOf })
  for (const aggregate of group.forbiddenAggregates)
    if (inOne(aggregate)) misses.push({ kind: 'in-forbidden-aggregate', group: suffix, provider, aggregate })
  if (group.inTree !== null && !isInTree(world, provider, group.inTree))
    misses.push({ kind: 'other-tree', group: suffix, provider, tree: group.inTree })
  return misses
}

export function rootMisses(world: World, request: CandidateRequest, root: ProviderSlot): Miss[] {
  return [
    ...request.rootRequired
      .filter(anyOf => !anyOf.some(trait => hasTrait(world, root, trait)))
      .map(anyOf => ({ kind: 'root-trait-missing', provider: root, anyOf }) as const),
    ...request.rootForbidden
      .filter(trait => hasTrait(world, root, trait))
      .map(trait => ({ kind: 'root-trait-forbidden', provider: root, trait }) as const),
  ]
}

/** How much is missing, from nothing to everything. Sorts trees with the same number of misses. */
export function shortfall(miss: Miss): number {
  if (miss.kind === 'short') return Math.min(1, (miss.need - Math.max(0, miss.free)) / miss.need)
  return miss.kind === 'no-inventory' || miss.kind === 'other-tree' ? 2 : 1
}

export function hasTrait(world: World, provider: ProviderSlot, name: string): boolean {
  const id = world.traits.id(name)
  return id !== undefined && world.providerTraits.has(provider, id)
}

export function isMember(world: World, provider: ProviderSlot, uuid: string): boolean {
  const id = world.aggregates.find(uuid)
  return id !== undefined && world.providerAggregates.has(provider, id)
}

function isInTree(world: World, provider: ProviderSlot, uuid: string): boolean {
  const named = world.providers.find(uuid)
  return named !== undefined && world.providers.rootOf(named) === world.providers.rootOf(provider)
}
