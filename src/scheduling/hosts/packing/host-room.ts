import type { ClassId, ProviderSlot } from '../../../kernel/ids.ts'
import type { World } from '../../../world/world.ts'
import { getOrCompute, memoizeByIdentity } from '../../framework/memoize.ts'
import { getRequestMix, type Need, type RequestMix } from './request-mix.ts'

/**
 * The free capacity of one tree, as a table of providers and classes. `getHostRoom` returns the same object until the tree
 * changes, so results can be cached by it.
 */
export class HostRoom {
  /** The root first. */
  readonly slots: readonly ProviderSlot[]
  /** The classes that at least one provider has an inventory of. */
  readonly classes: readonly ClassId[]
  /** By provider, then by class (see `indexOf`); 0 without an inventory. */
  readonly free: Float64Array
  readonly capacity: Float64Array
  /** The most that one server may take. */
  readonly unitMax: Float64Array
  readonly #world: World
  #states: States | null = null
  readonly #placeOf: ReadonlyMap<ProviderSlot, number>
  /** Shared by all trees with the same classes. */
  readonly #columns: WeakMap<Need, readonly number[] | null>

  constructor(world: World, root: ProviderSlot) {
    const { providers, inventories } = world
    this.#world = world
    this.slots = providers.firstChild[root] === -1 ? [root] : providers.listSubtree(root)
    this.classes = [...new Set(this.slots.flatMap(slot => inventories.listClasses(slot)))]
    const size = this.slots.length * this.classes.length
    this.free = new Float64Array(size)
    this.capacity = new Float64Array(size)
    this.unitMax = new Float64Array(size)
    this.#columns = getOrCompute(knownColumns(world), this.classes.join(), () => new WeakMap())
    this.#placeOf = new Map(this.slots.map((slot, place) => [slot, place]))
    this.classes.forEach((id, column) => {
      const columns = inventories.columns(id)
      if (columns === undefined) return
      this.slots.forEach((slot, place) => {
        if (!columns.present.has(slot)) return
        const at = place * this.classes.length + column
        this.capacity[at] = Math.floor(columns.capacity[slot] as number)
        this.free[at] = Math.max(0, (this.capacity[at] as number) - (columns.used[slot] as number))
        this.unitMax[at] = columns.maxUnit[slot] as number
      })
    })
  }

  /** The index of a figure; -1 for a provider of another tree, or a class that this tree lacks. */
  indexOf(provider: ProviderSlot, id: ClassId): number {
    const place = this.#placeOf.get(provider)
    const column = this.classes.indexOf(id)
    return place === undefined || column < 0 ? -1 : place * this.classes.length + column
  }

  /** The columns of the classes of a need; null if this tree lacks one of them. */
  columnsOf(need: Need): readonly number[] | null {
    const known = this.#columns.get(need)
    if (known !== undefined) return known
    const found = need.amounts.map(([id]) => this.classes.indexOf(id))
    const columns = found.includes(-1) ? null : found
    this.#columns.set(need, columns)
    return columns
  }

  hasTrait(place: number, anyOf: readonly string[]): boolean {
    const { traits, providerTraits } = this.#world
    const slot = this.slots[place] as ProviderSlot
    return anyOf.some(name => {
      const id = traits.id(name)
      return id !== undefined && providerTraits.has(slot, id)
    })
  }

  /** Equal for interchangeable providers of this tree: same traits and aggregates, same free capacity. */
  stateOf(provider: ProviderSlot): number {
    return this.#readStates().ofPlace[this.#placeOf.get(provider) ?? -1] ?? -1
  }

  /** Equal for trees that no request can tell apart except by names. */
  get signature(): string {
    return this.#readStates().signature
  }

  #readStates(): States {
    this.#states ??= this.#findStates()
    return this.#states
  }

  #findStates(): States {
    const { providers, providerTraits, providerAggregates } = this.#world
    const known = new Map<string, number>()
    const ofPlace = this.slots.map((slot, place) => {
      const from = place * this.classes.length
      let text = `${this.#placeOf.get(providers.parentOf(slot)) ?? ''} ${providerTraits.list(slot).join()}`
      // Aggregates of the root count for the whole tree; the search has checked them already.
      if (place > 0) text += ` ${providerAggregates.list(slot).join()}`
      for (let at = from; at < from + this.classes.length; at++)
        text += ` ${this.free[at]}/${this.capacity[at]}/${this.unitMax[at]}`
      return getOrCompute(known, text, () => known.size)
    })
    const texts = [...known.keys()]
    return { ofPlace, signature: `${this.classes.join()};${ofPlace.join()};${texts.join(';')}` }
  }

  /** The expected mix of requests of the whole cloud. */
  get mix(): RequestMix {
    return getRequestMix(this.#world)
  }

  classId(name: string): ClassId | undefined {
    return this.#world.classes.id(name)
  }

  providerName(provider: ProviderSlot): string {
    return this.#world.providers.name(provider)
  }

  className(id: ClassId): string {
    return this.#world.classes.name(id)
  }
}

interface States {
  readonly ofPlace: readonly number[]
  readonly signature: string
}

interface CachedRoom {
  readonly stamp: number
  readonly life: number
  readonly room: HostRoom
}

const knownColumns = memoizeByIdentity(
  (_: World) => new Map<string, WeakMap<Need, readonly number[] | null>>(),
)

const knownRooms = memoizeByIdentity((_: World) => new Map<ProviderSlot, CachedRoom>())

/** The present room of a host. */
export function getHostRoom(world: World, root: ProviderSlot): HostRoom {
  const known = knownRooms(world)
  const stamp = world.providers.treeStamp[root] as number
  const life = world.lives + world.providers.inserts + world.providerAggregates.changes
  const before = known.get(root)
  if (before !== undefined && before.stamp === stamp && before.life === life) return before.room
  const room = new HostRoom(world, root)
  known.set(root, { stamp, life, room })
  return room
}
