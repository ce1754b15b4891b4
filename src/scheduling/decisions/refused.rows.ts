import { type DecisionPut, type DecisionSummary, makeRequestRows, makeServerRow } from './rows.ts'

/** A request to Placement: who sent it, and as part of which request. */
export interface PlacementCall {
  readonly user: string
  readonly requestId: string
  readonly globalRequestId: string | null
  /** The revision of the state that the answer was made from. */
  readonly revision: number
  readonly atMs: number
}

/** The stored part of a search for candidates. */
export interface KeptSearch {
  readonly user: string
  /** Null if it is too long to be stored. */
  readonly query: string | null
  /** The header with the version of the API; null if there was none. */
  readonly version: string | null
  readonly found: number
}

/** The stored part of a refused claim. */
export interface KeptClaim {
  readonly user: string
  readonly consumers: readonly string[]
  readonly providers: readonly string[]
}

/** Why a search is not explained. */
export type Unexplained = 'too-costly' | 'restless' | 'busy' | 'stopped'

/** A type, not an interface, so that it is a refusal of a DecisionSummary. */
export type SearchRefusal<Explained = unknown> = {
  readonly kind: 'no-candidates'
  /** As GET /v1/explain/allocation_candidates answers; it has the revision that it is about. */
  readonly explained: Explained | null
  readonly unexplained: Unexplained | null
}

/** A type for the same reason. */
export type KeptClaimRefusal = {
  readonly kind: string
  readonly text: string
  readonly provider: string | null
}

/** The rows of a search that found nothing; or, without a refusal, of one whose candidates failed later. */
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
  const summary: DecisionSummary = { placed: [], choice: null, refusal: about.refusal }
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
