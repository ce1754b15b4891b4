import type { ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import { isServer } from '../../scheduling/hosts/host-figures.ts'
import { isHost } from '../../scheduling/hosts/hosts.ts'
import type { FlavorSpec, ServerSpec } from '../../scheduling/hosts/server-spec.ts'
import type { World } from '../../world/world.ts'
import { makeHeldFlavor } from './held-flavor.ts'

/** A Placement consumer with allocations on a host, of type INSTANCE or without a type. */
export interface Server {
  readonly slot: ConsumerSlot
  readonly uuid: string
  /** Its uuid, if it has no name here. */
  readonly name: string
  readonly projectId: string
  readonly userId: string
  /** When its allocations were last written; the ledger keeps no creation time. */
  readonly writtenMs: number
  readonly host: ProviderSlot
}

/** Finds servers among the consumers of one revision of the world. */
export class Servers {
  readonly #world: World
  /** Whether a root is a host: many consumers have the same. */
  readonly #isHost = new Map<ProviderSlot, boolean>()

  constructor(world: World) {
    this.#world = world
  }

  find(uuid: string): Server | undefined {
    const slot = this.#world.consumers.find(uuid)
    return slot === undefined ? undefined : this.#read(slot)
  }

  *ofProject(project: string): Iterable<Server> {
    for (const slot of this.#world.consumers.ofProject(project)) {
      const server = this.#read(slot)
      if (server !== undefined) yield server
    }
  }

  *all(): Iterable<Server> {
    for (const { id } of this.#world.consumers.rows()) {
      const server = this.#read(id as ConsumerSlot)
      if (server !== undefined) yield server
    }
  }

  #read(slot: ConsumerSlot): Server | undefined {
    if (!isServer(this.#world, slot)) return undefined
    const host = this.#findHost(slot)
    if (host === undefined) return undefined
    const { uuid, project_id, user_id, updated_at } = this.#world.consumers.row(slot)
    const name = this.#world.compute.nameOf(slot) ?? uuid
    return { slot, uuid, name, projectId: project_id, userId: user_id, writtenMs: updated_at, host }
  }

  #findHost(slot: ConsumerSlot): ProviderSlot | undefined {
    const { consumers, providers } = this.#world
    for (const { provider } of consumers.holdings(slot)) {
      const root = providers.rootOf(provider)
      let known = this.#isHost.get(root)
      if (known === undefined) {
        known = isHost(this.#world, root)
        this.#isHost.set(root, known)
      }
      if (known) return root
    }
    return undefined
  }
}

/** The flavor of a server that was scheduled here; of others, the amounts that they hold in the form of a flavor. */
export function findFlavor(world: World, slot: ConsumerSlot): FlavorSpec {
  const request = world.compute.getRequest(slot)
  if (request !== undefined) return (JSON.parse(request.request) as ServerSpec).flavor
  const { vcpus, ram, disk } = sumHeld(world, slot)
  return makeHeldFlavor(vcpus, ram, disk)
}

/** The image of a server that was scheduled here, if it was named. */
export function findImage(world: World, slot: ConsumerSlot): string | null {
  const request = world.compute.getRequest(slot)
  if (request === undefined) return null
  return (JSON.parse(request.request) as ServerSpec).image?.id ?? null
}

const AMOUNTS: ReadonlyMap<string, 'vcpus' | 'ram' | 'disk'> = new Map([
  ['VCPU', 'vcpus'],
  ['PCPU', 'vcpus'],
  ['MEMORY_MB', 'ram'],
  ['DISK_GB', 'disk'],
])

export function sumHeld({ consumers, classes }: World, slot: ConsumerSlot) {
  const sums = { vcpus: 0, ram: 0, disk: 0 }
  for (const { class: id, used } of consumers.holdings(slot)) {
    const amount = AMOUNTS.get(classes.name(id))
    if (amount !== undefined) sums[amount] += used
  }
  return sums
}
