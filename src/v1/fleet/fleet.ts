import { type ProviderSlot, providerSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'

/** The filters of a request; each concerns the provider itself. */
export interface FleetFilters {
  readonly name: ((name: string) => boolean) | null
  /** Any one of these; null is all. */
  readonly uuids: ReadonlySet<string> | null
  readonly inTree: string | null
  readonly required: readonly (readonly string[])[]
  readonly forbidden: readonly string[]
  readonly memberOf: readonly (readonly string[])[]
  readonly forbiddenAggregates: readonly string[]
  /** Has an inventory of each of these. */
  readonly classes: readonly string[]
}

const LINES_PER_SLICE = 256
const LOOKS_PER_SLICE = 4_096

/**
 * Every matching provider as a line, some hundred at a time, in order of slots. The world may change between two slices, so
 * each line has its revision.
 */
export async function* streamFleet(
  world: World,
  filters: FleetFilters,
  nextTurn: () => Promise<unknown>,
  linesPerSlice = LINES_PER_SLICE,
): AsyncGenerator<string> {
  let slot = 0
  const { lives } = world
  while (slot < world.providers.slots) {
    const fits = makeMatcher(world, filters)
    const lines: string[] = []
    const end = Math.min(world.providers.slots, slot + LOOKS_PER_SLICE)
    for (; slot < end && lines.length < linesPerSlice; slot++)
      if (world.providers.exists(slot) && fits(providerSlot(slot)))
        lines.push(renderProvider(world, providerSlot(slot)))
    if (lines.length > 0) yield lines.join('')
    await nextTurn()
    // The providers sent so far are of another history: a cut answer is better than a mixed one.
    if (world.lives !== lives) throw new Error('memory was reloaded while the fleet was being sent')
  }
}

export function renderProvider(world: World, slot: ProviderSlot): string {
  const { providers, inventories, classes } = world
  const parent = providers.parentOf(slot)
  const stocks: Record<string, unknown> = {}
  const usages: Record<string, number> = {}
  for (const id of inventories.listClasses(slot)) {
    const row = inventories.row(slot, id)!
    const { total, reserved, min_unit, max_unit, step_size, allocation_ratio } = row
    stocks[classes.name(id)] = { total, reserved, min_unit, max_unit, step_size, allocation_ratio }
    usages[classes.name(id)] = inventories.used(slot, id)
  }
  const line = {
    uuid: providers.uuid(slot),
    name: providers.name(slot),
    generation: providers.generation[slot],
    parent_provider_uuid: parent < 0 ? null : providers.uuid(parent),
    root_provider_uuid: providers.uuid(providers.rootOf(slot)),
    inventories: stocks,
    usages,
    traits: world.providerTraits.list(slot).map(id => world.traits.name(id)),
    aggregates: world.providerAggregates.list(slot).map(id => world.aggregates.uuid(id)),
    revision: world.revision,
  }
  return `${JSON.stringify(line)}\n`
}

/** Looked up for every slice: names may change meanwhile. */
function makeMatcher(world: World, filters: FleetFilters): (slot: ProviderSlot) => boolean {
  const { providers, providerTraits, providerAggregates, inventories } = world
  const traitIds = (names: readonly string[]) => names.flatMap(name => world.traits.id(name) ?? [])
  const aggregateIds = (uuids: readonly string[]) => uuids.flatMap(uuid => world.aggregates.find(uuid) ?? [])
  const required = filters.required.map(traitIds)
  const forbidden = traitIds(filters.forbidden)
  const memberOf = filters.memberOf.map(aggregateIds)
  const barred = aggregateIds(filters.forbiddenAggregates)
  const columns = filters.classes.map(name => {
    const id = world.classes.id(name)
    return id === undefined ? undefined : inventories.columns(id)
  })
  const tree = filters.inTree === null ? null : providers.find(filters.inTree)
  if (tree === undefined) return () => false
  const { name, uuids } = filters
  return slot =>
    (uuids === null || uuids.has(providers.uuid(slot))) &&
    (name === null || name(providers.name(slot))) &&
    (tree === null || providers.rootOf(slot) === providers.rootOf(tree)) &&
    required.every(anyOf => anyOf.some(id => providerTraits.has(slot, id))) &&
    !forbidden.some(id => providerTraits.has(slot, id)) &&
    memberOf.every(anyOf => anyOf.some(id => providerAggregates.has(slot, id))) &&
    !barred.some(id => providerAggregates.has(slot, id)) &&
    columns.every(one => one?.present.has(slot) === true)
}

/** An unknown name in `required` or `resource_class`. */
export function findUnknownName(
  world: World,
  filters: FleetFilters,
): { readonly what: 'trait' | 'resource class'; readonly name: string } | null {
  const trait = [...filters.required.flat(), ...filters.forbidden].find(
    name => world.traits.id(name) === undefined,
  )
  if (trait !== undefined) return { what: 'trait', name: trait }
  const unit = filters.classes.find(name => world.classes.id(name) === undefined)
  return unit === undefined ? null : { what: 'resource class', name: unit }
}
