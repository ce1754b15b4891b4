import type { ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import { listConsumers } from './hosts.ts'

/** How much of one kind of resource a whole host has. */
interface Figure {
  readonly total: number
  readonly reserved: number
  readonly used: number
  /** By total, reserved and ratio. */
  readonly capacity: number
  /** Usage beyond capacity, over all providers of the tree. */
  readonly over: number
}

interface HostFigures {
  readonly cpu: Figure
  readonly memoryMb: Figure
  readonly diskGb: Figure
}

function sumFigure(world: World, host: ProviderSlot, classes: readonly string[]): Figure {
  let [total, reserved, used, capacity, over] = [0, 0, 0, 0, 0]
  for (const name of classes) {
    const id = world.classes.id(name)
    const columns = id === undefined ? undefined : world.inventories.columns(id)
    if (columns === undefined) continue
    for (const provider of world.providers.listSubtree(host)) {
      if (!columns.present.has(provider)) continue
      total += columns.total[provider] as number
      reserved += columns.reserved[provider] as number
      used += columns.used[provider] as number
      const room = Math.floor(columns.capacity[provider] as number)
      capacity += room
      over += Math.max(0, (columns.used[provider] as number) - room)
    }
  }
  return { total, reserved, used, capacity, over }
}

export function sumFigures(world: World, host: ProviderSlot): HostFigures {
  return {
    cpu: sumFigure(world, host, ['VCPU', 'PCPU']),
    memoryMb: sumFigure(world, host, ['MEMORY_MB']),
    diskGb: sumFigure(world, host, ['DISK_GB']),
  }
}

/** Consumers of this type, and those without a type. */
export function isServer({ consumers }: World, consumer: ConsumerSlot): boolean {
  const { consumer_type } = consumers.row(consumer)
  return consumer_type === null || consumer_type === 'INSTANCE'
}

/** Memory and disk that a consumer holds, in GiB. */
export function sumHeldGib({ consumers, classes }: World, consumer: ConsumerSlot): number {
  let gib = 0
  for (const { class: id, used } of consumers.holdings(consumer)) {
    const name = classes.name(id)
    if (name === 'MEMORY_MB') gib += used / 1_024
    else if (name === 'DISK_GB') gib += used
  }
  return Math.round(gib * 100) / 100
}

export function listServers(world: World, host: ProviderSlot): string[] {
  return listConsumers(world, host)
    .filter(slot => isServer(world, slot))
    .map(slot => world.consumers.row(slot).uuid)
}

export const parseCapabilities = (text: string): Readonly<Record<string, unknown>> => JSON.parse(text)
