import type { World } from '../../world/world.ts'
import { chooseHosts } from '../hosts/choose.ts'
import { chooseAndClaim } from '../hosts/claim.ts'
import type { ScheduleOrder } from '../hosts/place-servers.ts'
import { type RebuildCommand, rebuildServer } from '../hosts/rebuild.ts'
import { type DecisionRow, type DecisionSummary, summarizeRebuild, summarizeSchedule } from './rows.ts'

/** A copy of the state that can move to other revisions. */
interface PastState {
  readonly world: World
  /** False if the changes in between are no longer stored. */
  goTo(revision: number): Promise<boolean>
}

/** Replays a decision about servers on its original states. Null if they are no longer available. */
export async function replayDecision(row: DecisionRow, past: PastState): Promise<DecisionSummary | null> {
  if (!(await past.goTo(row.revision))) return null
  return row.kind === 'rebuild' ? replayRebuild(row, past.world) : replaySchedule(row, past)
}

/** Replays the choice on its state, then the claim on the state at that time. */
async function replaySchedule(row: DecisionRow, past: PastState): Promise<DecisionSummary | null> {
  const order = JSON.parse(row.request) as ScheduleOrder
  const chosen = chooseHosts(past.world, order)
  if (!chosen.ok || row.kind === 'dry-run') return summarizeSchedule(chosen, null)
  if (!(await past.goTo(row.decided_revision))) return null
  const { choice, rankedHosts } = chosen.answer
  const claim = { ...order, rankedHosts, decision: row.id }
  return summarizeSchedule(chooseAndClaim(past.world, claim, row.at_ms), choice)
}

function replayRebuild(row: DecisionRow, world: World): DecisionSummary {
  const kept = JSON.parse(row.request) as Omit<RebuildCommand, 'decision'>
  return summarizeRebuild(rebuildServer(world, { ...kept, decision: row.id }))
}
