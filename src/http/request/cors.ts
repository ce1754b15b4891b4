import type { IncomingHttpHeaders } from 'node:http'

/** Which pages of other origins may use the API. Without origins, CORS is off. */
export interface CorsConfig {
  /** `scheme://host[:port]`, or `*` for all. */
  readonly allowedOrigins: readonly string[]
  /** Request headers a page may set besides the simple ones. */
  readonly allowHeaders?: readonly string[]
  /** Answer headers a page may read besides the simple ones. */
  readonly exposeHeaders?: readonly string[]
  readonly maxAgeSeconds?: number
}

const METHODS: readonly string[] = ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'PATCH']
const SIMPLE_HEADERS: readonly string[] = [
  'accept',
  'accept-language',
  'content-type',
  'cache-control',
  'content-language',
  'expires',
  'last-modified',
  'pragma',
]
const API_REQUEST_HEADERS: readonly string[] = [
  'idempotency-key',
  'openstack-api-version',
  'x-auth-token',
  'x-openstack-request-id',
  'x-subject-token',
]
const API_ANSWER_HEADERS: readonly string[] = [
  'berth-search-exhausted',
  'idempotent-replay',
  'location',
  'openstack-api-version',
  'retry-after',
  'x-openstack-request-id',
  'x-subject-token',
]

/** Flat pairs of name and value, as Node's writeHead takes them. */
export type FlatHeaders = readonly string[]

const NOTHING: FlatHeaders = []

/** Headers of cross-origin resource sharing, for preflight requests and for answers. */
export class Cors {
  readonly #origins: ReadonlySet<string>
  readonly #requestHeaders: ReadonlySet<string>
  readonly #exposed: string
  readonly #maxAge: string

  constructor(config: CorsConfig) {
    this.#origins = new Set(config.allowedOrigins)
    const allowed = config.allowHeaders ?? API_REQUEST_HEADERS
    this.#requestHeaders = new Set([...SIMPLE_HEADERS, ...allowed.map(name => name.toLowerCase())])
    this.#exposed = (config.exposeHeaders ?? API_ANSWER_HEADERS).join(',')
    this.#maxAge = String(config.maxAgeSeconds ?? 3600)
  }

  /** For OPTIONS; empty if the page asks for more than is allowed. */
  preflightHeaders(headers: IncomingHttpHeaders): FlatHeaders {
    const origin = this.#allowedOrigin(headers)
    const method = headers['access-control-request-method']
    if (origin === null || method === undefined || !METHODS.includes(method)) return NOTHING
    const wanted = listOf(headers['access-control-request-headers'])
    if (!wanted.every(name => this.#requestHeaders.has(name.toLowerCase()))) return NOTHING
    return [
      ...allowHeaders(origin),
      'access-control-max-age',
      this.#maxAge,
      'access-control-allow-methods',
      method,
      ...(wanted.length === 0 ? [] : ['access-control-allow-headers', wanted.join(',')]),
    ]
  }

  /** For all other answers. */
  answerHeaders(headers: IncomingHttpHeaders): FlatHeaders {
    const origin = this.#allowedOrigin(headers)
    if (origin === null) return NOTHING
    if (this.#exposed === '') return allowHeaders(origin)
    return [...allowHeaders(origin), 'access-control-expose-headers', this.#exposed]
  }

  #allowedOrigin(headers: IncomingHttpHeaders): string | null {
    const origin = headers.origin
    if (origin === undefined) return null
    if (this.#origins.has(origin)) return origin
    return this.#origins.has('*') ? '*' : null
  }
}

/** Browsers reject credentials together with the wildcard. */
function allowHeaders(origin: string): FlatHeaders {
  if (origin === '*') return ['access-control-allow-origin', origin]
  return ['access-control-allow-origin', origin, 'access-control-allow-credentials', 'true']
}

function listOf(value: string | undefined): string[] {
  if (value === undefined) return []
  return value
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
}
