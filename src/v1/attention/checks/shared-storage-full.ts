import { countText } from '../../../kernel/count-text.ts'
import { type ProviderSlot, providerSlot } from '../../../kernel/ids.ts'
import { SHARING_TRAIT } from '../../../placement/candidates/plan.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import { isHost } from '../../../scheduling/hosts/hosts.ts'
import type { World } from '../../../world/world.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

/** A provider counts as full from this part of its capacity on. */
const FULL = 0.95

/** A sharing provider is almost full, and hosts without such resources of their own depend on it. */
export const sharedStorageFull: AttentionCheck = {
  code: 'sharing.full',
  what: 'Shared storage that is full (95 %), and how many hosts depend on it.',
  severity: 'critical',
  operation: 'berth:fleet',
  restMs: 0,
  async find({ world, turns }) {
    const { traits, providerTraits, providers, inventories, classes } = world
    const sharing = traits.id(SHARING_TRAIT)
    const worst = new WorstItems()
    let first: { readonly slot: ProviderSlot; readonly fullness: number } | null = null
    for (const at of [...((sharing === undefined ? null : providerTraits.members(sharing)) ?? [])]) {
      await turns.give()
      const slot = providerSlot(at)
      if (!providers.exists(slot)) continue
      for (const id of inventories.listClasses(slot)) {
        const { capacity, used } = inventories.columns(id)!
        const fullness = capacity[slot]! > 0 ? used[slot]! / capacity[slot]! : 1
        if (fullness < FULL) continue
        if (first === null || fullness > first.fullness) first = { slot, fullness }
        const blocked = countBorrowers(world, slot, id)
        const left = Math.max(0, capacity[slot]! - used[slot]!)
        worst.add(fullness, {
          name: providers.name(slot),
          text: `${left} of ${capacity[slot]} ${classes.name(id)} left; ${countText(blocked, 'host depends', 'hosts depend')} on it`,
          link: `/providers/${providers.uuid(slot)}`,
        })
      }
    }
    if (first === null) return null
    return {
      total: worst.total,
      text: `${countText(worst.total, 'shared inventory is', 'shared inventories are')} full: hosts that use it take no new servers`,
      link: `/providers/${providers.uuid(first.slot)}`,
      command: `berth inventory list ${shellWord(providers.name(first.slot))}`,
      items: worst.list(),
    }
  },
}

/** Hosts in its aggregates without their own inventory of the class. */
function countBorrowers(
  world: World,
  lender: ProviderSlot,
  id: Parameters<World['classes']['name']>[0],
): number {
  const { providerAggregates, providers, inventories } = world
  const hosts = new Set<ProviderSlot>()
  for (const aggregate of providerAggregates.list(lender))
    for (const member of providerAggregates.members(aggregate) ?? []) {
      const root = providers.rootOf(providerSlot(member))
      if (root !== lender && isHost(world, root)) hosts.add(root)
    }
  return [...hosts].filter(host => !providers.listSubtree(host).some(one => inventories.has(one, id))).length
}
