import { catalogRules } from './catalog/rules.ts'
import { type Apply, type ApplyRefusal, applyDeclarations } from './compute/apply/apply.ts'
import type { PlannedChange } from './compute/apply/declarations.ts'
import { computeRules } from './compute/rules.ts'
import { identityRules } from './identity/rules/rules.ts'
import { placementRules } from './placement/rules.ts'
import { schedulingRules } from './scheduling/commands.ts'
import { shadowRules } from './shadow/rules.ts'
import { type BackendChange, type DeclareBackends, declareBackends } from './shares/backends/backends.ts'
import type { ShareRefusal } from './shares/refusals.ts'
import { shareRules } from './shares/rules.ts'
import { type DeclareTypes, declareTypes } from './shares/share-types/share-types.ts'
import { importRows } from './transfer/import-rows.ts'
import { pullRows } from './transfer/pull-rows.ts'
import { usageHistoryRules } from './usage-history/rules.ts'
import { rejectingOwned } from './world/cloud-owned.ts'
import { accept, type Decision, NO_CHANGE } from './world/decision.ts'
import { decideInSequence, type Step } from './world/rehearsal.ts'
import type { World } from './world/world.ts'

export interface ApplyAll {
  readonly compute: Omit<Apply, 'dryRun'>
  readonly shares: { readonly backends: DeclareBackends; readonly types: DeclareTypes } | null
  readonly dryRun: boolean
}

/** What was done, or would be. */
interface AppliedAll {
  readonly plan: readonly PlannedChange[]
  readonly backends: readonly BackendChange[]
}

/** Declarations for several services, all of them in one commit, or none. */
function applyAll(
  world: World,
  { compute, shares, dryRun }: ApplyAll,
  nowMs: number,
): Decision<AppliedAll, ApplyRefusal | ShareRefusal> {
  const steps: Step<unknown, ApplyRefusal | ShareRefusal>[] = [
    at => applyDeclarations(at, { ...compute, dryRun: false }, nowMs),
  ]
  if (shares !== null)
    steps.push(
      at => declareBackends(at, shares.backends, nowMs),
      at => declareTypes(at, shares.types, nowMs),
    )
  const decision = decideInSequence(world, steps)
  if (!decision.ok) return decision
  const [plan, backends = []] = decision.answer as [readonly PlannedChange[], (readonly BackendChange[])?]
  return accept(dryRun ? NO_CHANGE : decision.change, { plan, backends })
}

/** Every command of every service. A service knows its own; the sequencer and what serves them all know these. */
export const rules = {
  ...placementRules,
  ...catalogRules,
  ...computeRules,
  ...schedulingRules,
  ...shareRules,
  ...identityRules,
  ...shadowRules,
  ...usageHistoryRules,
  apply: rejectingOwned(applyAll),
  'import-rows': importRows,
  'pull-rows': pullRows,
}

export type BerthRules = typeof rules
