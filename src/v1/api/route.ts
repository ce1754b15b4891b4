import type { IncomingHttpHeaders } from 'node:http'
import type { ApiAnswer, BodyLimit, Credentials } from '../../http/api.ts'
import type { Query as RawQuery } from '../../http/request/query.ts'
import type { Shape } from '../../wire/shape.ts'
import type { IdempotentWrite, WriteResponse } from './idempotency.ts'

/** One route of /v1, described once: checked, documented and served from this. */
export type V1Route = V1Read | V1Write

interface Described<Query, Body, Answer> {
  /** Below /v1, e.g. `/fleet` or `/decisions/{id}`. */
  readonly path: string
  /** The policy operation. */
  readonly operation: string
  readonly summary: string
  readonly description: string
  /** The meaning of each `{name}` of the path. */
  readonly params?: Readonly<Record<string, string>>
  /** Values are parsed by their declared types. A parameter may be repeated if its shape is a list. */
  readonly query?: Shape<Query>
  /** Another API defines the query parameters, so they are not checked here. */
  readonly anyQuery?: true
  /** The meaning of each request header that the route reads. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Shape<Body>
  /** Default: 64 KiB. A longer body gets 413. */
  readonly bodyLimit?: BodyLimit
  readonly answer: V1Answer<Answer>
  /** Further statuses and their meaning. */
  readonly problems?: Readonly<Record<number, string>>
}

/** A POST that only reads must say so; a route that changes something is a V1Write. */
type Asking = { readonly method: 'GET' } | { readonly method: 'POST'; readonly changesNothing: true }

export type V1Read<Query = unknown, Body = unknown, Answer = unknown> = Described<Query, Body, Answer> &
  Asking & {
    /** Returns the answer to send as JSON, in the declared shape, or a CustomAnswer. */
    handle(
      request: V1Request<Query, Body>,
    ): NoInfer<Answer> | CustomAnswer | Promise<NoInfer<Answer> | CustomAnswer>
  }

export interface V1Write<Query = unknown, Body = unknown, Answer = unknown>
  extends Described<Query, Body, Answer> {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  /** The body has this media type and is read by the handler as a stream, of any length. */
  readonly rawBody?: string
  readonly rawBodyExample?: string
  /** Must send its last command through `once`, which stores the answer under the caller's Idempotency-Key. */
  write(request: V1WriteRequest<Query, Body, NoInfer<Answer>>): Promise<WriteResponse>
}

export interface V1Answer<Answer = unknown> {
  readonly description: string
  /** 200 by default. */
  readonly status?: 201
  /** Default: JSON. */
  readonly mediaType?: string
  readonly shape?: Shape<Answer>
  /** For formats other than JSON: one piece. */
  readonly example?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer other than JSON with status 200. */
export class CustomAnswer {
  readonly answer: ApiAnswer

  constructor(answer: ApiAnswer) {
    this.answer = answer
  }
}

interface V1Request<Query, Body> {
  readonly query: Query
  readonly body: Body
  readonly params: Readonly<Record<string, string>>
  /** The query as sent, for routes that leave its meaning to another API. */
  readonly rawQuery: RawQuery
  readonly headers: IncomingHttpHeaders
  readonly credentials: Credentials
  readonly requestId: string
  /** Authenticates the caller again. Null if the token expired or the permission was withdrawn. */
  readonly reauthenticate: () => Promise<Credentials | null>
  /** Calls back when the answer has ended in any way. */
  readonly onClose: (callback: () => void) => void
}

interface V1WriteRequest<Query, Body, Answer> extends V1Request<Query, Body> {
  /** A raw body. It must be read to its end before the last command. */
  readonly bytes: AsyncIterable<Uint8Array>
  readonly once: IdempotentWrite<Answer>
}

/** Checks that query, body and answer fit together before the route joins a list of routes of all types. */
export function v1Route<Query, Body, Answer>(route: V1Read<Query, Body, Answer>): V1Route {
  return route as V1Route
}

export function v1Write<Query, Body, Answer>(route: V1Write<Query, Body, Answer>): V1Route {
  return route as V1Route
}
