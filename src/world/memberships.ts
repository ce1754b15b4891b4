import { Bitset } from '../kernel/bitset.ts'
import type { ProviderSlot } from '../kernel/ids.ts'
import { RowRefused } from './change-refused.ts'

const NONE: readonly never[] = []

/** Which providers have a trait, or are in an aggregate, indexed both ways. */
export class Memberships<Id extends number> {
  readonly #members = new Map<Id, Bitset>()
  readonly #ofProvider: (Id[] | undefined)[] = []
  #count = 0
  /** Raised by every change, for caches. */
  changes = 0

  get size(): number {
    return this.#count
  }

  members(id: Id): Bitset | undefined {
    return this.#members.get(id)
  }

  has(provider: ProviderSlot, id: Id): boolean {
    return this.#members.get(id)?.has(provider) ?? false
  }

  isInUse(id: Id): boolean {
    return (this.#members.get(id)?.size ?? 0) > 0
  }

  /** In order of id. */
  list(provider: ProviderSlot): readonly Id[] {
    return this.#ofProvider[provider] ?? NONE
  }

  add(provider: ProviderSlot, id: Id): void {
    this.changes++
    let members = this.#members.get(id)
    if (members === undefined) {
      members = new Bitset()
      this.#members.set(id, members)
    }
    if (members.has(provider)) throw new RowRefused('taken')
    members.add(provider)
    const list = this.#ofProvider[provider]
    if (list === undefined) this.#ofProvider[provider] = [id]
    else if ((list.at(-1) as Id) < id) list.push(id)
    else list.splice(findLowerBound(list, id), 0, id)
    this.#count++
  }

  delete(provider: ProviderSlot, id: Id): void {
    this.changes++
    const list = this.#ofProvider[provider]
    const at = list === undefined ? 0 : findLowerBound(list, id)
    if (list?.[at] !== id) throw new RowRefused('missing')
    list.splice(at, 1)
    this.#members.get(id)?.delete(provider)
    this.#count--
  }

  *pairs(): Generator<[ProviderSlot, Id]> {
    for (const [id, members] of this.#members)
      for (const provider of members) yield [provider as ProviderSlot, id]
  }
}

function findLowerBound(list: readonly number[], value: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}
