import type { Outcome } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import type { ChoiceSteps } from './host-selection.ts'
import { placeServers, type Scheduled, type ScheduleOrder, type ScheduleRefusal } from './place-servers.ts'

/**
 * Where the servers of an order would go now. Places the servers one after the other in a rehearsal, which is
 * undone before this returns. Others may be faster, so `claimHosts` checks again.
 */
export function chooseHosts(
  world: World,
  order: ScheduleOrder,
  steps: ChoiceSteps | null = null,
): Outcome<Scheduled, ScheduleRefusal> {
  const decision = placeServers(world, order, { decision: '', nowMs: 0 }, (server, nth) =>
    server.takeBest(order.seed + nth, steps),
  )
  return decision.ok ? { ok: true, answer: decision.answer } : decision
}
