import { isRefused } from '../client/http.ts'
import { inParallel } from '../client/in-parallel.ts'
import { type Ledger, orderByParents } from '../openstack/placement/ledger.ts'
import type { PlacementApi } from '../openstack/placement/placement-api.ts'
import { readConsumer, readOrphaned, readProvider } from '../openstack/placement/read-api.ts'
import { isOwnedClass } from '../placement/owned.ts'
import type { ConsumerFields, ProviderFields } from '../placement/transfer/lines.ts'
import type { World } from '../world/world.ts'
import { findConsumerFields, findProviderFields, listHeld, listHolders } from './own-ledger.ts'
import { isName, isUuid } from './subjects.ts'

/** The same part of both ledgers. */
export interface PartLedgers {
  readonly theirs: Ledger
  readonly ours: Ledger
  /** By provider: what Placement counts as used without a consumer. */
  readonly orphaned: ReadonlyMap<string, ReadonlyMap<string, number>>
}

const AT_ONCE = 4
/** At most this many related objects are read together. */
const THINGS_MAX = 2_000
const ROUNDS_MAX = 8

/**
 * Reads objects from both sides, with all that is needed to compare and repair them: parents, other holders, providers with the same
 * name.
 */
export class PartReader {
  readonly #world: World
  readonly #api: PlacementApi
  readonly #read = new Set<string>()
  readonly #names = new Set<string>()
  readonly #theirs = {
    classes: new Set<string>(),
    traits: new Set<string>(),
    providers: new Map<string, ProviderFields>(),
    consumers: new Map<string, ConsumerFields>(),
  }
  readonly #orphaned = new Map<string, ReadonlyMap<string, number>>()
  /** By consumer: its generation there. */
  readonly #holders = new Map<string, ReadonlyMap<string, number>>()

  /** Whether to read all consumers of a provider, not only those whose generations differ. */
  readonly #isWhole: boolean

  constructor(world: World, api: PlacementApi, isWhole: boolean) {
    this.#world = world
    this.#api = api
    this.#isWhole = isWhole
  }

  async read(subjects: Iterable<string>): Promise<PartLedgers> {
    let open = [...subjects].filter(isUuid)
    for (const name of subjects) if (isName(name)) await this.#readName(name)
    for (let round = 0; open.length > 0 && round < ROUNDS_MAX; round++) {
      await inParallel(open, AT_ONCE, uuid => this.#readThing(uuid))
      open = [...new Set(this.#listRelated())]
        .filter(uuid => !this.#read.has(uuid))
        .slice(0, THINGS_MAX - this.#read.size)
    }
    for (const provider of this.#theirs.providers.values()) {
      for (const name of Object.keys(provider.inventories)) this.#theirs.classes.add(name)
      for (const name of provider.traits) this.#theirs.traits.add(name)
    }
    return {
      theirs: { ...this.#theirs, providers: sortByParents(this.#theirs.providers) },
      ours: this.#readOurs(),
      orphaned: this.#orphaned,
    }
  }

  async #readThing(uuid: string): Promise<void> {
    this.#read.add(uuid)
    const provider = await this.#readProvider(uuid)
    if (provider !== null) return
    const consumer = await readConsumer(this.#api, uuid)
    if (consumer !== null) this.#theirs.consumers.set(uuid, consumer)
  }

  async #readProvider(uuid: string): Promise<ProviderFields | null> {
    try {
      const listed = await this.#api.get<ProviderFields>(`/resource_providers/${uuid}`)
      const { provider, holders, held } = await readProvider(this.#api, listed)
      this.#orphaned.set(uuid, await readOrphaned(this.#api, uuid, held))
      this.#theirs.providers.set(uuid, provider)
      this.#holders.set(uuid, holders)
      return provider
    } catch (error) {
      if (isRefused(error, 404)) return null
      throw error
    }
  }

  async #readName(name: string): Promise<void> {
    this.#names.add(name)
    for (const [kind, known] of [
      ['traits', this.#theirs.traits],
      ['resource_classes', this.#theirs.classes],
    ] as const)
      try {
        await this.#api.send('GET', `/${kind}/${name}`)
        known.add(name)
      } catch (error) {
        if (!isRefused(error, 404)) throw error
      }
  }

  *#listRelated(): Generator<string> {
    const { providers } = this.#world
    for (const uuid of this.#read) {
      const theirs = this.#theirs.providers.get(uuid)
      const slot = providers.find(uuid)
      if (theirs !== undefined) {
        const parent = theirs.parent_provider_uuid
        if (parent !== null && providers.find(parent) === undefined) yield parent
        const namesake = providers.findName(theirs.name)
        if (namesake !== undefined) yield providers.uuid(namesake)
      } else if (slot !== undefined)
        for (const child of providers.listSubtree(slot)) yield providers.uuid(child)
      yield* this.#listHolders(uuid)
      for (const provider of Object.keys(this.#theirs.consumers.get(uuid)?.allocations ?? {}))
        if (providers.find(provider) === undefined) yield provider
      if (slot === undefined && this.#theirs.consumers.get(uuid) === undefined)
        yield* listHeld(this.#world, uuid)
    }
  }

  /** Consumers that one side lacks on a provider, or has with another generation; or all. */
  *#listHolders(provider: string): Generator<string> {
    const theirs = this.#holders.get(provider) ?? new Map<string, number>()
    const ours = new Set(listHolders(this.#world, provider))
    for (const uuid of ours) if (!theirs.has(uuid)) yield uuid
    for (const [uuid, generation] of theirs)
      if (
        this.#isWhole ||
        !ours.has(uuid) ||
        findConsumerFields(this.#world, uuid)?.generation !== generation
      )
        yield uuid
  }

  /** The class of Berth's own shares is not part of the ledger. */
  #isOnlyOwn(name: string): boolean {
    return isOwnedClass(this.#world, name) && !this.#theirs.classes.has(name)
  }

  #readOurs(): Ledger {
    const { classes, traits } = this.#world
    const providers = new Map<string, ProviderFields>()
    const consumers = new Map<string, ConsumerFields>()
    for (const uuid of this.#read) {
      const provider = findProviderFields(this.#world, uuid)
      if (provider !== null) providers.set(uuid, provider)
      const consumer = findConsumerFields(this.#world, uuid)
      // The API does not show consumers without allocations.
      const isIdle = consumer !== null && Object.keys(consumer.allocations).length === 0
      if (consumer !== null && !(isIdle && !this.#theirs.consumers.has(uuid))) consumers.set(uuid, consumer)
    }
    // Only names that were asked for or that the other side uses.
    const named = [...this.#names, ...this.#theirs.classes, ...this.#theirs.traits]
    return {
      classes: new Set(named.filter(name => classes.id(name) !== undefined && !this.#isOnlyOwn(name))),
      traits: new Set(named.filter(name => traits.id(name) !== undefined)),
      providers: sortByParents(providers),
      consumers,
    }
  }
}

/** Parents first. A parent may be outside of this part. */
function sortByParents(providers: ReadonlyMap<string, ProviderFields>): Map<string, ProviderFields> {
  const roots = [...providers.values()].map(one =>
    providers.has(one.parent_provider_uuid ?? '') ? one : { ...one, parent_provider_uuid: null },
  )
  const ordered = [...orderByParents(roots).ordered.keys()]
  return new Map(ordered.map(uuid => [uuid, providers.get(uuid) as ProviderFields]))
}
