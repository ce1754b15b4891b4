import { assert } from '../kernel/assert.ts'
import type { Blueprint } from './blueprint.ts'

export type Amounts = Readonly<Record<string, number>>

/** Provider to class to amount. */
export type Taken = Readonly<Record<string, Amounts>>

/** The free capacity of the demo's providers, so that every claim fits. */
export class FreeCapacity {
  readonly #free = new Map<string, Map<string, number>>()
  readonly #total = new Map<string, Map<string, number>>()

  constructor(providers: readonly Blueprint[]) {
    for (const { name, inventories } of providers) {
      const capacities = Object.entries(inventories).map(
        ([unit, { total, reserved, allocationRatio }]) =>
          [unit, Math.trunc((total - reserved) * allocationRatio)] as const,
      )
      this.#free.set(name, new Map(capacities))
      this.#total.set(name, new Map(capacities))
    }
  }

  free(provider: string, unit: string): number {
    return this.#free.get(provider)?.get(unit) ?? 0
  }

  /** From 0 to 1. */
  fill(provider: string, unit: string): number {
    const total = this.#total.get(provider)?.get(unit) ?? 0
    return total === 0 ? 1 : 1 - this.free(provider, unit) / total
  }

  fits(taken: Taken): boolean {
    return Object.entries(taken).every(([provider, amounts]) =>
      Object.entries(amounts).every(([unit, amount]) => amount <= this.free(provider, unit)),
    )
  }

  take(taken: Taken): void {
    assert(this.fits(taken), () => `the demo has room for ${JSON.stringify(taken)}`)
    for (const [provider, amounts] of Object.entries(taken))
      for (const [unit, amount] of Object.entries(amounts))
        this.#free.get(provider)?.set(unit, this.free(provider, unit) - amount)
  }
}
