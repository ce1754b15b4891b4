import { Bitset } from '../../../kernel/bitset.ts'
import type { AggregateId, ProviderSlot } from '../../../kernel/ids.ts'
import type { World } from '../../../world/world.ts'
import { SlotList } from '../search/slot-list.ts'
import type { TreeMembers } from './tree-members.ts'

const NONE = new SlotList()

/**
 * Which sharing providers a tree can use. Mostly they are those of a single aggregate, whose list is then
 * returned as it is. Without this shortcut, searches of clouds with shared storage take 30 % longer.
 */
export class SharingIndex {
  readonly #world: World
  /** By the number of the aggregate. */
  readonly #byAggregate: (SlotList | undefined)[] = []
  /** All providers in an aggregate with a sharing provider. */
  readonly #sharedWith: Bitset
  /** For the current tree, if several of its aggregates have sharing providers. */
  readonly #joined = new SlotList()

  constructor(world: World, sharing: readonly ProviderSlot[]) {
    this.#world = world
    for (const provider of sharing)
      for (const aggregate of world.providerAggregates.list(provider)) {
        const list = this.#byAggregate[aggregate] ?? new SlotList()
        this.#byAggregate[aggregate] = list
        list.add(provider)
      }
    const groups = this.#byAggregate.flatMap(
      (_, id) => world.providerAggregates.members(id as AggregateId) ?? [],
    )
    this.#sharedWith = Bitset.union(groups)
  }

  /** Each sharing provider once, and none of the tree's own. */
  find(members: TreeMembers, root: ProviderSlot): SlotList {
    const roots = this.#world.providers.root
    let found: SlotList | null = null
    for (let at = this.#next(members, 0); at < members.length; at = this.#next(members, at + 1)) {
      const aggregates = this.#world.providerAggregates.list(members.at(at))
      for (let nth = 0; nth < aggregates.length; nth++) {
        const list = this.#byAggregate[aggregates[nth] as number]
        if (list === undefined || list === found) continue
        if (found !== null || list.some(roots, root)) return this.#join(members, root)
        found = list
      }
    }
    return found ?? NONE
  }

  #next(members: TreeMembers, from: number): number {
    return members.next(this.#sharedWith, from)
  }

  #join(members: TreeMembers, root: ProviderSlot): SlotList {
    const roots = this.#world.providers.root
    const joined = this.#joined
    joined.length = 0
    for (let at = this.#next(members, 0); at < members.length; at = this.#next(members, at + 1))
      for (const aggregate of this.#world.providerAggregates.list(members.at(at)))
        for (const provider of this.#byAggregate[aggregate]?.slots ?? [])
          if (roots[provider] !== root && !joined.has(provider)) joined.add(provider)
    return joined
  }
}
