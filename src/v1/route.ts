import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Credentials } from '../http/api.ts'
import type { Shape } from './shape.ts'

/** One route of /v1, described once: it is checked, documented and served from this. */
export interface V1Route<Query = unknown, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
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
  readonly body?: Shape<Body>
  /** The body is taken as it comes, of this media type, and read by the handler. */
  readonly rawBody?: string
  readonly answer: V1Answer
  /** Further statuses and what they mean. */
  readonly problems?: Readonly<Record<number, string>>
  handle(request: V1Request<Query, Body>): unknown
}

export interface V1Answer {
  readonly description: string
  /** JSON unless said otherwise. */
  readonly mediaType?: string
  readonly shape?: Shape<unknown>
  readonly headers?: Readonly<Record<string, string>>
}

export interface V1Request<Query, Body> {
  readonly query: Query
  readonly body: Body
  readonly params: Readonly<Record<string, string>>
  readonly credentials: Credentials
  readonly requestId: string
  readonly raw: FastifyRequest
  readonly reply: FastifyReply
}

/** Keeps the types of query and body together while routes of all kinds stand in one list. */
export function v1Route<Query, Body>(route: V1Route<Query, Body>): V1Route {
  return route as unknown as V1Route
}
