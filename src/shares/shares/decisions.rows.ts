import type { PlainPut } from '../../store/plain-tables.ts'
import type { Outcome } from '../../store/sequencer.ts'
import type { NoPool, ShareRefusal } from '../refusals.ts'
import type { Created, CreateShare } from './create.ts'

/** What is kept of where a share was put, beside the decisions about servers. */
export interface ShareSummary {
  readonly placed: readonly { readonly instance: string; readonly host: string; readonly provider: string }[]
  readonly choice: null
  readonly refusal: {
    readonly kind: 'no-pool'
    readonly filter: string
    readonly reason: NoPool['reason']
  } | null
}

export type KeptShare = Omit<CreateShare, 'ranked'>

export function summaryOf({ share, pool, poolUuid, because }: Created): ShareSummary {
  return {
    placed: pool === '' ? [] : [{ instance: share.uuid, host: pool, provider: poolUuid }],
    choice: null,
    refusal: because === null ? null : { kind: 'no-pool', filter: because.filter, reason: because.reason },
  }
}

/** The row of a decision, if one was made: what is refused at the door is none. */
export function decisionOf(
  id: string,
  { ranked: _, ...kept }: CreateShare,
  revision: number,
  outcome: Outcome<Created, ShareRefusal>,
  nowMs: number,
  decidedRevision: number,
): PlainPut[] {
  if (!outcome.ok) return []
  return [
    {
      table: 'decisions',
      row: {
        ...{ id, kind: 'share', revision, decided_revision: decidedRevision, seed: 0, at_ms: nowMs },
        outcome: outcome.answer.because === null ? 'placed' : 'refused',
        project_id: kept.project,
        request: JSON.stringify(kept),
        summary: JSON.stringify(summaryOf(outcome.answer)),
      },
    },
  ]
}
