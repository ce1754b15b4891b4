import type { IncomingHttpHeaders } from 'node:http'
import type { Schema } from '../kernel/json-schema.ts'
import { ownValue } from '../kernel/records.ts'
import type { PolicyTarget } from './policy.ts'
import type { Query } from './request/query.ts'

/** The authenticated caller. */
export interface Credentials {
  readonly userId: string
  readonly projectId: string | null
  /** Lower case. */
  readonly roles: readonly string[]
  readonly systemScope: boolean
  /** Set for tokens with fewer rights than their user: nothing that they create may exceed them. */
  readonly delegation?: Delegation
  /** Display names of user and project, if known. Never used for decisions. */
  readonly names?: { readonly user: string; readonly project: string | null }
}

/** An application credential or a token for a machine. */
export interface Delegation {
  readonly by: string
  /** It may not create or delete credentials or anything else that grants access. */
  readonly isRestricted: boolean
  /** Access that it grants ends by then; null: no end. */
  readonly endsAtMs: number | null
}

/** One request past the checks: authenticated, its version negotiated, its route found, its operation allowed. */
export interface ApiRequest<Features> {
  readonly method: string
  /** The path with the mount, and the query. */
  readonly url: string
  /** Values of the `{name}` parts of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  /** Empty for routes with a raw body. */
  readonly body: Buffer
  /** The raw body as it arrives. The rest of a body that is not read to its end is dropped. */
  readonly readRawBody: () => AsyncIterable<Uint8Array>
  /** What the negotiated version has: rules and routes check features, never version numbers. */
  readonly features: Features
  readonly credentials: Credentials
  readonly requestId: string
  /** Where the service is mounted: '' or e.g. '/placement'. Links in bodies start with it. */
  readonly mount: string
  /** A path from the service's root as an absolute URL that works for the caller. */
  readonly addressOf: (path: string) => string
  readonly callerAddress: () => string
  /** The client that an untrusted proxy names; null if none, or if proxies are trusted. It may be forged. */
  readonly claimedAddress: () => string | null
  /** Authenticates again during long answers: null once the token or the permission has ended. */
  readonly reauthenticate: () => Promise<Credentials | null>
  /** Calls back when the answer has ended, in any way; at once if it has already. */
  readonly onClose: (callback: () => void) => void
}

/** A complete body: text, or pieces of bytes. */
export type Body = string | readonly Buffer[]

/** A body in pieces, sent no faster than the client reads. No piece is empty. */
export class BodyStream {
  readonly pieces: AsyncIterable<string | Uint8Array>

  constructor(pieces: AsyncIterable<string | Uint8Array>) {
    this.pieces = pieces
  }
}

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
  /** Default: `application/json`. */
  readonly contentType?: string
  /** Called when the body was sent or never will be, so that its buffer can be reused. */
  readonly onSent?: () => void
  /** A path from the service's root; sent as an absolute URL. */
  readonly location?: string
  /** When the content last changed; sent by versions that have cache headers. */
  readonly lastModifiedMs?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Replace the security headers of the API with those of a page. */
  readonly securityHeaders?: readonly string[]
  /** The body is compressed already, or would not get shorter. */
  readonly isEncoded?: true
  /** The route's label in metrics, where no declared route matched. */
  readonly route?: string
}

/** An error answer, rendered in the format of the service. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  /** A fixed error code such as `placement.concurrent_update`, if the API has one. */
  readonly code: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, detail: string, code?: string, headers: Record<string, string> = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** For Berth's own services; OpenStack's have no charset. */
export const JSON_UTF8 = 'application/json; charset=utf-8'

/** An API without versions has no features. */
export type NoFeatures = Readonly<Record<never, never>>

/** A part of the path that the route promises. */
export const param = ({ params }: Pick<ApiRequest<unknown>, 'params'>, name: string): string =>
  ownValue(params, name) as string

/** An error of a check that all services share. `/v1` shows its code and facts; OpenStack formats only the status. */
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

/** The maximum size of a body: a number, or the configured maximum. */
export type BodyLimit = number | 'max_body_bytes'

/** The default; larger than any body written by hand. */
export const SMALL_BODY_BYTES: number = 64 * 1024

/** For lists of thousands of items. Parsing and checking more would delay others too long. */
export const LIST_BODY_BYTES: number = 512 * 1024

export const resolveBodyLimit = (limit: BodyLimit | undefined, configured: number): number =>
  limit === 'max_body_bytes' ? configured : Math.min(limit ?? SMALL_BODY_BYTES, configured)

/** A schema, or how it follows from what a version has. */
export type SchemaFor<Features> = Schema | ((features: Features) => Schema)

/** The body of each status of success; null: no body. */
export type AnswerSchemas = Readonly<Record<number, Schema | null>>

/** Descriptions of headers by their names. */
type HeaderTexts = Readonly<Record<string, string>>

/** Describes a route for the OpenAPI document of its service. */
interface Description<Features> {
  /** A few words. */
  readonly summary: string
  readonly query?: SchemaFor<Features>
  /** Headers that it needs, with what each is for, beyond those of every route. */
  readonly requestHeaders?: HeaderTexts
  readonly requestBody?: SchemaFor<Features>
  /** Bodies with one member, the action, by its name. Replaces `requestBody`. */
  readonly actions?: (features: Features) => Readonly<Record<string, Schema>>
  readonly answers: AnswerSchemas | ((features: Features) => AnswerSchemas)
  /** Statuses whose body in `answers` some requests get and others do not. */
  readonly maybeEmpty?: readonly number[]
  /** Headers of every success, beyond those of every route. */
  readonly answerHeaders?: HeaderTexts
}

/** A route of an OpenStack service: every one of them is documented. */
export type DescribedRoute<Features> = Route<Features> & Description<Features>

export interface Route<Features> extends Partial<Description<Features>> {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** e.g. `/resource_providers/{uuid}/traits` */
  readonly path: string
  /** The policy operation by upstream's name; null is open to all. */
  readonly operation: string | null
  /** Exists from the version with this feature on ... */
  readonly since?: keyof Features
  /** ... until the version with this one. */
  readonly until?: keyof Features
  /** The answer outside of that; default 404. */
  readonly gateStatus?: 404 | 405
  /** A request with a body gets 400. */
  readonly takesNoBody?: true
  /** The body must be application/json, else 415. */
  readonly takesJson?: true
  /** A body, if there is one, must be of this media type, else 415. */
  readonly bodyType?: string
  /** The handler reads the body as a stream, of any length. */
  readonly takesRawBody?: true
  /** Default: 64 KiB. A longer body gets 413. */
  readonly bodyLimit?: BodyLimit
  /** The answer is application/json; an Accept header without it gets 406. */
  readonly givesJson?: true
  /** The handler checks the policy, because only it knows the target. */
  readonly asksPolicy?: true
  /** The target of the policy check, where it is not the caller's own project. */
  readonly target?: (request: ApiRequest<Features>) => PolicyTarget
  handle(request: ApiRequest<Features>): ApiAnswer | Promise<ApiAnswer>
}

export const json = (status: number, value: unknown, lastModifiedMs?: number): ApiAnswer => ({
  status,
  body: JSON.stringify(value),
  ...(lastModifiedMs === undefined ? {} : { lastModifiedMs }),
})

export const noContent: ApiAnswer = { status: 204 }
