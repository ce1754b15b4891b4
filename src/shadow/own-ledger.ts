import type { ConsumerFields, ProviderFields } from '../placement/transfer/lines.ts'
import type { World } from '../world/world.ts'

/** A provider in the form of a ledger; null if there is none, or if it belongs to another service of Berth. */
export function findProviderFields(world: World, uuid: string): ProviderFields | null {
  const slot = world.providers.find(uuid)
  if (slot === undefined || world.shares.owns(slot)) return null
  const { name, generation, parent_id } = world.providers.row(slot)
  const inventories = world.inventories.listClasses(slot).map(id => {
    const row = world.inventories.row(slot, id)
    if (row === null) throw new Error(`no inventory of class ${id} of provider ${uuid}`)
    const { total, reserved, min_unit, max_unit, step_size, allocation_ratio } = row
    return [
      world.classes.name(id),
      { total, reserved, min_unit, max_unit, step_size, allocation_ratio },
    ] as const
  })
  return {
    uuid,
    name,
    generation,
    parent_provider_uuid: parent_id === null ? null : world.providers.uuid(world.providers.parentOf(slot)),
    inventories: Object.fromEntries(inventories.sort(([a], [b]) => (a < b ? -1 : 1))),
    traits: world.providerTraits
      .list(slot)
      .map(id => world.traits.name(id))
      .sort(),
    aggregates: world.providerAggregates
      .list(slot)
      .map(id => world.aggregates.uuid(id))
      .sort(),
  }
}

/** A consumer in the form of a ledger; null if there is none, or if it is a share. */
export function findConsumerFields(world: World, uuid: string): ConsumerFields | null {
  const slot = world.consumers.find(uuid)
  if (slot === undefined || world.shares.findShare(uuid) !== undefined) return null
  const { generation, project_id, user_id, consumer_type } = world.consumers.row(slot)
  const held = Map.groupBy(world.consumers.holdings(slot), ({ provider }) => provider)
  const allocations = Object.fromEntries(
    [...held].map(([provider, some]) => [
      world.providers.uuid(provider),
      { resources: Object.fromEntries(some.map(one => [world.classes.name(one.class), one.used])) },
    ]),
  )
  return { uuid, generation, project_id, user_id, consumer_type, allocations }
}

/** Uuids of the consumers that have an allocation on a provider. */
export function listHolders(world: World, provider: string): string[] {
  const slot = world.providers.find(provider)
  if (slot === undefined) return []
  return [...world.consumers.onProvider(slot)].map(consumer => world.consumers.row(consumer).uuid)
}

/** Uuids of the providers on which a consumer has an allocation. */
export function listHeld(world: World, consumer: string): string[] {
  const slot = world.consumers.find(consumer)
  if (slot === undefined) return []
  return [...new Set(world.consumers.holdings(slot).map(({ provider }) => world.providers.uuid(provider)))]
}
