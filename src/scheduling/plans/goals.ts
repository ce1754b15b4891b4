import { assert } from '../../kernel/assert.ts'
import { countFits } from '../hosts/count-fits.ts'
import type { AskRefusal } from '../hosts/host-selection.ts'
import type { ServerAsk } from '../hosts/server-spec.ts'
import type { PlanWorld } from './plan-world.ts'

/** The state that a search looks for, with a lower bound of the moves that lead to it. */
export interface Target {
  /** Hosts that nothing moves to. */
  readonly closed: readonly string[]
  /** A lower bound of the moves that are missing; 0 only if the target is reached. */
  countMissing(plan: PlanWorld): Promise<number>
}

export const drainTarget = (hosts: readonly string[]): Target => ({
  closed: hosts,
  countMissing: async plan => hosts.reduce((sum, host) => sum + plan.countServers(host), 0),
})

export const countEmptyHosts = async (plan: PlanWorld): Promise<number> =>
  (await plan.countOnHosts()).filter(({ servers }) => servers === 0).length

/** At least the servers of the hosts with the fewest servers have to move. */
export const emptyTarget = (wanted: number): Target => ({
  closed: [],
  async countMissing(plan) {
    const counts = (await plan.countOnHosts()).map(({ servers }) => servers).sort((a, b) => a - b)
    if (counts.length < wanted) return Number.POSITIVE_INFINITY
    return counts.slice(0, wanted).reduce((sum, count) => sum + count, 0)
  },
})

export const fitTarget = (ask: ServerAsk, wanted: number): Target => ({
  closed: [],
  countMissing: async plan => ((await countFitting(plan, ask, wanted)) >= wanted ? 0 : 1),
})

/** How many servers of the request fit; counting stops at `claimsMax`. */
export async function countFitting(plan: PlanWorld, ask: ServerAsk, claimsMax: number): Promise<number> {
  const found = await countFits(plan.copy, ask, plan.setup, { ...plan.way, claimsMax })
  assert(found.kind === 'fits', 'a request that could be counted before can be counted')
  return found.hosts.reduce((sum, { fits }) => sum + fits, 0)
}

/** The hosts that a server of the request fits on. */
export async function listFitting(plan: PlanWorld, ask: ServerAsk): Promise<string[]> {
  const found = await countFits(plan.copy, ask, plan.setup, { ...plan.way, claimsMax: HOSTS_COUNTED_MAX })
  if (found.kind !== 'fits') return []
  return found.hosts.flatMap(({ slot, fits }) => (fits > 0 ? [plan.world.providers.uuid(slot)] : []))
}

const HOSTS_COUNTED_MAX = 10_000

/** Why the request cannot be counted at all; null if it can. */
export async function findAskFault(plan: PlanWorld, ask: ServerAsk): Promise<AskRefusal | null> {
  const found = await countFits(plan.copy, ask, plan.setup, { ...plan.way, claimsMax: 1 })
  return found.kind === 'fits' ? null : found
}
