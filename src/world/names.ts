import { assert } from '../kernel/assert.ts'
import { expectPresence, RowRefused } from './change-refused.ts'
import type { Row } from './tables.ts'

type NamedRow = Row<'traits'> | Row<'resource_classes'>

/** Resource classes or traits: names and numbers, indexed both ways. */
export class NameTable<Id extends number> {
  readonly #byName = new Map<string, Id>()
  readonly #rows = new Map<Id, NamedRow>()

  put(before: NamedRow | null, after: NamedRow | null): void {
    expectPresence(this.#rows.has((before ?? after)?.id as Id), before)
    const taken = after === null ? undefined : this.#byName.get(after.name)
    if (taken !== undefined && taken !== before?.id) throw new RowRefused('taken', 0)
    if (before !== null) {
      this.#rows.delete(before.id as Id)
      this.#byName.delete(before.name)
    }
    if (after !== null) {
      this.#rows.set(after.id as Id, after)
      this.#byName.set(after.name, after.id as Id)
    }
  }

  get size(): number {
    return this.#rows.size
  }

  id(name: string): Id | undefined {
    return this.#byName.get(name)
  }

  row(id: Id): NamedRow {
    const row = this.#rows.get(id)
    assert(row !== undefined, () => `no name numbered ${id}`)
    return row
  }

  name(id: Id): string {
    return this.row(id).name
  }

  nextId(lowest: number): Id {
    let next = lowest
    for (const id of this.#rows.keys()) if (id >= next) next = id + 1
    return next as Id
  }

  /** By id: standard ones first, then in order of creation. */
  *listInOrder(): IterableIterator<NamedRow> {
    for (const id of [...this.#rows.keys()].sort((a, b) => a - b)) yield this.#rows.get(id) as NamedRow
  }

  rows(): Iterable<NamedRow> {
    return this.#rows.values()
  }
}
