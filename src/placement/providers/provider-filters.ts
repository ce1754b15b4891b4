import type { ProviderSlot } from '../../kernel/ids.ts'
import type { InventoryColumns } from '../../world/inventories.ts'
import type { World } from '../../world/world.ts'

export interface ProviderFilters {
  readonly name: string | null
  readonly uuid: string | null
  readonly inTree: string | null
  readonly memberOf: readonly (readonly string[])[]
  readonly forbiddenAggregates: readonly string[]
  readonly required: readonly (readonly string[])[]
  readonly forbidden: readonly string[]
  readonly resources: ReadonlyMap<string, number>
}

type FilterResult =
  | { readonly kind: 'found'; readonly providers: readonly ProviderSlot[] }
  | { readonly kind: 'refused'; readonly what: 'class' | 'trait'; readonly name: string }

const NONE: FilterResult = { kind: 'found', providers: [] }

type Check = (provider: ProviderSlot) => boolean

/**
 * Every condition applies to the provider itself. As upstream, an unknown name is refused only if the earlier
 * conditions still allow some provider.
 */
export function filterProviders(world: World, filters: ProviderFilters): FilterResult {
  const { providers } = world
  const checks: Check[] = []
  const tree = filters.inTree === null ? null : providers.find(filters.inTree)
  if (tree === undefined) return NONE
  for (const add of [addTraits, addAggregates, addResources]) {
    const ended = add(world, filters, checks)
    if (ended !== null) return ended
  }
  const start = startingPoint(world, filters, tree)
  const { name, uuid } = filters
  return {
    kind: 'found',
    providers: start.filter(
      slot =>
        (name === null || providers.name(slot) === name) &&
        (uuid === null || providers.uuid(slot) === uuid) &&
        checks.every(check => check(slot)),
    ),
  }
}

function startingPoint(world: World, filters: ProviderFilters, tree: ProviderSlot | null): ProviderSlot[] {
  const { providers } = world
  if (tree !== null) return providers.listSubtree(providers.rootOf(tree))
  const one =
    filters.uuid !== null
      ? providers.find(filters.uuid)
      : filters.name !== null
        ? providers.findName(filters.name)
        : null
  if (one === null) return [...providers.all()]
  return one === undefined ? [] : [one]
}

function addTraits(world: World, filters: ProviderFilters, checks: Check[]): FilterResult | null {
  const { providerTraits, traits } = world
  const isKnown = (name: string) => traits.id(name) !== undefined
  const unknown = filters.required.flat().find(name => !isKnown(name))
  if (unknown !== undefined) return { kind: 'refused', what: 'trait', name: unknown }
  const sets = filters.required.map(anyOf => anyOf.map(name => traits.id(name)!))
  const hasAll: Check = slot => sets.every(ids => ids.some(id => providerTraits.has(slot, id)))
  if (sets.length > 0) {
    if (!world.providers.all().some(hasAll)) return NONE
    checks.push(hasAll)
  }
  const unknownForbidden = filters.forbidden.find(name => !isKnown(name))
  if (unknownForbidden !== undefined) return { kind: 'refused', what: 'trait', name: unknownForbidden }
  const barred = filters.forbidden.map(name => traits.id(name)!)
  if (barred.length > 0) checks.push(slot => !barred.some(id => providerTraits.has(slot, id)))
  return null
}

function addAggregates(world: World, filters: ProviderFilters, checks: Check[]): FilterResult | null {
  const isIn = (slot: ProviderSlot, uuid: string) => {
    const id = world.aggregates.find(uuid)
    return id !== undefined && world.providerAggregates.has(slot, id)
  }
  const { memberOf, forbiddenAggregates } = filters
  if (memberOf.length > 0) {
    const inAll: Check = slot => memberOf.every(anyOf => anyOf.some(uuid => isIn(slot, uuid)))
    if (!world.providers.all().some(inAll)) return NONE
    checks.push(inAll)
  }
  if (forbiddenAggregates.length > 0) checks.push(slot => !forbiddenAggregates.some(uuid => isIn(slot, uuid)))
  return null
}

function addResources(world: World, filters: ProviderFilters, checks: Check[]): FilterResult | null {
  for (const [name, amount] of filters.resources) {
    const id = world.classes.id(name)
    if (id === undefined) return { kind: 'refused', what: 'class', name }
    const columns: InventoryColumns | undefined = world.inventories.columns(id)
    checks.push(slot => columns?.present.has(slot) === true && columns.fits(slot, amount))
  }
  return null
}
