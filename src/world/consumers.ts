import { assert } from '../kernel/assert.ts'
import { FreeSlots } from '../kernel/free-slots.ts'
import { type ClassId, type ConsumerSlot, classId, type ProviderSlot, providerSlot } from '../kernel/ids.ts'
import { expectPresence, RowRefused } from './change-refused.ts'
import type { Row } from './tables.ts'

interface Holding {
  readonly provider: ProviderSlot
  readonly class: ClassId
  readonly used: number
}

/** Allocations by consumer, provider and project. */
export class Consumers {
  readonly free = new FreeSlots()
  readonly #byUuid = new Map<string, ConsumerSlot>()
  readonly #rows: (Row<'consumers'> | undefined)[] = []
  /** Triples of provider, class and amount. */
  readonly #holdings: (number[] | undefined)[] = []
  readonly #byProvider = new Map<ProviderSlot, Set<ConsumerSlot>>()
  readonly #byProject = new Map<string, Set<ConsumerSlot>>()
  #allocations = 0

  get size(): number {
    return this.#byUuid.size
  }

  get allocations(): number {
    return this.#allocations
  }

  find(uuid: string): ConsumerSlot | undefined {
    return this.#byUuid.get(uuid)
  }

  /** In no particular order; one that changes during the walk may come twice. */
  uuids(): IterableIterator<string> {
    return this.#byUuid.keys()
  }

  findRow(slot: ConsumerSlot): Row<'consumers'> | undefined {
    return this.#rows[slot]
  }

  row(slot: ConsumerSlot): Row<'consumers'> {
    const row = this.#rows[slot]
    assert(row !== undefined, () => `no consumer in slot ${slot}`)
    return row
  }

  /** In the order in which they were written. */
  holdings(slot: ConsumerSlot): Holding[] {
    const flat = this.#holdings[slot] ?? []
    const found: Holding[] = []
    for (let at = 0; at < flat.length; at += 3)
      found.push({
        provider: providerSlot(flat[at] as number),
        class: classId(flat[at + 1] as number),
        used: flat[at + 2] as number,
      })
    return found
  }

  onProvider(provider: ProviderSlot): ReadonlySet<ConsumerSlot> {
    return this.#byProvider.get(provider) ?? EMPTY
  }

  /** The projects that have consumers. */
  projects(): Iterable<string> {
    return this.#byProject.keys()
  }

  ofProject(project: string): ReadonlySet<ConsumerSlot> {
    return this.#byProject.get(project) ?? EMPTY
  }

  put(before: Row<'consumers'> | null, after: Row<'consumers'> | null): void {
    const slot = (after ?? before)?.id as ConsumerSlot
    const held = this.#rows[slot]
    expectPresence(held !== undefined, before)
    if (after !== null && after.uuid !== before?.uuid && this.#byUuid.has(after.uuid))
      throw new RowRefused('taken', 0)
    if (before === null) this.free.occupy(slot)
    else {
      assert(held?.generation === before.generation, () => `consumer ${before.uuid} out of step`)
      this.#byUuid.delete(before.uuid)
      const project = this.#byProject.get(before.project_id)
      project?.delete(slot)
      if (project?.size === 0) this.#byProject.delete(before.project_id)
    }
    if (after === null) {
      assert(this.#holdings[slot] === undefined, () => `consumer slot ${slot} still holds something`)
      this.#rows[slot] = undefined
      this.free.release(slot)
      return
    }
    this.#rows[slot] = after
    this.#byUuid.set(after.uuid, slot)
    addTo(this.#byProject, after.project_id, slot)
  }

  putAllocation(before: Row<'allocations'> | null, after: Row<'allocations'> | null): void {
    const row = (after ?? before) as Row<'allocations'>
    const slot = row.consumer_id as ConsumerSlot
    const provider = row.provider_id as ProviderSlot
    const flat = this.#holdings[slot] ?? []
    const at = findHolding(flat, row.provider_id, row.class_id)
    expectPresence(at >= 0, before)
    if (after === null) {
      flat.splice(at, 3)
      this.#allocations--
      if (flat.length === 0) this.#holdings[slot] = undefined
      if (!holdsFrom(flat, row.provider_id)) {
        const here = this.#byProvider.get(provider)
        here?.delete(slot)
        if (here?.size === 0) this.#byProvider.delete(provider)
      }
    } else if (before !== null) flat[at + 2] = after.used
    else {
      if (!holdsFrom(flat, row.provider_id)) addTo(this.#byProvider, provider, slot)
      flat.push(row.provider_id, row.class_id, row.used)
      this.#allocations++
      this.#holdings[slot] = flat
    }
  }

  *rows(): Iterable<Row<'consumers'>> {
    for (const row of this.#rows) if (row !== undefined) yield row
  }

  *allocationRows(): Iterable<Row<'allocations'>> {
    for (const slot of this.#byUuid.values())
      for (const held of this.holdings(slot))
        yield { consumer_id: slot, provider_id: held.provider, class_id: held.class, used: held.used }
  }
}

const EMPTY: ReadonlySet<never> = new Set()

function addTo<K, V>(index: Map<K, Set<V>>, key: K, value: V): void {
  const set = index.get(key)
  if (set === undefined) index.set(key, new Set<V>().add(value))
  else set.add(value)
}

function findHolding(flat: readonly number[], provider: number, id: number): number {
  for (let at = 0; at < flat.length; at += 3) if (flat[at] === provider && flat[at + 1] === id) return at
  return -1
}

function holdsFrom(flat: readonly number[], provider: number): boolean {
  for (let at = 0; at < flat.length; at += 3) if (flat[at] === provider) return true
  return false
}
