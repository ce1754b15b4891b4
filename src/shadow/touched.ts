import { consumerSlot, providerSlot } from '../kernel/ids.ts'
import type { Change } from '../world/change.ts'
import type { World } from '../world/world.ts'

/** Uuids and custom names that a change touches. Call it while the change is in the world, or just before. */
export function listTouched(world: World, { ops }: Change): Set<string> {
  const found = new Set<string>()
  for (const op of ops) {
    const row = op.after ?? op.before
    if (row === null) continue
    switch (op.table) {
      case 'resource_providers':
      case 'consumers':
        found.add(op.after?.uuid ?? (op.before?.uuid as string))
        break
      case 'resource_classes':
      case 'traits':
        for (const name of [op.before?.name, op.after?.name])
          if (name?.startsWith('CUSTOM_') === true) found.add(name)
        break
      case 'inventories':
      case 'provider_traits':
      case 'provider_aggregates':
      case 'allocations': {
        const { provider_id, ...others } = op.after ?? (op.before as { provider_id: number })
        if (world.providers.exists(provider_id)) found.add(world.providers.uuid(providerSlot(provider_id)))
        if ('consumer_id' in others) addConsumer(world, Number(others.consumer_id), found)
        break
      }
      default:
    }
  }
  return found
}

/** If the row of the consumer is gone, another op of the change has its uuid. */
function addConsumer(world: World, id: number, found: Set<string>): void {
  const row = world.consumers.findRow(consumerSlot(id))
  if (row !== undefined) found.add(row.uuid)
}
