import { assert } from '../kernel/assert.ts'
import { FreeSlots } from '../kernel/free-slots.ts'
import { NO_PROVIDER, type ProviderSlot, providerSlot } from '../kernel/ids.ts'
import { expectPresence, RowRefused } from './change-refused.ts'
import { growFloat64, growInt32, growLength } from './columns.ts'
import type { Row } from './tables.ts'

/** Providers by slot, and their trees. */
export class Providers {
  readonly free = new FreeSlots()
  readonly #byUuid = new Map<string, ProviderSlot>()
  readonly #byName = new Map<string, ProviderSlot>()
  readonly #uuid: (string | undefined)[] = []
  readonly #name: string[] = []
  generation = new Float64Array(0)
  updatedAt = new Float64Array(0)
  parent = new Int32Array(0)
  root = new Int32Array(0)
  firstChild = new Int32Array(0)
  nextSibling = new Int32Array(0)
  #previousSibling = new Int32Array(0)
  #lastChild = new Int32Array(0)
  /** By root; raised by every change that shows in a summary of the tree, for caches. */
  treeStamp = new Int32Array(0)
  /** By root: the number of providers in its tree. */
  treeSize = new Int32Array(0)
  #nested = 0
  /** The number of inserts: slots keep their provider until this is raised. */
  inserts = 0

  get size(): number {
    return this.#byUuid.size
  }

  /** One more than the highest slot ever used. */
  get slots(): number {
    return this.#uuid.length
  }

  /** Whether any provider has a parent. */
  get hasTrees(): boolean {
    return this.#nested > 0
  }

  find(uuid: string): ProviderSlot | undefined {
    return this.#byUuid.get(uuid)
  }

  findName(name: string): ProviderSlot | undefined {
    return this.#byName.get(name)
  }

  exists(slot: number): boolean {
    return this.#uuid[slot] !== undefined
  }

  uuid(slot: ProviderSlot): string {
    const uuid = this.#uuid[slot]
    assert(uuid !== undefined, () => `no provider in slot ${slot}`)
    return uuid
  }

  name(slot: ProviderSlot): string {
    return this.#name[slot] as string
  }

  parentOf(slot: ProviderSlot): ProviderSlot {
    return providerSlot(this.parent[slot] as number)
  }

  rootOf(slot: ProviderSlot): ProviderSlot {
    return providerSlot(this.root[slot] as number)
  }

  row(slot: ProviderSlot): Row<'resource_providers'> {
    const parent = this.parent[slot] as number
    return {
      id: slot,
      uuid: this.uuid(slot),
      name: this.#name[slot] as string,
      generation: this.generation[slot] as number,
      parent_id: parent === NO_PROVIDER ? null : parent,
      updated_at: this.updatedAt[slot] as number,
    }
  }

