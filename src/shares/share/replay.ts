import type { DecisionRow, DecisionSummary } from '../../scheduling/decisions/rows.ts'
import type { World } from '../../world/world.ts'
import type { ShareRefusal } from '../refusals.ts'
import { createShare } from './create.ts'
import { type KeptMove, type KeptShare, summarizeCreate, summarizeMove } from './decisions.rows.ts'
import { startMigration } from './migrate.ts'

/** Replays a decision about a share on the state at its claim. Looks at all pools again. */
export function replayShareDecision(row: DecisionRow, world: World): DecisionSummary {
  const first = (JSON.parse(row.summary) as DecisionSummary).choice
  const summarizeRefusal = (refusal: ShareRefusal): DecisionSummary => ({
    placed: [],
    choice: null,
    refusal: { ...refusal },
  })
  if (row.kind === 'share-move') {
    const again = startMigration(world, JSON.parse(row.request) as KeptMove, row.at_ms)
    return again.ok ? summarizeMove(again.answer) : summarizeRefusal(again.refusal)
  }
  const kept = JSON.parse(row.request) as KeptShare
  const again = createShare(world, { ...kept, rankedPools: [] }, row.at_ms)
  return again.ok ? summarizeCreate(again.answer, first) : summarizeRefusal(again.refusal)
}
