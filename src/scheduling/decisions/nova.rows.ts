import type { FunnelStep, HistogramBar } from '../framework/pipeline.ts'
import { type DecisionPut, type DecisionSummary, makeRequestRows, makeServerRow } from './rows.ts'

/** The stored part of a request of Nova's scheduler: without its hosts. */
export interface KeptNovaRequest {
  readonly instance: string | null
  readonly flavor: { readonly name: string }
  readonly zone: string | null
  readonly group: { readonly uuid: string; readonly policy: string } | null
  readonly hints: Readonly<Record<string, unknown>>
}

export interface NovaDecision {
  readonly id: string
  readonly request: KeptNovaRequest
  readonly requestId: string | null
  readonly globalRequestId: string | null
  readonly project: string | null
  readonly revision: number
  readonly hosts: number
  readonly passed: number
  readonly funnel: readonly FunnelStep[]
  /** Why hosts were refused, most hosts first. */
  readonly reasons: readonly KeptReason[]
}

/** How many hosts were refused for a reason, with the text for one of them. */
export type KeptReason = Omit<HistogramBar, 'onlyReason'> & {
  readonly text: string
  /** The remedy for that host. */
  readonly remedy?: string
}

/** The rows of one run of Berth's filters for Nova. */
export function makeNovaRows(decision: NovaDecision, at_ms: number): DecisionPut[] {
  const { id, request, revision, hosts, passed, funnel, reasons } = decision
  const summary: DecisionSummary = {
    placed: [],
    choice: { candidates: hosts, truncated: false, searchExhausted: false, funnel, top: [] },
    refusal: passed > 0 ? null : { kind: 'no-host', instance: request.instance, placed: 0, reasons },
  }
  return [
    {
      table: 'decisions',
      row: {
        id,
        kind: 'nova-filter',
        outcome: passed > 0 ? 'passed' : 'refused',
        project_id: decision.project,
        revision,
        decided_revision: revision,
        seed: 0,
        request: JSON.stringify(request),
        summary: JSON.stringify(summary),
        at_ms,
        share: null,
        request_id: decision.requestId,
        global_request_id: decision.globalRequestId,
      },
    },
    ...(request.instance === null ? [] : [makeServerRow(id, request.instance, at_ms)]),
    ...makeRequestRows(id, [decision.requestId, decision.globalRequestId], at_ms),
  ]
}
