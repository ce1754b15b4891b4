import type { FunnelStep } from '../framework/pipeline.ts'
import type { HintedUuids } from '../pools/hints.ts'
import type { KeptReason } from './nova.rows.ts'
import { type DecisionPut, type DecisionSummary, makeRequestRows } from './rows.ts'

/** The stored part of a request of Manila's scheduler: without its pools and the other shares. */
export interface KeptManilaRequest {
  readonly operation: string
  readonly share: string
  readonly size: number | null
  readonly type: string | null
  readonly zone: string | null
  readonly force: boolean
  readonly hints: HintedUuids
}

export interface ManilaDecision {
  readonly id: string
  /** `manila-filter`: Berth filtered pools, Manila chose; `manila-place`: Berth chose and reserved a pool. */
  readonly kind: 'manila-filter' | 'manila-place'
  readonly request: KeptManilaRequest
  readonly requestId: string | null
  readonly globalRequestId: string | null
  readonly project: string | null
  readonly revision: number
  readonly pools: number
  readonly passed: number
  /** The chosen pool. */
  readonly pool: string | null
  readonly funnel: readonly FunnelStep[]
  readonly reasons: readonly KeptReason[]
}

export function makeManilaRows(decision: ManilaDecision, at_ms: number): DecisionPut[] {
  const { id, kind, request, pool, pools, passed, funnel, reasons } = decision
  const summary: DecisionSummary = {
    placed: pool === null ? [] : [{ instance: request.share, host: pool, provider: null }],
    choice: { candidates: pools, truncated: false, searchExhausted: false, funnel, top: [] },
    refusal: passed > 0 ? null : { kind: 'no-host', instance: request.share, placed: 0, reasons },
  }
  const row: DecisionPut = {
    table: 'decisions',
    row: {
      id,
      kind,
      outcome: passed === 0 ? 'refused' : pool === null ? 'passed' : 'placed',
      project_id: decision.project,
      revision: decision.revision,
      decided_revision: decision.revision,
      seed: 0,
      request: JSON.stringify(request),
      summary: JSON.stringify(summary),
      at_ms,
      share: request.share,
      request_id: decision.requestId,
      global_request_id: decision.globalRequestId,
    },
  }
  return [row, ...makeRequestRows(id, [decision.requestId, decision.globalRequestId], at_ms)]
}
