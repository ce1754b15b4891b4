import type { Schema } from '../kernel/json-schema.ts'
import type { ApiAnswer, ApiRequest, Route } from './api.ts'
import type { ErrorDocument, ErrorFacts } from './formats/error-document.ts'

/** The description of one API; ServiceHandler serves it. */
export interface Service<Features> {
  /** For logs and metrics. */
  readonly name: string
  /** Its name in OpenStack-API-Version. */
  readonly serviceType: string
  /** An older version header without the service's name; spelled as in answers. */
  readonly olderVersionHeader?: string
  /** Paths that ignore version headers. */
  readonly versionlessPaths?: readonly string[]
  /** Null: no microversions; version headers are ignored. */
  readonly versions: {
    /** e.g. `1.0` and `1.39`; all between exist. */
    readonly min: string
    readonly max: string
    featuresOf(minor: number): Features
  } | null
  readonly routes: readonly Route<Features>[]
  /** Answers paths without a route; null is 404. */
  readonly fallback?: (request: ApiRequest<Features>, path: string) => ApiAnswer | null
  /** Paths that need no token, or all of them; default: only the root. */
  readonly openPaths?: readonly string[] | 'all'
  /** Further requests without a token, such as sign-in: a method and a path. */
  readonly openRequests?: readonly string[]
  /** Bodies need no content type. */
  readonly untypedBodies?: true
  /** Use the request id that the client sent, in answers and logs. */
  readonly keepsRequestIds?: true
  /** Answers have a Last-Modified header and forbid caching. */
  readonly showsLastModified?: (features: Features) => boolean
  /** Errors have a code. */
  readonly showsErrorCodes?: (features: Features) => boolean
  readonly undefinedCode?: string
  /** The text of a 403; default: Placement's. */
  readonly forbiddenText?: (operation: string) => string
  /** The format of errors; default: Placement's `errors[]`. */
  readonly errorDocument?: (facts: ErrorFacts) => ErrorDocument
  readonly unauthorizedDocument?: (facts: ErrorFacts) => ErrorDocument
  /** The JSON schema of what `errorDocument` writes; default: Placement's. */
  readonly errorSchema?: Schema
}
