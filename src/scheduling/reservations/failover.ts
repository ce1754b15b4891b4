import { type ProviderSlot, providerSlot } from '../../kernel/ids.ts'
import { forgetConsumer } from '../../placement/allocations/ledger.ts'
import type { Change } from '../../world/change.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import { type DrainingWay, findHolders, moveAway } from '../hosts/drain.ts'
import { sumHeldGib } from '../hosts/host-figures.ts'
import { isHost, listAllHosts } from '../hosts/hosts.ts'
import type { KeptPart } from './reservations.ts'

/** Limit of servers that are tried, over all cases. */
const SERVERS_MAX = 20_000

interface Failover {
  readonly parts: readonly KeptPart[]
  /** Servers that find no place in the worst case. */
  readonly short: number
}

/** By provider, then by class. */
type Amounts = Map<ProviderSlot, Map<number, number>>

/**
 * What has to be kept free so that the servers of any one host of an aggregate find a place elsewhere: for each provider, the most that
 * one case takes there. All changes of the copy are undone at the end.
 */
export async function planFailover(
  copy: WorldCopy,
  reservation: number,
  aggregate: string,
  setup: SchedulingSetup,
  way: DrainingWay,
): Promise<Failover> {
  const { world } = copy
  const id = world.compute.aggregates.find(aggregate)?.id
  if (id === undefined) return { parts: [], short: 0 }
  const members = world.compute.aggregateHosts
    .list(id)
    .map(({ provider_id }) => providerSlot(provider_id))
    .filter(host => isHost(world, host))
  const inside = new Set(members)
  const outside = listAllHosts(world).filter(host => !inside.has(host))
  const own = world.reservations.listSlots(reservation).flatMap(slot => forgetConsumer(world, slot))
  const released: Change = { ops: own }
  copy.make(released)
  try {
    const most: Amounts = new Map()
    let [short, left] = [0, SERVERS_MAX]
    for (const host of members) {
      const one = await tryCase(copy, host, outside, setup, way, left)
      left -= one.tried
      short = Math.max(short, one.stuck)
      keepMost(most, one.amounts)
      await way.pause()
    }
    return { parts: splitAmounts(world, most, way.newUuid), short }
  } finally {
    copy.takeBack(released)
  }
}

async function tryCase(
  copy: WorldCopy,
  host: ProviderSlot,
  outside: readonly ProviderSlot[],
  setup: SchedulingSetup,
  way: DrainingWay,
  triedMax: number,
) {
  const { world } = copy
  const { servers } = findHolders(world, [host])
  const largest = servers
    .map(holder => ({ holder, gib: sumHeldGib(world, holder.consumer) }))
    .sort((a, b) => b.gib - a.gib || a.holder.consumer - b.holder.consumer)
  const amounts: Amounts = new Map()
  const made: Change[] = []
  let [stuck, tried] = [0, 0]
  try {
    for (const { holder } of largest) {
      // A server that was not tried counts as stuck: nothing shows that it has a place.
      const moved = tried++ < triedMax ? moveAway(copy, holder, [host, ...outside], setup, way).change : null
      if (moved === null) stuck++
      else {
        made.push(moved)
        addClaimed(amounts, moved, holder.consumer)
      }
      await way.pause()
    }
  } finally {
    for (const change of made.reverse()) copy.takeBack(change)
  }
  return { amounts, stuck, tried }
}

/** What a move claims for its server. */
function addClaimed(amounts: Amounts, { ops }: Change, consumer: number): void {
  for (const op of ops) {
    if (op.table !== 'allocations' || op.after === null || op.after.consumer_id !== consumer) continue
    const { provider_id, class_id, used } = op.after
    const provider = providerSlot(provider_id)
    const before = op.before?.used ?? 0
    const known = amounts.get(provider) ?? new Map<number, number>()
    amounts.set(provider, known.set(class_id, (known.get(class_id) ?? 0) + used - before))
  }
}

function keepMost(most: Amounts, one: Amounts): void {
  for (const [provider, classes] of one) {
    const known = most.get(provider) ?? new Map<number, number>()
    for (const [id, amount] of classes) known.set(id, Math.max(known.get(id) ?? 0, amount))
    most.set(provider, known)
  }
}

/** As much as one consumer may take, such that the rest is no less than one may take. */
function takeUnits(amount: number, min: number, max: number, step: number): number {
  const most = Math.min(amount, Math.max(step, max - (max % step)))
  const rest = amount - most
  const lacks = rest > 0 ? Math.max(0, Math.ceil((min - rest) / step) * step) : 0
  return most - lacks < min ? most : most - lacks
}

/** A consumer may take at most `max_unit` of a class, so larger amounts are split over several consumers. */
function splitAmounts(
  { providers, classes, inventories }: World,
  most: Amounts,
  newUuid: () => string,
): KeptPart[] {
  const parts: KeptPart[] = []
  for (const [provider, amounts] of most) {
    const left = new Map([...amounts].filter(([, amount]) => amount > 0))
    while (left.size > 0) {
      const resources: [string, number][] = []
      for (const [id, amount] of left) {
        const columns = inventories.columns(id as never)
        const [max, step] = [columns?.maxUnit[provider] ?? amount, columns?.stepSize[provider] ?? 1]
        const taken = takeUnits(amount, columns?.minUnit[provider] ?? 1, max, step)
        resources.push([classes.name(id as never), taken])
        if (amount > taken) left.set(id, amount - taken)
        else left.delete(id)
      }
      parts.push({ uuid: newUuid(), allocations: [{ provider: providers.uuid(provider), resources }] })
    }
  }
  return parts
}
