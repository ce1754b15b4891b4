import { Bitset } from '../../kernel/bitset.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import type { InventoryColumns } from '../../world/inventories.ts'
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

/** A request group whose names are looked up once, for all trees. Valid until the world changes. */
export interface ResolvedGroup {
  readonly suffix: string
  readonly resources: readonly ResolvedResource[]
  readonly required: readonly { readonly anyOf: readonly string[]; readonly sets: readonly Bitset[] }[]
  readonly forbidden: readonly { readonly trait: string; readonly set: Bitset }[]
  readonly memberOf: readonly { readonly anyOf: readonly string[]; readonly set: Bitset }[]
  readonly forbiddenAggregates: readonly { readonly aggregate: string; readonly set: Bitset }[]
  /** `root` is null if there is no such provider. */
  readonly inTree: { readonly tree: string; readonly root: ProviderSlot | null } | null
}

export interface ResolvedResource {
  readonly name: string
  readonly need: number
  /** What all groups of the request need of it. */
  readonly needTogether: number
  readonly columns: InventoryColumns | undefined
}

export function resolveGroup(world: World, group: RequestGroup, all: readonly RequestGroup[]): ResolvedGroup {
  const membersOf = (uuid: string): Bitset => {
    const id = world.aggregates.find(uuid)
    return (id === undefined ? undefined : world.providerAggregates.members(id)) ?? EMPTY
  }
  const named = group.inTree === null ? undefined : world.providers.find(group.inTree)
  return {
    suffix: group.suffix,
    resources: [...group.resources].map(([name, need]) => {
      const id = world.classes.id(name)
      const needTogether = all.reduce((sum, { resources }) => sum + (resources.get(name) ?? 0), 0)
      const columns = id === undefined ? undefined : world.inventories.columns(id)
      return { name, need, needTogether, columns }
    }),
    required: group.required.map(anyOf => ({ anyOf, sets: anyOf.map(trait => carriers(world, trait)) })),
    forbidden: group.forbidden.map(trait => ({ trait, set: carriers(world, trait) })),
    memberOf: group.memberOf.map(anyOf => ({ anyOf, set: Bitset.union(anyOf.map(membersOf)) })),
    forbiddenAggregates: group.forbiddenAggregates.map(aggregate => ({
      aggregate,
      set: membersOf(aggregate),
    })),
    inTree:
      group.inTree === null
        ? null
        : { tree: group.inTree, root: named === undefined ? null : world.providers.rootOf(named) },
  }
}

const EMPTY = new Bitset()

/** The providers with a trait. */
function carriers({ traits, providerTraits }: World, trait: string): Bitset {
  const id = traits.id(trait)
  return (id === undefined ? undefined : providerTraits.members(id)) ?? EMPTY
}

/** What one class of one provider lacks for an amount if others take `taken` of it; null if it has enough. */
export function resourceMiss(
  group: string,
  { name, need, columns }: ResolvedResource,
  provider: ProviderSlot,
  taken: number,
): Miss | null {
  if (!columns?.present.has(provider)) return { kind: 'no-inventory', group, provider, class: name, need }
  const capacity = Math.trunc(columns.capacity[provider] as number)
  const free = capacity - (columns.used[provider] as number) - taken
  if (columns.fits(provider, need) && (taken === 0 || need <= free)) return null
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
 * Why a provider of a tree must not serve a group, whatever its resources. For a sharing provider, only the provider
 * itself counts.
 */
export function placeMisses(
  world: World,
  { suffix, required, forbidden, memberOf, forbiddenAggregates, inTree }: ResolvedGroup,
  provider: ProviderSlot,
  anchor: ProviderSlot,
): readonly Miss[] {
  const misses: Miss[] = []
  if (suffix !== '')
    for (const { anyOf, sets } of required)
      if (!sets.some(set => set.has(provider)))
        misses.push({ kind: 'trait-missing', group: suffix, provider, anyOf })
  for (const { trait, set } of forbidden)
    if (set.has(provider)) misses.push({ kind: 'trait-forbidden', group: suffix, provider, trait })
  // In the unsuffixed group, the aggregates of a root count for its whole tree.
  const isIn = (set: Bitset) => set.has(provider) || (suffix === '' && set.has(anchor))
  for (const { anyOf, set } of memberOf)
    if (!isIn(set)) misses.push({ kind: 'not-in-aggregate', group: suffix, provider, anyOf })
  for (const { aggregate, set } of forbiddenAggregates)
    if (isIn(set)) misses.push({ kind: 'in-forbidden-aggregate', group: suffix, provider, aggregate })
  if (inTree !== null && world.providers.rootOf(provider) !== inTree.root)
    misses.push({ kind: 'other-tree', group: suffix, provider, tree: inTree.tree })
  return misses
}

/** The traits of roots, looked up once. */
interface ResolvedRoots {
  readonly required: ResolvedGroup['required']
  readonly forbidden: ResolvedGroup['forbidden']
}

export const resolveRoots = (
  world: World,
  { rootRequired, rootForbidden }: CandidateRequest,
): ResolvedRoots => ({
  required: rootRequired.map(anyOf => ({ anyOf, sets: anyOf.map(trait => carriers(world, trait)) })),
  forbidden: rootForbidden.map(trait => ({ trait, set: carriers(world, trait) })),
})

export function rootMisses({ required, forbidden }: ResolvedRoots, root: ProviderSlot): Miss[] {
  const misses: Miss[] = []
  for (const { anyOf, sets } of required)
    if (!sets.some(set => set.has(root))) misses.push({ kind: 'root-trait-missing', provider: root, anyOf })
  for (const { trait, set } of forbidden)
    if (set.has(root)) misses.push({ kind: 'root-trait-forbidden', provider: root, trait })
  return misses
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
