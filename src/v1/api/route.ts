import type { IncomingHttpHeaders } from 'node:http'
import type { ApiAnswer, BodyLimit, Credentials } from '../../http/api.ts'
import type { Query as RawQuery } from '../../http/request/query.ts'
import type { Shape } from '../../wire/shape.ts'
import type { IdempotentWrite, WriteResponse } from './idempotency.ts'

/** One route of /v1, described once: it is checked, documented and served from this. */
export type V1Route = V1Read | V1Write

interface Described<Query, Body> {
  /** Below /v1, e.g. `/fleet` or `/decisions/{id}`. */
  readonly path: string
  /** The policy operation. */
  readonly operation: string
  readonly summary: string
  readonly description: string
  /** What stands for each `{name}` of the path. */
  readonly params?: Readonly<Record<string, string>>
  /** Values are read by their declared types; a repeated parameter is a list if its shape is one. */
  readonly query?: Shape<Query>
  /** Query parameters are not checked here: they are those of another API. */
  readonly anyQuery?: true
  /** What each request header that the route reads means. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Shape<Body>
  /** 64 KiB unless said otherwise. A longer body is 413. */
  readonly bodyLimit?: BodyLimit
  readonly answer: V1Answer
  /** Further statuses and what they mean. */
  readonly problems?: Readonly<Record<number, string>>
}

/** A POST that only asks must say so; whatever changes something is a V1Write. */
type Asking = { readonly method: 'GET' } | { readonly method: 'POST'; readonly changesNothing: true }

export type V1Read<Query = unknown, Body = unknown> = Described<Query, Body> &
  Asking & {
    /** What it returns is sent as JSON, unless it is a CustomAnswer. */
    handle(request: V1Request<Query, Body>): unknown
  }

export interface V1Write<Query = unknown, Body = unknown> extends Described<Query, Body> {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  /** The body is of this media type and is read by the handler as it comes, however long it is. */
  readonly rawBody?: string
  readonly rawBodyExample?: string
  /** Its last command goes through `once`, which keeps the answer under the caller's Idempotency-Key. */
  write(request: V1WriteRequest<Query, Body>): Promise<WriteResponse>
}

export interface V1Answer {
  readonly description: string
  /** JSON unless said otherwise. */
  readonly mediaType?: string
  readonly shape?: Shape<unknown>
  /** For what is no JSON: one piece of it. */
  readonly example?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that is not simply JSON with status 200. */
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
  /** The query as it came, for routes that leave its meaning to another API. */
  readonly rawQuery: RawQuery
  readonly headers: IncomingHttpHeaders
  readonly credentials: Credentials
  readonly requestId: string
  /** Who asks, looked up again: null once the token is good no more, or the operation is no longer theirs. */
  readonly reauthenticate: () => Promise<Credentials | null>
  /** Calls back once the answer is over, however it ends. */
  readonly onClose: (callback: () => void) => void
}

interface V1WriteRequest<Query, Body> extends V1Request<Query, Body> {
  /** A raw body. It must be read to its end before the last command. */
  readonly bytes: AsyncIterable<Uint8Array>
  readonly once: IdempotentWrite
}

/** Keeps the types of query and body together while routes of all kinds stand in one list. */
export function v1Route<Query, Body>(route: V1Read<Query, Body>): V1Route {
  return route as V1Route
}

export function v1Write<Query, Body>(route: V1Write<Query, Body>): V1Route {
  return route as V1Route
}
