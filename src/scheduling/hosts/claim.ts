import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import { isReservationOpen } from '../../world/reservations.ts'
import type { World } from '../../world/world.ts'
import { placeServers, type Scheduled, type ScheduleOrder, type ScheduleRefusal } from './place-servers.ts'

export interface ClaimHosts extends ScheduleOrder {
  /** The uuid of the recorded decision. */
  readonly decision: string
  /** For each server, the uuids of hosts, best first, as chosen a moment ago. */
  readonly rankedHosts: readonly (readonly string[])[]
}

/** Claims for each server the first of its ranked hosts that still passes; claims all or none. */
export function claimHosts(
  world: World,
  command: ClaimHosts,
  nowMs: number,
): Decision<Scheduled, ScheduleRefusal> {
  const { decision, rankedHosts } = command
  const untimely = findUntimely(world, command, nowMs)
  if (untimely !== null) return refuse(untimely)
  return placeServers(world, command, { decision, nowMs }, (server, nth) => {
    const { instance } = server
    return server.takeRanked(rankedHosts[nth] ?? []) ?? { kind: 'ranked-hosts-stale', instance }
  })
}

/**
 * Like `claimHosts`, but if all ranked hosts of a server are taken, it gets the best of all hosts. Blocks all
 * other writes.
 */
export function chooseAndClaim(
  world: World,
  command: ClaimHosts,
  nowMs: number,
): Decision<Scheduled, ScheduleRefusal> {
  const { decision, rankedHosts, seed } = command
  const untimely = findUntimely(world, command, nowMs)
  if (untimely !== null) return refuse(untimely)
  return placeServers(
    world,
    command,
    { decision, nowMs },
    (server, nth) => server.takeRanked(rankedHosts[nth] ?? []) ?? server.takeBest(seed + nth),
  )
}

/** Places of a reservation are claimed in its time only, by the clock of the commit. */
function findUntimely(
  { reservations }: World,
  { ask: { reserves } }: ClaimHosts,
  nowMs: number,
): ScheduleRefusal | null {
  const row = reserves === undefined ? undefined : reservations.rows.find(reserves)
  if (reserves === undefined || row === undefined || isReservationOpen(row, nowMs)) return null
  return { kind: 'reservation-complete', reservation: reserves }
}

/** An empty command, which carries the rows of a decision that claims nothing. */
export const noteDecision = (): Decision<null, never> => accept(NO_CHANGE, null)
