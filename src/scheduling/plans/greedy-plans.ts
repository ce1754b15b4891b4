import type { Change } from '../../world/change.ts'
import { chooseAndClaim } from '../hosts/claim.ts'
import { releaseServer } from '../hosts/host-candidate.ts'
import type { ServerAsk } from '../hosts/server-spec.ts'
import { countFitting, listFitting } from './goals.ts'
import type { StuckServer } from './plan.ts'
import type { PlanWorld } from './plan-world.ts'

/**
 * Greedy searches: fast, but a shorter plan may exist. Each leaves the moves that it found in `plan`.
 */

/** Hosts that are tried to make way for one server. */
const HOSTS_TRIED_MAX = 100
/** Servers that are moved away to make way for one server. */
const AWAY_MAX = 8

/** Moves all servers off the hosts, the largest first; where one finds no place, one other server makes way. */
export async function drainGreedily(plan: PlanWorld, hosts: readonly string[]): Promise<StuckServer[]> {
  let stuck: readonly StuckServer[] = hosts.flatMap(host => {
    const servers = plan.listServers(host)
    return servers.map(instance => ({ instance, host: plan.nameOf(host), why: { kind: 'steps' } as const }))
  })
  for (;;) {
    const before = stuck.length
    stuck = await moveOff(plan, stuck, hosts)
    // Making way for a server takes many steps, so all servers that can move without it move first.
    const left: StuckServer[] = []
    for (const one of stuck)
      if (plan.isExhausted || !lacksPlace(one) || !(await makeWay(plan, one.instance, hosts))) left.push(one)
    stuck = left
    if (stuck.length === 0 || stuck.length === before) return [...stuck]
  }
}

/** Moves what can be moved, and returns the servers that cannot. */
async function moveOff(
  plan: PlanWorld,
  servers: readonly StuckServer[],
  hosts: readonly string[],
): Promise<StuckServer[]> {
  const left: StuckServer[] = []
  for (const one of servers) {
    const why = await plan.tryMove(one.instance, null, hosts)
    // An earlier reason tells the reader more than "the limit of steps was reached".
    if (why !== null) left.push(why.kind === 'steps' ? one : { ...one, why })
  }
  return left
}

/** Whether moving another server out of the way may help. */
const lacksPlace = ({ why }: StuckServer): boolean => why.kind === 'refused' || why.kind === 'ties'

/** Moves one server off another host, and this one onto that host. */
async function makeWay(plan: PlanWorld, instance: string, closed: readonly string[]): Promise<boolean> {
  const no = new Set(closed)
  for (const host of plan
    .listHosts()
    .filter(one => !no.has(one))
    .slice(0, HOSTS_TRIED_MAX))
    for (const other of plan.listServers(host)) {
      if (plan.isExhausted) return false
      const before = plan.moves.length
      if (!mayMove(plan, other) || !(await canFollow(plan, instance, other, host))) continue
      if ((await plan.tryMove(other, null, [...closed, host])) !== null) continue
      if ((await plan.tryMove(instance, host)) === null) return true
      plan.undoTo(before)
    }
  return false
}

/** Greedy plans move no server twice, so they end. */
const wasMoved = ({ moves }: PlanWorld, instance: string): boolean =>
  moves.some(move => move.instance === instance)

const mayMove = (plan: PlanWorld, instance: string): boolean =>
  !plan.budget.never.has(instance) && !wasMoved(plan, instance)

/** Whether a server could move to a host if another server were gone. */
async function canFollow(plan: PlanWorld, instance: string, other: string, host: string): Promise<boolean> {
  return plan.suppose(releaseServer(plan.world, other), async () => {
    const before = plan.moves.length
    const isPossible = (await plan.tryMove(instance, host)) === null
    plan.undoTo(before)
    return isPossible
  })
}

