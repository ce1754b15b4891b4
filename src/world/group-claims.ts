import { KeyedRows } from './indexed-rows.ts'
import type { Row } from './tables.ts'

export type GroupClaimRow = Row<'group_claims'>

/** Consumers that are about to be placed as members of a server group of another service, such as Nova. */
export class GroupClaims {
  readonly #rows = new KeyedRows<GroupClaimRow, string>(row => row.consumer)
  readonly #byGroup = new Map<string, Set<string>>()

  put(before: GroupClaimRow | null, after: GroupClaimRow | null): void {
    this.#rows.put(before, after)
    if (before !== null) {
      const members = this.#byGroup.get(before.group_uuid)
      members?.delete(before.consumer)
      if (members?.size === 0) this.#byGroup.delete(before.group_uuid)
    }
    if (after === null) return
    const members = this.#byGroup.get(after.group_uuid)
    if (members === undefined) this.#byGroup.set(after.group_uuid, new Set([after.consumer]))
    else members.add(after.consumer)
  }

  find(consumer: string): GroupClaimRow | undefined {
    return this.#rows.get(consumer)
  }

  /** The consumers of a group. */
  listConsumers(group: string): ReadonlySet<string> {
    return this.#byGroup.get(group) ?? NOBODY
  }

  /** Mostly the oldest first: a row that is written again goes to the end. */
  rows(): Iterable<GroupClaimRow> {
    return this.#rows.rows()
  }
}

const NOBODY: ReadonlySet<string> = new Set()
