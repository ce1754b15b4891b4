import type { IncomingHttpHeaders } from 'node:http'
import type { PolicyTarget } from './policy.ts'
import type { Query } from './request/query.ts'

/** Who asks, as the authenticator found out. */
export interface Credentials {
  readonly userId: string
  readonly projectId: string | null
  /** Lower case. */
  readonly roles: readonly string[]
  readonly systemScope: boolean
  /** Where the token stands for less than somebody who signed in: what it makes may not exceed it. */
  readonly delegation?: Delegation
  /** What people call the user and the project, where the authenticator knows. Never used to decide anything. */
  readonly names?: { readonly user: string; readonly project: string | null }
}

/** An application credential or a token for a machine, behind a caller. */
export interface Delegation {
  readonly by: string
  /** It may not make or remove credentials, nor anything else that lets somebody in. */
  readonly isRestricted: boolean
  /** Nothing that it makes lets anybody in for longer; null: it has no end. */
  readonly endsAtMs: number | null
}

/** One request past the checks: authenticated, its version negotiated, its route found, its operation allowed. */
export interface ApiRequest<Features> {
  readonly method: string
  /** As sent: the path, with the mount, and the query. */
  readonly url: string
  /** Values of the `{name}` parts of the route's path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  /** Empty where the route takes a raw body. */
  readonly body: Buffer
  /** The raw body as it comes, for routes that take one. Whoever stops early leaves the rest to be dropped. */
  readonly readRawBody: () => AsyncIterable<Uint8Array>
  /** What the negotiated version has: rules and routes ask for features, never for version numbers. */
  readonly features: Features
  readonly credentials: Credentials
  readonly requestId: string
  /** Where the service is mounted: '' or e.g. '/placement'. Links in bodies start with it. */
  readonly mount: string
  /** A path from the service's root as an address that works where the caller is. */
  readonly addressOf: (path: string) => string
  /** The network address that the request came from. */
  readonly callerAddress: () => string
  /** Whom a proxy that is not trusted says it asks for; null if nobody, or where proxies are trusted. Anybody may have made it up. */
  readonly claimedAddress: () => string | null
  /** Who asks, looked up again for answers that take long: null once the token or the right to the operation has ended. */
  readonly reauthenticate: () => Promise<Credentials | null>
  /** Calls back once the answer is over, however it ends; at once if it is over already. */
  readonly onClose: (callback: () => void) => void
}

/** A body that is ready: text, or its bytes in pieces that follow one another. */
export type Body = string | readonly Buffer[]

/** A body made piece by piece, no faster than the client takes it. No piece is empty. */
export class BodyStream {
  readonly pieces: AsyncIterable<string | Uint8Array>

  constructor(pieces: AsyncIterable<string | Uint8Array>) {
    this.pieces = pieces
  }
}

/** How many bytes it has. */
export function lengthOf(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  let bytes = 0
  for (const piece of body) bytes += piece.length
  return bytes
}

export interface ApiAnswer {
  readonly status: number
  /** Absent: no body and no content type. */
  readonly body?: Body | BodyStream
  /** `application/json` unless said otherwise. */
  readonly contentType?: string
  /** Told once the body is sent, or never will be: its bytes may be used again. */
  readonly sent?: () => void
  /** A path from the service's root; the answer has it absolute. */
  readonly location?: string
  /** When the thing answered last changed; shown by versions that have cache headers. */
  readonly lastModifiedMs?: number
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the security headers of APIs: those of a page. */
  readonly securityHeaders?: readonly string[]
  /** The body is compressed already, or would not get shorter. */
  readonly isEncoded?: true
  /** What metrics call the route, where the path was no declared one. */
  readonly route?: string
}

/** An answer that is an error, written in the format of the service. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  /** A frozen error code such as `placement.concurrent_update`, where the API has one. */
  readonly code: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, detail: string, code?: string, headers: Record<string, string> = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** What Berth's own services send; OpenStack's have no charset. */
export const JSON_UTF8 = 'application/json; charset=utf-8'

/** An API without versions has no features either. */
export type NoFeatures = Readonly<Record<never, never>>

/** An error of a check that all services share. `/v1` shows its code and facts; OpenStack formats know only the status. */
export class RequestRefused extends ApiError {
  override name = 'RequestRefused'
  readonly reason: string
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    reason: string,
    detail: string,
    headers: Record<string, string> = {},
    facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(status, detail, undefined, headers)
    this.reason = reason
    this.facts = facts
  }
}

/** The most bytes of a body: a number, or what the operator set for the largest ones. */
export type BodyLimit = number | 'max_body_bytes'

/** Unless a route says otherwise. Nobody writes more than this by hand. */
export const SMALL_BODY_BYTES: number = 64 * 1024

/** For lists of thousands of items. More takes longer to parse and check than others should have to wait. */
export const LIST_BODY_BYTES: number = 512 * 1024

export const bodyBytesMaxOf = (limit: BodyLimit | undefined, configured: number): number =>
  limit === 'max_body_bytes' ? configured : Math.min(limit ?? SMALL_BODY_BYTES, configured)

export interface Route<Features> {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** e.g. `/resource_providers/{uuid}/traits` */
  readonly path: string
  /** The policy operation by upstream's name; null is open to all. */
  readonly operation: string | null
  /** Exists while this feature is there ... */
  readonly since?: keyof Features
  /** ... and until this one comes. */
  readonly until?: keyof Features
  /** What is answered outside of that; 404 unless said otherwise. */
  readonly gateStatus?: 404 | 405
  /** A request that brings a body is 400. */
  readonly takesNoBody?: true
  /** The body must be application/json, else 415. */
  readonly takesJson?: true
  /** A body, if there is one, must be of this media type, else 415. */
  readonly bodyType?: string
  /** The handler reads the body as it comes, however long it is. */
  readonly takesRawBody?: true
  /** 64 KiB unless said otherwise. A longer body is 413. */
  readonly bodyLimit?: BodyLimit
  /** The answer is application/json; an Accept header without it is 406. */
  readonly givesJson?: true
  /** The handler asks the policy, because the answer depends on what only it can find. */
  readonly asksPolicy?: true
  /** What the policy is asked about, where it is not the caller's own project. */
  readonly target?: (request: ApiRequest<Features>) => PolicyTarget
  handle(request: ApiRequest<Features>): ApiAnswer | Promise<ApiAnswer>
}

export const json = (status: number, value: unknown, lastModifiedMs?: number): ApiAnswer => ({
  status,
  body: JSON.stringify(value),
  ...(lastModifiedMs === undefined ? {} : { lastModifiedMs }),
})

export const noContent: ApiAnswer = { status: 204 }