/** Empties the hosts with the fewest servers, as long as the others have room. */
export async function consolidateGreedily(plan: PlanWorld, free: number): Promise<void> {
  const counts = await plan.countOnHosts()
  const closed = counts.filter(({ servers }) => servers === 0).map(({ host }) => host)
  const used = counts.filter(({ servers }) => servers > 0).sort((a, b) => a.servers - b.servers)
  let freed = 0
  for (const { host } of used) {
    if (freed >= free || plan.isExhausted) return
    const before = plan.moves.length
    const isEmptied = await empty(plan, host, closed)
    if (isEmptied) {
      closed.push(host)
      freed++
    } else plan.undoTo(before)
  }
}

async function empty(plan: PlanWorld, host: string, closed: readonly string[]): Promise<boolean> {
  for (const instance of plan.listServers(host))
    if (wasMoved(plan, instance) || (await plan.tryMove(instance, null, [...closed, host])) !== null)
      return false
  return true
}

/** Makes room for one more server of the request, with as few moves as it finds. True if it could. */
export async function makeRoomGreedily(plan: PlanWorld, ask: ServerAsk, wanted: number): Promise<boolean> {
  const start = plan.moves.length
  let best: { readonly host: string; readonly away: readonly string[] } | null = null
  for (const host of plan.listHosts().slice(0, HOSTS_TRIED_MAX)) {
    if (plan.isExhausted) break
    const away = await findAway(plan, ask, host)
    if (away === null || (best !== null && away.length >= best.away.length)) continue
    if (await moveAway(plan, host, away, ask, wanted)) best = { host, away }
    plan.undoTo(start)
    if (best?.away.length === 1) break
  }
  return best !== null && (await moveAway(plan, best.host, best.away, ask, wanted))
}

/** The servers that must leave a host for the request to fit there: one if that suffices, otherwise the smallest ones. */
async function findAway(plan: PlanWorld, ask: ServerAsk, host: string): Promise<readonly string[] | null> {
  const movable = plan
    .listServers(host)
    .filter(one => mayMove(plan, one))
    .reverse()
    .slice(0, 4 * AWAY_MAX)
  for (const one of movable) if (await fitsWithout(plan, ask, host, [one])) return [one]
  for (let count = 2; count <= Math.min(AWAY_MAX, movable.length); count++)
    if (await fitsWithout(plan, ask, host, movable.slice(0, count))) return movable.slice(0, count)
  return null
}

async function fitsWithout(
  plan: PlanWorld,
  ask: ServerAsk,
  host: string,
  away: readonly string[],
): Promise<boolean> {
  const { copy, world, way, setup } = plan
  await way.pause()
  if (!plan.countStep()) return false
  const released: Change[] = []
  for (const one of away) {
    const change = releaseServer(world, one)
    copy.make(change)
    released.push(change)
  }
  const order = { ask: { ...ask, host, instances: [way.newUuid()] }, setup, seed: way.seed, alternates: 0 }
  const command = { ...order, sourceHolder: null, decision: '', rankedHosts: [] }
  const decision = chooseAndClaim(world, command, way.nowMs)
  for (const change of released.toReversed()) copy.takeBack(change)
  return decision.ok
}

/** Moves servers off a host until `wanted` servers of the request fit. Avoids hosts where the request fits now. */
async function moveAway(
  plan: PlanWorld,
  host: string,
  away: readonly string[],
  ask: ServerAsk,
  wanted: number,
): Promise<boolean> {
  const before = plan.moves.length
  const fitting = await listFitting(plan, ask)
  for (const closed of fitting.length === 0 ? [[]] : [fitting, []]) {
    if (await moveAll(plan, away.toReversed(), [...closed, host]))
      if ((await countFitting(plan, ask, wanted)) >= wanted) return true
    plan.undoTo(before)
  }
  return false
}

async function moveAll(
  plan: PlanWorld,
  servers: readonly string[],
  closed: readonly string[],
): Promise<boolean> {
  for (const instance of servers) if ((await plan.tryMove(instance, null, closed)) !== null) return false
  return true
}
