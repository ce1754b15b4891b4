import type { Outcome } from '../../world/decision.ts'
import type { ChoiceSummary } from '../framework/choice-summary.ts'
import { memoizeByIdentity } from '../framework/memoize.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import type { Scheduled, ScheduleOrder, ScheduleRefusal } from '../hosts/place-servers.ts'
import type { RebuildCommand, RebuildRefusal, Rebuilt } from '../hosts/rebuild.ts'

/** A row of the table `decisions`. */
export interface DecisionRow {
  readonly id: string
  readonly kind: string
  /** The revision of the choice, and that of the claim. */
  readonly revision: number
  readonly decided_revision: number
  readonly seed: number
  readonly project_id: string | null
  readonly at_ms: number
  readonly share: string | null
  /** The request of the caller, for example Nova's, that this one is part of. */
  readonly request_id: string | null
  readonly global_request_id: string | null
  readonly outcome: string
  /** As JSON: a ScheduleOrder, a rebuild, or the request for a share. */
  readonly request: string
  /** A DecisionSummary as JSON. */
  readonly summary: string
}

interface DecisionServerRow {
  readonly instance: string
  readonly decision: string
  readonly at_ms: number
}

/** A row that is written in the commit of a decision. */
export type DecisionPut =
  | { readonly table: 'decisions'; readonly row: DecisionRow }
  | { readonly table: 'decision_servers'; readonly row: DecisionServerRow }

/** Enough to show a decision and to replay it, without details of every host. */
export interface DecisionSummary {
  readonly placed: readonly {
    readonly instance: string
    readonly host: string
    /** Null for a pool of Manila. */
    readonly provider: string | null
  }[]
  /** Of the first server, or of the one that found no host. */
  readonly choice: ChoiceSummary | null
  readonly refusal: { readonly kind: string; readonly [fact: string]: unknown } | null
}

export type DecisionKind = 'schedule' | 'move' | 'rebuild' | 'dry-run'

/** A decision without an outcome yet. */
export interface OpenDecision {
  readonly id: string
  readonly kind: DecisionKind
  readonly order: ScheduleOrder
  /** The revision of the choice, and the first choice if there was one. */
  readonly revision: number
  readonly first: ChoiceSummary | null
}

/** A rebuild has no choice: the server stays on its host. */
export const summarizeRebuild = (outcome: Outcome<Rebuilt, RebuildRefusal>): DecisionSummary =>
  outcome.ok
    ? { placed: [outcome.answer], choice: null, refusal: null }
    : { placed: [], choice: null, refusal: outcome.refusal }

export const rebuildRows = (
  { decision: id, ...command }: RebuildCommand,
  project_id: string | null,
  outcome: Outcome<Rebuilt, RebuildRefusal>,
  at_ms: number,
  revision: number,
): DecisionPut[] => [
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
      ...NO_REQUEST_IDS,
      outcome: outcome.ok ? 'placed' : 'refused',
      request: JSON.stringify(command),
      summary: JSON.stringify(summarizeRebuild(outcome)),
    },
  },
  makeServerRow(id, command.instance, at_ms),
]

/** A decision can be found by the ids of its requests, as well as by its servers. */
export const makeRequestRows = (
  decision: string,
  ids: readonly (string | null)[],
  at_ms: number,
): DecisionPut[] => [...new Set(ids)].flatMap(id => (id === null ? [] : [makeServerRow(decision, id, at_ms)]))

export const NO_REQUEST_IDS = { request_id: null, global_request_id: null }

export const makeServerRow = (decision: string, instance: string, at_ms: number): DecisionPut => ({
  table: 'decision_servers',
  row: { instance, decision, at_ms },
})

const renderSetup = memoizeByIdentity((setup: SchedulingSetup) => JSON.stringify(setup))

/** As JSON. The setup, half of the text, changes only with the configuration. */
function renderOrder({ setup, ...order }: ScheduleOrder): string {
  return `{"setup":${renderSetup(setup)},${JSON.stringify(order).slice(1)}`
}

/** The rows of a decision with an outcome. */
export function makeScheduleRows(
  { id, kind, order, revision, first }: OpenDecision,
  outcome: Outcome<Scheduled, ScheduleRefusal>,
  nowMs: number,
  decidedRevision: number,
): DecisionPut[] {
  const row: DecisionPut = {
    table: 'decisions',
    row: {
      id,
      kind,
      revision,
      seed: order.seed,
      project_id: order.ask.project,
      at_ms: nowMs,
      decided_revision: decidedRevision,
      share: null,
      ...NO_REQUEST_IDS,
      outcome: outcome.ok ? 'placed' : 'refused',
      request: renderOrder(order),
      summary: JSON.stringify(summarizeSchedule(outcome, first)),
    },
  }
  return [row, ...order.ask.instances.map(instance => makeServerRow(id, instance, nowMs))]
}

export function summarizeSchedule(
  outcome: Outcome<Scheduled, ScheduleRefusal>,
  first: ChoiceSummary | null,
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
