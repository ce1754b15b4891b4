import { Random } from '../../src/kernel/random.ts'

/** The random choices of a seed. */
export class Chance extends Random {
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  /** True with this probability in percent. */
  percent(share: number): boolean {
    return this.below(10_000) < share * 100
  }

  /** Mostly small, now and then near the limit. */
  size(max: number): number {
    return this.below(this.below(this.below(max + 1) + 1) + 1)
  }

  weighted<T extends { readonly weight: number }>(items: readonly T[], sum: number): T {
    let left = (this.below(1_000_000) / 1_000_000) * sum
    for (const item of items) {
      left -= item.weight
      if (left < 0) return item
    }
    return items.at(-1) as T
  }

  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.below(16).toString(16)).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
  }
}
