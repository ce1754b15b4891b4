import type { RecordedChange } from '../../../src/wire/changes.ts'
import type { FleetProvider, Inventory } from '../../../src/wire/fleet.ts'
import type { HostFigure } from '../../../src/wire/hosts.ts'

/** A provider as it is now. */
export interface Provider {
  readonly uuid: string
  name: string
  generation: number
  parent: string | null
  root: string
  readonly inventories: Map<string, Inventory>
  readonly usages: Map<string, number>
  readonly traits: Set<string>
  readonly aggregates: Set<string>
  readonly children: Set<string>
  /** The revision of its line or last change: older changes are already applied. */
  revision: number
  /** The fleet's stamp when it last changed, and when something in the tree below it did. */
  stamp: number
  treeStamp: number
  /** Of a root: sums of its tree by class, once computed. */
  sums: ReadonlyMap<string, Figures> | null
}

/** Of all providers of a tree together; the capacity is (total - reserved) x ratio, in whole pieces. */
export type Figures = Omit<HostFigure, 'over'>

/** A sum that is kept, and how many roots are in it. */
type Total = { -readonly [Name in keyof Figures]: Figures[Name] } & { roots: number }

type Row = Readonly<Record<string, unknown>>

export const SHARING = 'MISC_SHARES_VIA_AGGREGATE'

/** All providers, kept exact by applying to each the changes later than its line. */
export class Fleet {
  readonly providers = new Map<string, Provider>()
  /** Roots whose sums are not part of the totals now. */
  readonly #loose = new Set<string>()
  readonly #totals = new Map<string, Total>()
  /** Every trait that some provider has or had. */
  readonly #traits = new Set<string>()
  revision = 0
  /** Grows with every changed row, so that readers process only what is newer than their stamp. */
  stamp = 0
  /** The stamp when names, parents, traits or classes of inventories last changed: lists depend on these. */
  shapeStamp = 0

  add(line: FleetProvider & { readonly revision: number }): void {
    for (const trait of line.traits) this.#traits.add(trait)
    this.providers.set(line.uuid, {
      uuid: line.uuid,
      name: line.name,
      generation: line.generation,
      parent: line.parent_provider_uuid,
      root: line.root_provider_uuid,
      inventories: new Map(Object.entries(line.inventories)),
      usages: new Map(Object.entries(line.usages)),
      traits: new Set(line.traits),
      aggregates: new Set(line.aggregates),
      children: new Set(),
      revision: line.revision,
      stamp: this.stamp,
      treeStamp: this.stamp,
      sums: null,
    })
  }

  /** Called when all lines are in; they may come in any order. */
  link(revision: number): void {
    this.revision = revision
    for (const provider of this.providers.values())
      if (provider.parent === null) this.#loose.add(provider.uuid)
      else this.providers.get(provider.parent)?.children.add(provider.uuid)
  }

  apply({ revision, ops }: RecordedChange): void {
    for (const { table, before, after } of ops) this.#applyRow(table, before, after, revision)
    this.revision = revision
  }

