import { assert } from '../../kernel/assert.ts'
import { type ClassId, classId, NO_PROVIDER, type ProviderSlot, providerSlot } from '../../kernel/ids.ts'
import { insert, type RowOp } from '../../world/change.ts'
import type { World } from '../../world/world.ts'
import { CUSTOM_CLASS_ID_MIN } from '../classes/classes.ts'

/**
 * The world as it will be after the lines so far. Rules do not write to the world, so this holds their
 * decisions, as far as later lines need them.
 */
export class ImportDraft {
  readonly world: World
  readonly nowMs: number
  /** Existing providers and consumers get the generation of their line, instead of the next one. */
  readonly exactGenerations: boolean
  readonly ops: RowOp[] = []
  readonly #classes = new Map<string, ClassId>()
  readonly #traits = new Map<string, number>()
  readonly #aggregates = new Map<string, number>()
  /** Null: removed. */
  readonly #providers = new Map<string, ProviderSlot | null>()
  /** Names that were taken, and names that were freed (null). */
  readonly #names = new Map<string, ProviderSlot | null>()
  readonly #parents = new Map<ProviderSlot, ProviderSlot>()
  readonly #inventories = new Map<ProviderSlot, ReadonlySet<ClassId>>()
  /** By provider and class, the increase of usage. */
  readonly #used = new Map<string, number>()
  readonly #freeProviders: IterableIterator<number>
  readonly #freeConsumers: IterableIterator<number>
  #nextClass: number
  #nextTrait: number
  #nextAggregate: number

  /** `count` has the largest number of new providers and consumers. */
  constructor(
    world: World,
    nowMs: number,
    count: {
      readonly providers: number
      readonly consumers: number
      readonly exactGenerations: boolean
    },
  ) {
    this.world = world
    this.nowMs = nowMs
    this.exactGenerations = count.exactGenerations
    this.#freeProviders = world.providers.free.first(count.providers).values()
    this.#freeConsumers = world.consumers.free.first(count.consumers).values()
    this.#nextClass = world.classes.nextId(CUSTOM_CLASS_ID_MIN)
    this.#nextTrait = world.traits.nextId(1)
    this.#nextAggregate = world.aggregates.size + 1
  }

  class(name: string): ClassId | undefined {
    return this.#classes.get(name) ?? this.world.classes.id(name)
  }

  addClass(name: string): void {
    const id = this.#nextClass++
    this.#classes.set(name, classId(id))
    this.ops.push(insert('resource_classes', { id, name, updated_at: this.nowMs }))
  }

  trait(name: string): number | undefined {
    return this.#traits.get(name) ?? this.world.traits.id(name)
  }

  addTrait(name: string): void {
    const id = this.#nextTrait++
    this.#traits.set(name, id)
    this.ops.push(insert('traits', { id, name, updated_at: this.nowMs }))
  }

  /** Aggregates need not exist: naming one creates it. */
  aggregate(uuid: string, ops: RowOp[]): number {
    const known = this.#aggregates.get(uuid) ?? this.world.aggregates.find(uuid)
    if (known !== undefined) return known
    const id = this.#nextAggregate++
    this.#aggregates.set(uuid, id)
    ops.push(insert('aggregates', { id, uuid }))
    return id
  }

  provider(uuid: string): ProviderSlot | undefined {
    const here = this.#providers.get(uuid)
    return here === undefined ? this.world.providers.find(uuid) : (here ?? undefined)
  }

  newProviderSlot(): ProviderSlot {
    return providerSlot(takeNext(this.#freeProviders))
  }

  newConsumerSlot(): number {
    return takeNext(this.#freeConsumers)
  }

  nameOwner(name: string): ProviderSlot | undefined {
    const here = this.#names.get(name)
    return here === undefined ? this.world.providers.findName(name) : (here ?? undefined)
  }

  /** A provider's row as it will be. `oldName` is null for a new one. */
  placeProvider(
    uuid: string,
    slot: ProviderSlot,
    name: string,
    oldName: string | null,
    parent: ProviderSlot,
  ): void {
    if (oldName === null) this.#providers.set(uuid, slot)
    else if (oldName !== name) this.#names.set(oldName, null)
    this.#names.set(name, slot)
    this.#parents.set(slot, parent)
  }

  /** Deletes a provider from the draft. */
  removed(uuid: string, slot: ProviderSlot): void {
    this.#providers.set(uuid, null)
    this.#names.set(this.world.providers.name(slot), null)
    this.#parents.set(slot, NO_PROVIDER)
  }

  /** The future children of an existing provider. */
  hasChildren(slot: ProviderSlot): boolean {
    if ([...this.#parents.values()].includes(slot)) return true
    const { providers } = this.world
    return providers
      .listSubtree(slot)
      .some(one => providers.parentOf(one) === slot && !this.#parents.has(one))
  }

  /** Whether a provider is an ancestor of another, or the same provider. */
  isAbove(above: ProviderSlot, below: ProviderSlot): boolean {
    for (let at = below; at !== NO_PROVIDER; at = this.#parents.get(at) ?? this.world.providers.parentOf(at))
      if (at === above) return true
    return false
  }

  hasInventory(slot: ProviderSlot, id: ClassId): boolean {
    return this.#inventories.get(slot)?.has(id) ?? this.world.inventories.has(slot, id)
  }

  setInventories(slot: ProviderSlot, ids: ReadonlySet<ClassId>): void {
    this.#inventories.set(slot, ids)
  }

  used(slot: ProviderSlot, id: ClassId): number {
    return this.world.inventories.used(slot, id) + (this.#used.get(`${slot} ${id}`) ?? 0)
  }

  use(slot: ProviderSlot, id: ClassId, delta: number): void {
    const key = `${slot} ${id}`
    this.#used.set(key, (this.#used.get(key) ?? 0) + delta)
  }
}

function takeNext(free: IterableIterator<number>): number {
  const { value, done } = free.next()
  assert(done !== true, 'there are as many free slots as things that may be new')
  return value
}
