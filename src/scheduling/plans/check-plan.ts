import type { WorldCopy } from '../../world/world-copy.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import type { PlanBudget, StuckServer } from './plan.ts'
import { type PlanningWay, PlanWorld } from './plan-world.ts'

/** A server, and uuids of hosts. */
export interface MoveToCheck {
  readonly instance: string
  readonly from: string
  readonly to: string
}

/** The first move that is not possible any more, or would break something. */
export interface BrokenMove {
  readonly at: number
  readonly why: StuckServer['why'] | { readonly kind: 'elsewhere' }
}

const NO_LIMIT: PlanBudget = {
  movesMax: Number.POSITIVE_INFINITY,
  gibMax: Number.POSITIVE_INFINITY,
  atOncePerHostMax: 1,
  never: new Set(),
  stepsMax: Number.POSITIVE_INFINITY,
}

/** Tries all moves one after the other; null if each holds. The copy is as before in the end. */
export async function checkPlan(
  copy: WorldCopy,
  moves: readonly MoveToCheck[],
  setup: SchedulingSetup,
  way: PlanningWay,
): Promise<BrokenMove | null> {
  const plan = new PlanWorld(copy, setup, way, NO_LIMIT)
  await plan.readTies()
  try {
    for (const [at, { instance, from, to }] of moves.entries()) {
      const host = plan.findHostOf(instance)
      if (host === null || plan.world.providers.uuid(host) !== from) return { at, why: { kind: 'elsewhere' } }
      const why = await plan.tryMove(instance, to)
      if (why !== null) return { at, why }
    }
    return null
  } finally {
    plan.undoTo(0)
  }
}
