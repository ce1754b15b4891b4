import type { RebuildCommand, RebuildRefusal, Rebuilt } from '../../scheduling/hosts/rebuild.ts'
import type { Choice, ScheduleCommand, Scheduled, ScheduleRefusal } from '../../scheduling/hosts/schedule.ts'
import type { Outcome } from '../../store/sequencer/sequencer.ts'
import type { PlainPut } from '../../store/tables/plain-tables.ts'

/** What is kept of a decision: enough to tell what was decided and to decide it again, nothing about every host. */
export interface DecisionSummary {
  readonly placed: readonly { readonly instance: string; readonly host: string; readonly provider: string }[]
  /** Of the first server, or of the one that found no place. */
  readonly choice: Choice | null
  readonly refusal: { readonly kind: string; readonly [fact: string]: unknown } | null
}

export type DecisionKind = 'schedule' | 'move' | 'rebuild' | 'dry-run'

/** The command as it is kept: what it picked follows from it. */
export type KeptCommand = Omit<ScheduleCommand, 'picks' | 'allowFullSearch' | 'decision'>

interface Deciding {
  readonly id: string
  readonly kind: DecisionKind
  readonly command: KeptCommand
  /** The revision that was chosen from, and the first choice if there was one. */
  readonly revision: number
  readonly first: Choice | null
}

/** A rebuild is decided at once, on the host where the server is. */
export const rebuildSummary = (outcome: Outcome<Rebuilt, RebuildRefusal>): DecisionSummary =>
  outcome.ok
    ? { placed: [outcome.answer], choice: null, refusal: null }
    : { placed: [], choice: null, refusal: outcome.refusal }

export const rebuildRows = (
  { decision: id, ...command }: RebuildCommand,
  project_id: string | null,
  outcome: Outcome<Rebuilt, RebuildRefusal>,
  at_ms: number,
  revision: number,
): PlainPut[] => [
  {
    table: 'decisions',
    row: {
      id,
      kind: 'rebuild',
      revision,
      decided_revision: revision,
      seed: 0,
      project_id,
      at_ms,
      share: null,
      outcome: outcome.ok ? 'placed' : 'refused',
      request: JSON.stringify(command),
      summary: JSON.stringify(rebuildSummary(outcome)),
    },
  },
  serverRow(id, command.instance, at_ms),
]

const serverRow = (decision: string, instance: string, at_ms: number): PlainPut => ({
  table: 'decision_servers',
  row: { instance, decision, at_ms },
})

/** The rows of a decision whose outcome is known. */
export function decisionRows(
  { id, kind, command, revision, first }: Deciding,
  outcome: Outcome<Scheduled, ScheduleRefusal>,
  nowMs: number,
  decidedRevision: number,
): PlainPut[] {
  const row: PlainPut = {
    table: 'decisions',
    row: {
      id,
      kind,
      revision,
      seed: command.seed,
      project_id: command.ask.project,
      at_ms: nowMs,
      decided_revision: decidedRevision,
      share: null,
      outcome: outcome.ok ? 'placed' : 'refused',
      request: JSON.stringify(command),
      summary: JSON.stringify(summaryOf(outcome, first)),
    },
  }
  return [row, ...command.ask.instances.map(instance => serverRow(id, instance, nowMs))]
}

export function summaryOf(
  outcome: Outcome<Scheduled, ScheduleRefusal>,
  first: Choice | null,
): DecisionSummary {
  if (outcome.ok) {
    const { placed, choice } = outcome.answer
    const places = placed.map(({ instance, host, provider }) => ({ instance, host, provider }))
    return { placed: places, choice: choice ?? first, refusal: null }
  }
  const { refusal } = outcome
  if (refusal.kind !== 'no-host') return { placed: [], choice: first, refusal }
  const { choice, ...facts } = refusal
  return { placed: [], choice, refusal: facts }
}