  /** All slots in use, ascending. */
  *all(): Generator<ProviderSlot> {
    for (let slot = 0; slot < this.#uuid.length; slot++)
      if (this.#uuid[slot] !== undefined) yield providerSlot(slot)
  }

  /** The provider and everything below it, parents first. */
  listSubtree(top: ProviderSlot): ProviderSlot[] {
    const found = [top]
    for (let at = 0; at < found.length; at++) {
      let child = this.firstChild[found[at] as number] as number
      while (child !== NO_PROVIDER) {
        found.push(providerSlot(child))
        assert(found.length <= this.#uuid.length, () => `the tree of provider ${top} is a loop`)
        child = this.nextSibling[child] as number
      }
    }
    return found
  }

  isAncestorOrSelf(above: ProviderSlot, below: ProviderSlot): boolean {
    for (let at: number = below; at !== NO_PROVIDER; at = this.parent[at] as number)
      if (at === above) return true
    return false
  }

  touch(slot: number): void {
    const root = this.root[slot] as number
    // While loading, rows of a provider may come before it.
    if (root !== NO_PROVIDER) this.treeStamp[root] = ((this.treeStamp[root] as number) + 1) | 0
  }

  put(before: Row<'resource_providers'> | null, after: Row<'resource_providers'> | null): void {
    const row = (before ?? after) as Row<'resource_providers'>
    expectPresence(this.exists(row.id), before)
    if (before === null) this.#insert(after as Row<'resource_providers'>)
    else if (after === null) this.#delete(before)
    else this.#update(before, after)
  }

  *rows(): Iterable<Row<'resource_providers'>> {
    for (const slot of this.all()) yield this.row(slot)
  }

  #insert(row: Row<'resource_providers'>): void {
    const slot = providerSlot(row.id)
    if (this.#byUuid.has(row.uuid)) throw new RowRefused('taken', 0)
    if (this.#byName.has(row.name)) throw new RowRefused('taken', 1)
    this.#reach(slot)
    this.free.occupy(slot)
    this.inserts++
    this.#uuid[slot] = row.uuid
    this.#name[slot] = row.name
    this.#byUuid.set(row.uuid, slot)
    this.#byName.set(row.name, slot)
    this.generation[slot] = row.generation
    this.updatedAt[slot] = row.updated_at
    this.#link(slot, row.parent_id ?? NO_PROVIDER)
  }

  #delete(row: Row<'resource_providers'>): void {
    const slot = providerSlot(row.id)
    assert(this.#uuid[slot] === row.uuid, () => `slot ${slot} does not hold ${row.uuid}`)
    this.#unlink(slot)
    this.#byUuid.delete(row.uuid)
    this.#byName.delete(this.#name[slot] as string)
    this.#uuid[slot] = undefined
    this.free.release(slot)
    this.touch(slot)
    this.#leaveTree(slot)
  }

  #update(before: Row<'resource_providers'>, after: Row<'resource_providers'>): void {
    const slot = providerSlot(after.id)
    assert(this.#uuid[slot] === after.uuid, () => `slot ${slot} does not hold ${after.uuid}`)
    assert(this.generation[slot] === before.generation, () => `provider ${after.uuid} out of step`)
    if (before.name !== after.name) {
      if (this.#byName.has(after.name)) throw new RowRefused('taken', 1)
      this.#byName.delete(before.name)
      this.#name[slot] = after.name
      this.#byName.set(after.name, slot)
    }
    this.generation[slot] = after.generation
    this.updatedAt[slot] = after.updated_at
    if (before.parent_id !== after.parent_id) {
      // The tree that it leaves changes too.
      this.touch(slot)
      this.#unlink(slot)
      this.#link(slot, after.parent_id ?? NO_PROVIDER)
    }
    this.touch(slot)
  }

  /** Links a node to its parent; while loading, the parent may come later. */
  #link(slot: ProviderSlot, parent: number): void {
    this.parent[slot] = parent
    this.#previousSibling[slot] = NO_PROVIDER
    this.nextSibling[slot] = NO_PROVIDER
    let root: number = slot
    if (parent !== NO_PROVIDER) {
      this.#reach(parent)
      this.#joinSiblings(slot, parent)
      this.#nested++
      root = this.#uuid[parent] === undefined ? slot : (this.root[parent] as number)
    }
    for (const member of this.listSubtree(slot)) {
      this.#leaveTree(member)
      this.root[member] = root
      this.treeSize[root]!++
      this.touch(member)
    }
  }

  #leaveTree(slot: ProviderSlot): void {
    const root = this.root[slot] as number
    if (root !== NO_PROVIDER) this.treeSize[root]!--
    this.root[slot] = NO_PROVIDER
  }

  /** Siblings are in order of slot, not of insertion: the same state gives the same answers. */
  #joinSiblings(slot: ProviderSlot, parent: number): void {
    let previous = this.#lastChild[parent] as number
    while (previous > slot) previous = this.#previousSibling[previous] as number
    const next = (previous === NO_PROVIDER ? this.firstChild[parent] : this.nextSibling[previous]) as number
    this.#previousSibling[slot] = previous
    this.nextSibling[slot] = next
    if (previous === NO_PROVIDER) this.firstChild[parent] = slot
    else this.nextSibling[previous] = slot
    if (next === NO_PROVIDER) this.#lastChild[parent] = slot
    else this.#previousSibling[next] = slot
  }

  #unlink(slot: ProviderSlot): void {
    const parent = this.parent[slot] as number
    if (parent === NO_PROVIDER) return
    const previous = this.#previousSibling[slot] as number
    const next = this.nextSibling[slot] as number
    if (previous === NO_PROVIDER) this.firstChild[parent] = next
    else this.nextSibling[previous] = next
    if (next === NO_PROVIDER) this.#lastChild[parent] = previous
    else this.#previousSibling[next] = previous
    this.parent[slot] = NO_PROVIDER
    this.#nested--
  }

  #reach(slot: number): void {
    while (this.#uuid.length <= slot) this.#uuid.push(undefined)
    if (slot < this.parent.length) return
    const length = growLength(this.parent.length, slot + 1)
    this.generation = growFloat64(this.generation, length)
    this.updatedAt = growFloat64(this.updatedAt, length)
    this.parent = growInt32(this.parent, length, NO_PROVIDER)
    this.root = growInt32(this.root, length, NO_PROVIDER)
    this.firstChild = growInt32(this.firstChild, length, NO_PROVIDER)
    this.nextSibling = growInt32(this.nextSibling, length, NO_PROVIDER)
    this.#previousSibling = growInt32(this.#previousSibling, length, NO_PROVIDER)
    this.#lastChild = growInt32(this.#lastChild, length, NO_PROVIDER)
    this.treeStamp = growInt32(this.treeStamp, length)
    this.treeSize = growInt32(this.treeSize, length)
  }
}
