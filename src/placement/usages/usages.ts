import type { ConsumerSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'

/** Usage by class of a project, or of one of its users. Lists only classes in use. */
export function projectUsages(world: World, project: string, user: string | null): Record<string, number> {
  const usages: Record<string, number> = {}
  for (const consumer of consumersOf(world, project, user)) addHoldings(world, consumer, usages)
  return usages
}

type TypedUsages = Record<string, Record<string, number>>

/** The same by consumer type. `all` adds up all types under that name; `unknown` selects consumers without a type. */
export function usagesByType(
  world: World,
  project: string,
  user: string | null,
  wanted: string | null,
): TypedUsages {
  const byType = new Map<string, Record<string, number>>()
  for (const consumer of consumersOf(world, project, user)) {
    // As in Placement, a consumer without allocations is not counted.
    if (world.consumers.holdings(consumer).length === 0) continue
    const type = world.consumers.row(consumer).consumer_type
    if (wanted === 'unknown' ? type !== null : wanted !== null && wanted !== 'all' && type !== wanted)
      continue
    const key = wanted === 'all' ? 'all' : (type ?? 'unknown')
    let usages = byType.get(key)
    if (usages === undefined) {
      usages = { consumer_count: 0 }
      byType.set(key, usages)
    }
    usages.consumer_count = (usages.consumer_count as number) + 1
    addHoldings(world, consumer, usages)
  }
  return Object.fromEntries(byType)
}

function* consumersOf(world: World, project: string, user: string | null): Generator<ConsumerSlot> {
  for (const consumer of world.consumers.ofProject(project))
    if (user === null || world.consumers.row(consumer).user_id === user) yield consumer
}

function addHoldings(world: World, consumer: ConsumerSlot, usages: Record<string, number>): void {
  for (const held of world.consumers.holdings(consumer)) {
    const name = world.classes.name(held.class)
    usages[name] = (usages[name] ?? 0) + held.used
  }
}
