import type { World } from './world.ts'

/** A violation of an invariant in a world or a store. */
export interface Finding<Kind extends string = string> {
  readonly kind: Kind
  readonly what: string
}

/** The first findings, and the number of all. */
export interface FirstFindings<T> {
  readonly items: readonly T[]
  readonly count: number
}

export interface Report<T> {
  add(finding: T): void
}

const ITEMS_MAX = 100

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

/** Reports violations of one service's invariants. */
export type InvariantCheck = (world: World, report: Report<Finding>) => void

export function checkInvariants(world: World, checks: readonly InvariantCheck[]): FirstFindings<Finding> {
  const report = new FindingCollector<Finding>()
  for (const check of checks) check(world, report)
  return report.found
}

/** Of a column that holds JSON. */
export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