  #applyRow(table: string, before: Row | null, after: Row | null, revision: number): void {
    if (table === 'resource_providers') {
      this.#applyProvider(before, after, revision)
      return
    }
    const row = (after ?? before) as Row
    const provider = typeof row.provider === 'string' ? this.providers.get(row.provider) : undefined
    if (provider === undefined || revision <= provider.revision) return
    if (table === 'inventories') {
      const name = String(row.resource_class)
      if (after === null) provider.inventories.delete(name)
      else provider.inventories.set(name, after as unknown as Inventory)
    } else if (table === 'provider_traits') {
      this.#traits.add(String(row.trait))
      put(provider.traits, String(row.trait), after !== null)
    } else if (table === 'provider_aggregates')
      put(provider.aggregates, String(row.aggregate), after !== null)
    else if (table === 'allocations')
      addUsage(provider, row, Number(after?.used ?? 0) - Number(before?.used ?? 0))
    else return
    this.#touch(provider, table === 'provider_traits' || (table === 'inventories' && !(before && after)))
  }

  #touch(provider: Provider, isShape: boolean): void {
    provider.stamp = ++this.stamp
    if (isShape) this.shapeStamp = this.stamp
    this.#loosen(provider.root)
  }

  /** The cached sums of a tree are no longer valid. */
  #loosen(root: string): void {
    this.#loose.add(root)
    const top = this.providers.get(root)
    if (top === undefined) return
    top.treeStamp = ++this.stamp
    const known = top.sums
    if (known === null) return
    top.sums = null
    for (const [name, { total, reserved, capacity, used }] of known) {
      const sum = this.#totals.get(name) as Total
      sum.total -= total
      sum.reserved -= reserved
      sum.capacity -= capacity
      sum.used -= used
      if (--sum.roots === 0) this.#totals.delete(name)
    }
  }

  #applyProvider(before: Row | null, after: Row | null, revision: number): void {
    const uuid = String((after ?? before)?.uuid)
    const known = this.providers.get(uuid)
    if (known !== undefined && revision <= known.revision) return
    if (after === null) {
      if (known === undefined) return
      if (known.parent !== null) this.providers.get(known.parent)?.children.delete(uuid)
      this.#touch(known, true)
      this.providers.delete(uuid)
      return
    }
    const parent = (after.parent ?? null) as string | null
    if (known === undefined) this.add(newLine(uuid, after, parent, revision))
    const provider = this.providers.get(uuid) as Provider
    const name = String(after.name)
    if (name !== provider.name) this.#touch(provider, true)
    provider.name = name
    provider.generation = Number(after.generation)
    provider.stamp = ++this.stamp
    if (provider.parent !== parent || known === undefined) this.#hang(provider, parent)
  }

  #hang(provider: Provider, parent: string | null): void {
    if (provider.parent !== null) this.providers.get(provider.parent)?.children.delete(provider.uuid)
    provider.parent = parent
    const above = parent === null ? undefined : this.providers.get(parent)
    above?.children.add(provider.uuid)
    this.#touch(provider, true)
    const root = above?.root ?? provider.uuid
    for (const below of this.subtree(provider.uuid)) below.root = root
    this.#loosen(root)
  }

  get roots(): Provider[] {
    return [...this.providers.values()].filter(provider => provider.parent === null)
  }

  /** A provider and all below it, depth first, siblings by name. */
  subtree(uuid: string): Provider[] {
    const top = this.providers.get(uuid)
    if (top === undefined) return []
    const found: Provider[] = []
    const visit = (provider: Provider): void => {
      found.push(provider)
      this.childrenOf(provider).forEach(visit)
    }
    visit(top)
    return found
  }

  childrenOf(provider: Provider): Provider[] {
    return [...provider.children]
      .flatMap(uuid => this.providers.get(uuid) ?? [])
      .sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }))
  }

  /** What the whole tree has of each class. */
  sums(top: Provider): ReadonlyMap<string, Figures> {
    if (top.sums !== null) return top.sums
    const sums = new Map<string, Figures>()
    for (const provider of this.#members(top.uuid))
      for (const [name, inventory] of provider.inventories)
        sums.set(name, plus(sums.get(name), figuresOf(inventory, provider.usages.get(name) ?? 0)))
    if (top.parent !== null) return sums
    top.sums = sums
    this.#loose.delete(top.uuid)
    for (const [name, figures] of sums) this.#addToTotal(name, figures)
    return sums
  }

  #addToTotal(name: string, { total, reserved, capacity, used }: Figures): void {
    const sum = this.#totals.get(name)
    if (sum === undefined) this.#totals.set(name, { total, reserved, capacity, used, roots: 1 })
    else {
      sum.total += total
      sum.reserved += reserved
      sum.capacity += capacity
      sum.used += used
      sum.roots++
    }
  }

  /** What there is of each class in all trees together. Only trees that changed are summed up again. */
  totals(): ReadonlyMap<string, Figures> {
    for (const uuid of this.#loose) {
      const root = this.providers.get(uuid)
      if (root?.parent === null) this.sums(root)
    }
    this.#loose.clear()
    return this.#totals
  }

  *#members(uuid: string): Generator<Provider> {
    const provider = this.providers.get(uuid)
    if (provider === undefined) return
    yield provider
    for (const child of provider.children) yield* this.#members(child)
  }

  /** Traits with this in their name, in small letters. */
  traitsLike(text: string): string[] {
    return [...this.#traits].filter(trait => trait.toLowerCase().includes(text))
  }

  /** Providers that share what they have with this one, by an aggregate that both are in. */
  sharingWith(provider: Provider): Provider[] {
    const aggregates = new Set(this.subtree(provider.root).flatMap(member => [...member.aggregates]))
    return [...this.providers.values()].filter(
      other =>
        other.root !== provider.root &&
        other.traits.has(SHARING) &&
        [...other.aggregates].some(aggregate => aggregates.has(aggregate)),
    )
  }
}

export const isHost = (fleet: Fleet, root: Provider): boolean => {
  if (root.traits.has(SHARING)) return false
  const sums = fleet.sums(root)
  return sums.has('VCPU') || sums.has('PCPU')
}

export const capacityOf = ({ total, reserved, allocation_ratio }: Inventory): number =>
  Math.floor((total - reserved) * allocation_ratio)

export const figuresOf = (inventory: Inventory, used: number): Figures => ({
  total: inventory.total,
  reserved: inventory.reserved,
  capacity: capacityOf(inventory),
  used,
})

const plus = (one: Figures | undefined, other: Figures): Figures =>
  one === undefined
    ? other
    : {
        total: one.total + other.total,
        reserved: one.reserved + other.reserved,
        capacity: one.capacity + other.capacity,
        used: one.used + other.used,
      }

/** From 0; above 1 if over capacity. A class without capacity is full. */
export const shareOf = ({ used, capacity }: Figures): number =>
  capacity > 0 ? used / capacity : used > 0 ? 2 : 1

function put(set: Set<string>, value: string, isIn: boolean): void {
  if (isIn) set.add(value)
  else set.delete(value)
}

function addUsage(provider: Provider, row: Row, difference: number): void {
  const name = String(row.resource_class)
  provider.usages.set(name, (provider.usages.get(name) ?? 0) + difference)
}

const newLine = (uuid: string, row: Row, parent: string | null, revision: number) => ({
  uuid,
  name: String(row.name),
  generation: Number(row.generation),
  parent_provider_uuid: parent,
  root_provider_uuid: uuid,
  inventories: {},
  usages: {},
  traits: [],
  aggregates: [],
  // The rest of this change still applies to it.
  revision: revision - 1,
})
