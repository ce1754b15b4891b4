import type { WorldCopy } from '../../world/world-copy.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import type { AskRefusal } from '../hosts/host-selection.ts'
import type { ServerAsk } from '../hosts/server-spec.ts'
import {
  countEmptyHosts,
  countFitting,
  drainTarget,
  emptyTarget,
  findAskFault,
  fitTarget,
  type Target,
} from './goals.ts'
import { consolidateGreedily, drainGreedily, makeRoomGreedily } from './greedy-plans.ts'
import type { Plan, PlanBudget, PlanGoal, PlannedMove, StuckServer } from './plan.ts'
import { type PlanningWay, PlanWorld } from './plan-world.ts'
import { findShortest } from './shortest-plan.ts'
import { splitIntoWaves } from './waves.ts'

/** Counting how often a request fits stops here. */
const FITS_MAX = 10_000

interface SearchedPlan {
  readonly isReached: boolean
  readonly isShortest: boolean
  readonly stuck: readonly StuckServer[]
  readonly gain: Plan['gain']
}

/**
 * Finds moves that reach a goal, in an order in which each is possible. A greedy search comes first. If its plan may not be the
 * shortest, all shorter ones are tried until the limit of steps. All attempts run on the copy and are undone at the end.
 */
export async function makePlan(
  copy: WorldCopy,
  goal: PlanGoal,
  setup: SchedulingSetup,
  budget: PlanBudget,
  way: PlanningWay,
): Promise<Plan | AskRefusal> {
  const plan = new PlanWorld(copy, setup, way, budget)
  await plan.readTies()
  if (goal.kind === 'make-room' || goal.kind === 'defragment') {
    const fault = await findAskFault(plan, goal.ask)
    if (fault !== null) return fault
  }
  const planned = await reach(plan, goal)
  const moves: PlannedMove[] = plan.moves.map(({ change: _, ...move }) => move)
  plan.undoTo(0)
  const waves = await splitIntoWaves(plan, moves)
  return {
    ...planned,
    moves: moves.map((move, at) => ({ ...move, wave: waves[at] as number })),
    steps: plan.steps,
    isExhausted: plan.isExhausted,
  }
}

function reach(plan: PlanWorld, goal: PlanGoal): Promise<SearchedPlan> {
  switch (goal.kind) {
    case 'drain':
      return reachDrain(plan, goal.hosts)
    case 'consolidate':
      return reachEmpty(plan, goal.free)
    case 'make-room':
      return reachRoom(plan, goal.ask, goal.count)
    case 'defragment':
      return defragment(plan, goal.ask)
    default:
      return goal satisfies never
  }
}

async function reachDrain(plan: PlanWorld, hosts: readonly string[]): Promise<SearchedPlan> {
  const target = drainTarget(hosts)
  const before = await target.countMissing(plan)
  const stuck = await drainGreedily(plan, hosts)
  const { isReached, isShortest } = await improve(plan, target, before)
  const after = await target.countMissing(plan)
  return { isReached, isShortest, stuck: isReached ? [] : stuck, gain: { before, after, wanted: 0 } }
}

async function reachEmpty(plan: PlanWorld, free: number): Promise<SearchedPlan> {
  const before = await countEmptyHosts(plan)
  const target = emptyTarget(before + free)
  const least = await target.countMissing(plan)
  await consolidateGreedily(plan, free)
  const found = await improve(plan, target, least)
  const after = await countEmptyHosts(plan)
  return { ...found, stuck: [], gain: { before, after, wanted: before + free } }
}

async function reachRoom(plan: PlanWorld, ask: ServerAsk, count: number): Promise<SearchedPlan> {
  const before = await countFitting(plan, ask, FITS_MAX)
  const target = fitTarget(ask, count)
  const least = await target.countMissing(plan)
  for (let fits = before; fits < count; fits++) if (!(await makeRoomGreedily(plan, ask, fits + 1))) break
  const found = await improve(plan, target, least)
  if (!found.isReached) plan.undoTo(0)
  const after = await countFitting(plan, ask, FITS_MAX)
  return { ...found, stuck: [], gain: { before, after, wanted: count } }
}

async function defragment(plan: PlanWorld, ask: ServerAsk): Promise<SearchedPlan> {
  const before = await countFitting(plan, ask, FITS_MAX)
  let after = before
  while (after < FITS_MAX && (await makeRoomGreedily(plan, ask, after + 1)))
    after = await countFitting(plan, ask, FITS_MAX)
  const found = await improve(plan, fitTarget(ask, after), Math.min(1, after - before))
  return {
    ...found,
    stuck: [],
    gain: { before, after: await countFitting(plan, ask, FITS_MAX), wanted: null },
  }
}

/** Servers times hosts. Above it there are too many shorter plans to try them all. */
const PAIRS_MAX = 10_000

async function countPairs(plan: PlanWorld): Promise<number> {
  const hosts = await plan.countOnHosts()
  return hosts.length * hosts.reduce((sum, { servers }) => sum + servers, 0)
}

/**
 * Looks for a plan with fewer moves than the present one, or for any plan if the present one misses the target. Keeps the present one if
 * the steps run out before a better one is found.
 */
async function improve(
  plan: PlanWorld,
  target: Target,
  least: number,
): Promise<{ readonly isReached: boolean; readonly isShortest: boolean }> {
  const isReached = (await target.countMissing(plan)) === 0
  if (isReached && plan.moves.length <= least) return { isReached, isShortest: true }
  const known = plan.moves.map(({ instance, to }) => ({ instance, to }))
  plan.undoTo(0)
  const depthMax = isReached ? known.length - 1 : plan.budget.movesMax
  const isTooMuch = plan.isExhausted || (await countPairs(plan)) > PAIRS_MAX
  const searched = isTooMuch ? 'exhausted' : await findShortest(plan, target, depthMax)
  if (searched === 'found') return { isReached: true, isShortest: true }
  plan.undoTo(0)
  await plan.redo(known)
  return { isReached, isShortest: isReached && searched === 'none' }
}
