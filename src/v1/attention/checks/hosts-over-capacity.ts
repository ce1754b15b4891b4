import { countText } from '../../../kernel/count-text.ts'
import { type ClassId, classId, type ProviderSlot, providerSlot } from '../../../kernel/ids.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import type { World } from '../../../world/world.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

interface Excess {
  readonly slot: ProviderSlot
  readonly id: ClassId
  readonly over: number
  readonly share: number
}

/** Usage exceeds capacity, because an inventory shrank after it was used. */
export const hostsOverCapacity: AttentionCheck = {
  code: 'provider.over-capacity',
  what: 'Inventories of which more is used than there is.',
  severity: 'critical',
  operation: 'berth:fleet',
  restMs: 0,
  async find({ world, turns }) {
    const worst = new WorstItems()
    let first: Excess | null = null
    for (const { id, name } of world.classes.listInOrder()) {
      await turns.give()
      for (const excess of listExcesses(world, classId(id))) {
        if (first === null || excess.share > first.share) first = excess
        const { slot, over } = excess
        const { used, capacity } = world.inventories.columns(classId(id))!
        worst.add(excess.share, {
          name: world.providers.name(slot),
          text: `${name} ${used[slot]} of ${capacity[slot]}, ${over} too many`,
          link: `/providers/${world.providers.uuid(slot)}`,
        })
      }
    }
    if (first === null) return null
    return {
      total: worst.total,
      text: `${countText(worst.total, 'inventory is', 'inventories are')} used beyond capacity: nothing new fits there`,
      link: `/providers/${world.providers.uuid(first.slot)}`,
      command: findRemedy(world, first),
      items: worst.list(),
    }
  },
}

function* listExcesses({ inventories }: World, id: ClassId): Generator<Excess> {
  const columns = inventories.columns(id)
  if (columns === undefined) return
  const { capacity, used, present } = columns
  for (const at of present) {
    const over = used[at]! - capacity[at]!
    if (over > 0) yield { slot: providerSlot(at), id, over, share: used[at]! / Math.max(1, capacity[at]!) }
  }
}

/** Advises to move the smallest consumer whose move is enough; if there is none, the largest. */
function findRemedy({ consumers, providers }: World, { slot, id, over }: Excess): string {
  let best: { readonly uuid: string; readonly amount: number } | null = null
  for (const consumer of consumers.onProvider(slot)) {
    const amount = consumers
      .holdings(consumer)
      .filter(one => one.provider === slot && one.class === id)
      .reduce((sum, { used }) => sum + used, 0)
    const isBetter =
      best === null || (best.amount < over ? amount > best.amount : amount >= over && amount < best.amount)
    if (isBetter && amount > 0) best = { uuid: consumers.row(consumer).uuid, amount }
  }
  return best === null ? `berth provider show ${shellWord(providers.name(slot))}` : `berth move ${best.uuid}`
}
