import type { ApiAnswer, ApiRequest, Route } from './api.ts'
import type { ErrorDocument, ErrorFacts } from './formats/error-document.ts'

/** One API, described: ServiceHandler does the rest. */
export interface Service<Features> {
  /** For logs and metrics. */
  readonly name: string
  /** What OpenStack-API-Version calls it. */
  readonly serviceType: string
  /** An older header that asks for a version, and tells it, without naming the service; spelled as answers spell it. */
  readonly olderVersionHeader?: string
  /** Paths where what a request says about versions is ignored. */
  readonly versionlessPaths?: readonly string[]
  /** Null: the API has no microversions, and whatever a request says about them is ignored. */
  readonly versions: {
    /** e.g. `1.0` and `1.40`; all between exist. */
    readonly min: string
    readonly max: string
    featuresOf(minor: number): Features
  } | null
  readonly routes: readonly Route<Features>[]
  /** Answers paths that no route has; null is 404. */
  readonly fallback?: (request: ApiRequest<Features>, path: string) => ApiAnswer | null
  /** Paths that need no token, or all of them; the root alone unless said otherwise. */
  readonly openPaths?: readonly string[] | 'all'
  /** Further requests that need no token, such as the one that asks for one: a method and a path. */
  readonly openRequests?: readonly string[]
  /** Bodies need not say what they are. */
  readonly untypedBodies?: true
  /** A request that brings an id has it for its own, in the answer and in the log. */
  readonly keepsRequestIds?: true
  /** Whether answers that know it show when their content last changed, and forbid stale copies. */
  readonly showsLastModified?: (features: Features) => boolean
  /** Whether errors carry a code, and which one if nothing better is known. */
  readonly showsErrorCodes?: (features: Features) => boolean
  readonly undefinedCode?: string
  /** The text of a 403; Placement's unless said otherwise. */
  readonly forbiddenText?: (operation: string) => string
  /** How errors look; Placement's `errors[]` unless said otherwise. */
  readonly errorDocument?: (facts: ErrorFacts) => ErrorDocument
  readonly unauthorizedDocument?: (facts: ErrorFacts) => ErrorDocument
}
