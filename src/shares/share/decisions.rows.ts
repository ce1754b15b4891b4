import { type DecisionPut, NO_REQUEST_IDS } from '../../scheduling/decisions/rows.ts'
import type { ChoiceSummary } from '../../scheduling/framework/choice-summary.ts'
import type { NoPool } from '../../scheduling/pools/choose.ts'
import type { Outcome } from '../../world/decision.ts'
import type { ShareRefusal } from '../refusals.ts'
import type { Created, CreateShareAsk } from './create.ts'
import type { Moved, StartMigration } from './migrate.ts'

/** The record of where a share was placed or moved, stored with the decisions about servers. */
export interface ShareSummary {
  readonly placed: readonly { readonly instance: string; readonly host: string; readonly provider: string }[]
  readonly choice: ChoiceSummary | null
  readonly refusal:
    | { readonly kind: 'no-pool'; readonly filter: string; readonly reason: NoPool['reason'] }
    /** Not from a filter. */
    | { readonly kind: 'not-moved'; readonly text: string }
    | null
}

export type KeptShare = CreateShareAsk
export type KeptMove = StartMigration

export function summarizeCreate(
  { share, pool, poolUuid, because }: Created,
  choice: ChoiceSummary | null,
): ShareSummary {
  return {
    placed: pool === '' ? [] : [{ instance: share.uuid, host: pool, provider: poolUuid }],
    choice,
    refusal: because === null ? null : { kind: 'no-pool', ...because },
  }
}

export function summarizeMove({ share, judged }: Moved): ShareSummary {
  const { choice, because, text, target } = judged
  const refusal: ShareSummary['refusal'] =
    because !== null ? { kind: 'no-pool', ...because } : text === null ? null : { kind: 'not-moved', text }
  return { placed: target === null ? [] : [{ instance: share, ...target }], choice, refusal }
}

interface OpenShareDecision {
  readonly id: string
  /** The revision of the choice. */
  readonly revision: number
}

interface MadeDecision {
  readonly kind: 'share' | 'share-move'
  readonly project: string
  readonly share: string
  readonly request: object
  readonly summary: ShareSummary
}

const rowOf = (
  { id, revision }: OpenShareDecision,
  decided: MadeDecision,
  at_ms: number,
  revisionThen: number,
): DecisionPut => ({
  table: 'decisions',
  row: {
    id,
    kind: decided.kind,
    revision,
    decided_revision: revisionThen,
    seed: 0,
    at_ms,
    project_id: decided.project,
    share: decided.share,
    ...NO_REQUEST_IDS,
    request: JSON.stringify(decided.request),
    outcome: decided.summary.refusal === null ? 'placed' : 'refused',
    summary: JSON.stringify(decided.summary),
  },
})

/** Null if the request was refused before a decision. */
export function createDecision(
  deciding: OpenShareDecision & { readonly choice: ChoiceSummary | null },
  kept: CreateShareAsk,
  outcome: Outcome<Created, ShareRefusal>,
  nowMs: number,
  decidedRevision: number,
): DecisionPut[] {
  if (!outcome.ok) return []
  const summary = summarizeCreate(outcome.answer, deciding.choice)
  const about = { project: kept.project, share: kept.uuid, request: kept, summary }
  return [rowOf(deciding, { kind: 'share', ...about }, nowMs, decidedRevision)]
}

/** A share that is at its target already needs no decision. */
export function moveDecision(
  deciding: OpenShareDecision,
  kept: KeptMove,
  outcome: Outcome<Moved, ShareRefusal>,
  nowMs: number,
  decidedRevision: number,
): DecisionPut[] {
  if (!outcome.ok || outcome.answer.isThere) return []
  const { project, share } = outcome.answer
  const about = { project, share, request: kept, summary: summarizeMove(outcome.answer) }
  return [rowOf(deciding, { kind: 'share-move', ...about }, nowMs, decidedRevision)]
}
