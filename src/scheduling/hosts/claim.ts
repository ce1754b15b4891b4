import { accept, type Decision, NO_CHANGE } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { placeServers, type Scheduled, type ScheduleOrder, type ScheduleRefusal } from './place-servers.ts'

export interface ClaimHosts extends ScheduleOrder {
  /** The uuid under which the decision is kept. */
  readonly decision: string
  /** Of each server, the uuids of hosts, best first, as they were chosen a moment ago. */
  readonly rankedHosts: readonly (readonly string[])[]
}

/** Claims for each server the first of its ranked hosts that still will do, all or nothing. */
export function claimHosts(
  world: World,
  command: ClaimHosts,
  nowMs: number,
): Decision<Scheduled, ScheduleRefusal> {
  const { decision, rankedHosts } = command
  return placeServers(world, command, { decision, nowMs }, (server, nth) => {
    const { instance } = server
    return server.takeRanked(rankedHosts[nth] ?? []) ?? { kind: 'ranked-hosts-stale', instance }
  })
}

/** The same; but a server whose ranked hosts are all gone gets the best of all hosts. It holds up every other write. */
export function chooseAndClaim(
  world: World,
  command: ClaimHosts,
  nowMs: number,
): Decision<Scheduled, ScheduleRefusal> {
  const { decision, rankedHosts, seed } = command
  return placeServers(
    world,
    command,
    { decision, nowMs },
    (server, nth) => server.takeRanked(rankedHosts[nth] ?? []) ?? server.takeBest(seed + nth),
  )
}

/** Changes nothing: the rows of a decision that claims nothing are kept with this command. */
export const noteDecision = (): Decision<null, never> => accept(NO_CHANGE, null)
