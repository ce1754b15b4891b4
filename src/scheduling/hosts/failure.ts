import type { ProviderSlot } from '../../kernel/ids.ts'
import { type Change, insert, type RowOp, update } from '../../world/change.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import { type DrainedServer, type DrainingWay, findHolders, moveAway } from './drain.ts'
import { sumHeldGib } from './host-figures.ts'
import { getHostRow } from './hosts.ts'

/** What becomes of the servers of hosts that fail at the same time. */
export interface FailureCase {
  readonly hosts: readonly ProviderSlot[]
  readonly servers: number
  /** Those for which a place was looked for, the largest first. */
  readonly tried: readonly (DrainedServer & { readonly gib: number })[]
  readonly stuck: number
  readonly gibStuck: number
  /** Consumers there that are no servers. */
  readonly others: number
}

/** How many more servers may be tried. */
export interface FailureBudget {
  serversLeft: number
}

/**
 * Looks for a place for every server of the hosts, none of them on these hosts: one after the other, the largest first, each
 * with the earlier ones in place. The copy is as before in the end.
 */
export async function tryFailure(
  copy: WorldCopy,
  hosts: readonly ProviderSlot[],
  setup: SchedulingSetup,
  way: DrainingWay,
  budget: FailureBudget,
): Promise<FailureCase> {
  const { world } = copy
  const { servers, others } = findHolders(world, hosts)
  const largest = servers
    .map(holder => ({ holder, gib: sumHeldGib(world, holder.consumer) }))
    .sort((a, b) => b.gib - a.gib || a.holder.consumer - b.holder.consumer)
  const tried: (DrainedServer & { gib: number })[] = []
  const failed: Change = { ops: hosts.flatMap(host => markDown(world, host)) }
  copy.make(failed)
  const made: Change[] = [failed]
  try {
    for (const { holder, gib } of largest) {
      if (budget.serversLeft <= 0) break
      budget.serversLeft--
      const { server, change } = moveAway(copy, holder, hosts, setup, way)
      if (change !== null) made.push(change)
      tried.push({ ...server, gib })
      await way.pause()
    }
  } finally {
    for (const change of made.reverse()) copy.takeBack(change)
  }
  const stuck = tried.filter(({ to }) => to === null)
  return {
    hosts,
    servers: servers.length,
    tried,
    stuck: stuck.length,
    gibStuck: stuck.reduce((sum, { gib }) => sum + gib, 0),
    others,
  }
}

/** Servers of a host that is down may take what is kept for its failure. */
function markDown(world: World, host: ProviderSlot): RowOp[] {
  const before = getHostRow(world, host)
  const after = { ...before, is_forced_down: 1 }
  if (world.compute.host(host) === undefined) return [insert('hosts', after)]
  return before.is_forced_down === 1 ? [] : [update('hosts', before, after)]
}

/** Positive if the second is worse. */
export const compareFailures = (a: FailureCase, b: FailureCase): number =>
  b.stuck - a.stuck || b.gibStuck - a.gibStuck || b.servers - a.servers
