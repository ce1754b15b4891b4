import { assert } from '../kernel/assert.ts'
import { type AggregateId, aggregateId } from '../kernel/ids.ts'
import { expectPresence, RowRefused } from './change-refused.ts'
import type { Row } from './tables.ts'

/** Aggregates are uuids from requests, numbered in order of first use and never deleted. */
export class Aggregates {
  readonly #byUuid = new Map<string, AggregateId>()
  readonly #uuid = new Map<AggregateId, string>()

  get size(): number {
    return this.#uuid.size
  }

  find(uuid: string): AggregateId | undefined {
    return this.#byUuid.get(uuid)
  }

  uuid(id: AggregateId): string {
    const uuid = this.#uuid.get(id)
    assert(uuid !== undefined, () => `no aggregate numbered ${id}`)
    return uuid
  }

  put(before: Row<'aggregates'> | null, after: Row<'aggregates'> | null): void {
    expectPresence(this.#uuid.has(aggregateId((before ?? after)?.id as number)), before)
    const taken = after === null ? undefined : this.#byUuid.get(after.uuid)
    if (taken !== undefined && taken !== before?.id) throw new RowRefused('taken', 0)
    if (before !== null) {
      this.#byUuid.delete(before.uuid)
      this.#uuid.delete(aggregateId(before.id))
    }
    if (after !== null) {
      this.#byUuid.set(after.uuid, aggregateId(after.id))
      this.#uuid.set(aggregateId(after.id), after.uuid)
    }
  }

  *rows(): Iterable<Row<'aggregates'>> {
    for (const [id, uuid] of this.#uuid) yield { id, uuid }
  }
}
