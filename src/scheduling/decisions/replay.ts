import type { World } from '../../world/world.ts'
import { chooseHosts } from '../hosts/choose.ts'
import { chooseAndClaim } from '../hosts/claim.ts'
import type { ScheduleOrder } from '../hosts/place-servers.ts'
import { type RebuildCommand, rebuildServer } from '../hosts/rebuild.ts'
import { type DecisionRow, type DecisionSummary, summarizeRebuild, summarizeSchedule } from './rows.ts'

/** A copy of the state that can be led to other revisions. */
interface PastState {
  readonly world: World
  /** False where the changes between are no longer kept. */
  goTo(revision: number): Promise<boolean>
}

/** Decides a decision about servers again, on the states that it was made on. Null where they cannot be had any more. */
export async function replayDecision(row: DecisionRow, past: PastState): Promise<DecisionSummary | null> {
  if (!(await past.goTo(row.revision))) return null
  return row.kind === 'rebuild' ? replayRebuild(row, past.world) : replaySchedule(row, past)
}

/** The choice on the state it was made on; then its claim on the state that the claim found. */
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
