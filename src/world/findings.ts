import type { World } from './world.ts'

/** Something in a world, or in a store, that breaks an invariant. */
export interface Finding<Kind extends string = string> {
  readonly kind: Kind
  readonly what: string
}

/** The first findings, and how many there are in all. */
export interface FirstFindings<T> {
  readonly items: readonly T[]
  readonly count: number
}

/** Takes findings. */
export interface Report<T> {
  add(finding: T): void
}

const ITEMS_MAX = 100

/** Counts all findings and keeps the first of them. */
export class FindingCollector<T> implements Report<T> {
  readonly #items: T[] = []
  #count = 0

  add(finding: T): void {
    this.#count++
    if (this.#items.length < ITEMS_MAX) this.#items.push(finding)
  }

  get found(): FirstFindings<T> {
    return { items: this.#items, count: this.#count }
  }
}

/** Reports where a world breaks the invariants of one service, whatever the rules were that made it. */
export type InvariantCheck = (world: World, report: Report<Finding>) => void

export function checkInvariants(world: World, checks: readonly InvariantCheck[]): FirstFindings<Finding> {
  const report = new FindingCollector<Finding>()
  for (const check of checks) check(world, report)
  return report.found
}
