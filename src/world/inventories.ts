import { assert } from '../kernel/assert.ts'
import { Bitset } from '../kernel/bitset.ts'
import { type ClassId, classId, type ProviderSlot } from '../kernel/ids.ts'
import { expectPresence } from './change-refused.ts'
import { growFloat64, growLength } from './columns.ts'
import type { Row } from './tables.ts'

/** Amounts are doubles: capacity times ratio exceeds 32 bits. */
export class InventoryColumns {
  readonly present = new Bitset()
  /** Providers with room for their smallest amount: in a full cloud few are left to check. */
  readonly roomy = new Bitset()
  /** The largest `max_unit`. It may be too high after that inventory was deleted. */
  unitMax = 0
  total = new Float64Array(0)
  reserved = new Float64Array(0)
  minUnit = new Float64Array(0)
  maxUnit = new Float64Array(0)
  stepSize = new Float64Array(0)
  ratio = new Float64Array(0)
  /** (total - reserved) x ratio, not rounded. */
  capacity = new Float64Array(0)
  used = new Float64Array(0)
  updatedAt = new Float64Array(0)
  /** The largest amount that one request may still take: a search over thousands reads one number of each. */
  #most = new Float64Array(0)
  /** No inventory has a step size or a minimum: nearly always so. */
  #isByOnes = true

  reach(slot: number): void {
    if (slot < this.total.length) return
    const length = growLength(this.total.length, slot + 1)
    this.total = growFloat64(this.total, length)
    this.reserved = growFloat64(this.reserved, length)
    this.minUnit = growFloat64(this.minUnit, length)
    this.maxUnit = growFloat64(this.maxUnit, length)
    this.stepSize = growFloat64(this.stepSize, length)
    this.ratio = growFloat64(this.ratio, length)
    this.capacity = growFloat64(this.capacity, length)
    this.used = growFloat64(this.used, length)
    this.updatedAt = growFloat64(this.updatedAt, length)
    this.#most = growFloat64(this.#most, length)
  }

  /** After a change of inventory or usage. */
  noteRoom(slot: number): void {
    const isPresent = this.present.has(slot)
    const used = this.used[slot] as number
    const capacity = this.capacity[slot] as number
    if (isPresent && used + (this.minUnit[slot] as number) <= capacity) this.roomy.add(slot)
    else this.roomy.delete(slot)
    this.#most[slot] = isPresent ? Math.min(this.maxUnit[slot] as number, Math.floor(capacity) - used) : 0
  }

  /** Whether one more request of this size fits: free capacity and unit rules. */
  fits(slot: ProviderSlot, amount: number): boolean {
    if (!(amount <= (this.#most[slot] as number))) return false
    if (this.#isByOnes) return amount >= 1
    return amount >= (this.minUnit[slot] as number) && amount % (this.stepSize[slot] as number) === 0
  }

  /** After a change of inventory. */
  noteUnits(slot: number): void {
    this.unitMax = Math.max(
      this.unitMax,
      Math.min(this.maxUnit[slot] as number, this.capacity[slot] as number),
    )
    if (this.minUnit[slot] !== 1 || this.stepSize[slot] !== 1) this.#isByOnes = false
  }
}

/** All inventory and usage, one set of columns per resource class. */
export class Inventories {
  readonly #byClass = new Map<ClassId, InventoryColumns>()
  #count = 0

  /** Undefined for a class without inventory and usage. */
  columns(id: ClassId): InventoryColumns | undefined {
    return this.#byClass.get(id)
  }

  get size(): number {
    return this.#count
  }

  has(provider: ProviderSlot, id: ClassId): boolean {
    return this.#byClass.get(id)?.present.has(provider) ?? false
  }

  used(provider: ProviderSlot, id: ClassId): number {
    return this.#byClass.get(id)?.used[provider] ?? 0
  }

  row(provider: ProviderSlot, id: ClassId): Row<'inventories'> | null {
    const columns = this.#byClass.get(id)
    if (!columns?.present.has(provider)) return null
    return {
      provider_id: provider,
      class_id: id,
      total: columns.total[provider] as number,
      reserved: columns.reserved[provider] as number,
      min_unit: columns.minUnit[provider] as number,
      max_unit: columns.maxUnit[provider] as number,
      step_size: columns.stepSize[provider] as number,
      allocation_ratio: columns.ratio[provider] as number,
      updated_at: columns.updatedAt[provider] as number,
    }
  }

  /** The classes that a provider has an inventory of, by class id. */
  listClasses(provider: ProviderSlot): ClassId[] {
    const ids: ClassId[] = []
    for (const [id, columns] of this.#byClass) if (columns.present.has(provider)) ids.push(id)
    return ids.sort((a, b) => a - b)
  }

  isInUse(id: ClassId): boolean {
    return (this.#byClass.get(id)?.present.size ?? 0) > 0
  }

  put(before: Row<'inventories'> | null, after: Row<'inventories'> | null): void {
    const row = after ?? before
    assert(row !== null, 'an op has a row')
    const slot = row.provider_id
    const columns = this.#reach(classId(row.class_id), slot)
    expectPresence(columns.present.has(slot), before)
    if (after === null) {
      columns.present.delete(slot)
      columns.noteRoom(slot)
      this.#count--
      return
    }
    if (before === null) this.#count++
    columns.present.add(slot)
    columns.total[slot] = after.total
    columns.reserved[slot] = after.reserved
    columns.minUnit[slot] = after.min_unit
    columns.maxUnit[slot] = after.max_unit
    columns.stepSize[slot] = after.step_size
    columns.ratio[slot] = after.allocation_ratio
    columns.capacity[slot] = (after.total - after.reserved) * after.allocation_ratio
    columns.updatedAt[slot] = after.updated_at
    columns.noteUnits(slot)
    columns.noteRoom(slot)
  }

  use(provider: ProviderSlot, id: ClassId, delta: number): void {
    const columns = this.#reach(id, provider)
    const used = (columns.used[provider] as number) + delta
    assert(used >= 0, () => `usage of class ${id} of provider ${provider} fell to ${used}`)
    columns.used[provider] = used
    columns.noteRoom(provider)
  }

  *rows(): Iterable<Row<'inventories'>> {
    for (const [id, columns] of this.#byClass)
      for (const slot of columns.present) yield this.row(slot as ProviderSlot, id) as Row<'inventories'>
  }

  #reach(id: ClassId, slot: number): InventoryColumns {
    let columns = this.#byClass.get(id)
    if (columns === undefined) {
      columns = new InventoryColumns()
      this.#byClass.set(id, columns)
    }
    columns.reach(slot)
    return columns
  }
}
