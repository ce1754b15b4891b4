import { type DecisionPut, type DecisionSummary, makeRequestRows, makeServerRow } from './rows.ts'

/** A request to Placement, and what its sender worked on. */
export interface PlacementCall {
  readonly user: string
  readonly requestId: string
  readonly globalRequestId: string | null
  /** Of the state that was answered from. */
  readonly revision: number
  readonly atMs: number
}

/** What is kept of a search for candidates. */
export interface KeptSearch {
  readonly user: string
  /** Null: too long to be kept. */
  readonly query: string | null
  /** The header with the version of the API; null: there was none. */
  readonly version: string | null
  readonly found: number
}

/** What is kept of a refused claim. */
export interface KeptClaim {
  readonly user: string
  readonly consumers: readonly string[]
  readonly providers: readonly string[]
}

/** Why a search is not explained. */
export type Unexplained = 'too-costly' | 'restless' | 'busy' | 'stopped'

export interface SearchRefusal<Explained = unknown> {
  readonly kind: 'no-candidates'
  /** As GET /v1/explain/allocation_candidates answers; it has the revision that it is about. */
  readonly explained: Explained | null
  readonly unexplained: Unexplained | null
}

export interface KeptClaimRefusal {
  readonly kind: string
  readonly text: string
  readonly provider: string | null
}

/** A search that found nothing, or whose candidates were of no use later: then there is no refusal. */
export const makeSearchRows = (
  id: string,
  call: PlacementCall,
  search: KeptSearch,
  refusal: SearchRefusal | null,
  explainedRevision: number,
): DecisionPut[] =>
  makeRows(id, 'candidates', call, { request: search, refusal, project: null, explainedRevision })

export const makeClaimRows = (
  id: string,
  call: PlacementCall,
  claim: KeptClaim,
  project: string | null,
  refusal: KeptClaimRefusal,
): DecisionPut[] => [
  ...makeRows(id, 'claim', call, { request: claim, refusal, project, explainedRevision: call.revision }),
  ...claim.consumers.map(consumer => makeServerRow(id, consumer, call.atMs)),
]

function makeRows(
  id: string,
  kind: 'candidates' | 'claim',
  { requestId, globalRequestId, revision, atMs }: PlacementCall,
  about: {
    readonly request: KeptSearch | KeptClaim
    readonly refusal: SearchRefusal | KeptClaimRefusal | null
    readonly project: string | null
    readonly explainedRevision: number
  },
): DecisionPut[] {
  const summary: DecisionSummary = {
    placed: [],
    choice: null,
    refusal: about.refusal as DecisionSummary['refusal'],
  }
  return [
    {
      table: 'decisions',
      row: {
        id,
        kind,
        outcome: about.refusal === null ? 'passed' : 'refused',
        project_id: about.project,
        revision,
        decided_revision: about.explainedRevision,
        seed: 0,
        request: JSON.stringify(about.request),
        summary: JSON.stringify(summary),
        at_ms: atMs,
        share: null,
        request_id: requestId,
        global_request_id: globalRequestId,
      },
    },
    ...makeRequestRows(id, [requestId, globalRequestId], atMs),
  ]
}
