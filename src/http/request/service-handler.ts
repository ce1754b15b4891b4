import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { assert } from '../../kernel/assert.ts'
import { ownValue } from '../../kernel/records.ts'
import { StoreUnavailable, StoreUncertain } from '../../store/store.ts'
import { ChangeRefused } from '../../world/change-refused.ts'
import { NotStorable } from '../../world/storable.ts'
import {
  type ApiAnswer,
  ApiError,
  type ApiRequest,
  type Body,
  bodyBytesMaxOf,
  type Credentials,
  lengthOf,
  type Route,
} from '../api.ts'
import { AuthenticationUnavailable, type Authenticator, RateLimited } from '../authenticator.ts'
import { bareErrorDocument, errorDocument } from '../formats/error-document.ts'
import { storeTroubleOf } from '../formats/store-errors.ts'
import type { Log } from '../ops/log.ts'
import type { HttpMetrics } from '../ops/metrics.ts'
import { forbiddenText, type Policy } from '../policy.ts'
import type { Service } from '../service.ts'
import { acceptsJson } from './accept.ts'
import { absoluteAddress, callerAddress, claimedAddress } from './addresses.ts'
import type { BodyMemory } from './body-memory.ts'
import { callers, pathOf } from './caller-context.ts'
import { compressed, type Encoding, encodingFor } from './compression.ts'
import type { Cors, FlatHeaders } from './cors.ts'
import { hostFault } from './host-header.ts'
import { negotiate, type VersionRange, versionRange } from './microversion.ts'
import { Query } from './query.ts'
import { type BodyRules, hasBody, NO_BODY, RequestAborted, readBody } from './request-body.ts'
import { Exchange } from './request-context.ts'
import { gateStatusOf, isOpen, openMethods, openRoute, Router } from './router.ts'

export interface DoorParts {
  readonly authenticator: Authenticator
  readonly policy: Policy
  /** Resolves once memory may be read for a request that has come; null if it may at once. */
  readonly upToDate: () => Promise<void> | null
  readonly cors: Cors | null
  readonly bodyBytesMax: number
  /** What bodies in progress hold: those of callers with a token, and those of all others. */
  readonly bodies: { readonly known: BodyMemory; readonly anonymous: BodyMemory }
  readonly urlBytesMax: number
  /** Whether X-Forwarded-Proto and X-Forwarded-Host come from a proxy of ours. */
  readonly trustProxy: boolean
  /** Whether long answers are compressed for clients that ask for it. */
  readonly compresses: boolean
  readonly log: Log
  readonly metrics: HttpMetrics
  readonly safetyHeaders: FlatHeaders
  /** While draining, every answer asks its client to come back on another connection. */
  readonly isDraining: () => boolean
}

/** One version of a service, with all that depends on it alone. */
interface Version<Features> {
  readonly features: Features
  readonly name: string
  readonly headers: readonly string[]
  readonly showsCodes: boolean
  readonly showsLastModified: boolean
}

const NOBODY: Credentials = { userId: '', projectId: null, roles: [], systemScope: false }
const EMPTY_QUERY = Query.parse('') as Query
const JSON_TYPE = 'application/json'
const RETRY_SOON = { 'retry-after': '1' }

/**
 * Where a service's requests come in. The checks come in one order, which clients can tell: who asks, which
 * version, the headers about the body, the route, whether the version has it, the types of body and answer,
 * the policy; only then is the body read and the handler asked.
 */
export class ServiceHandler<Features> {
  readonly #service: Service<Features>
  readonly #mount: string
  readonly #parts: DoorParts
  readonly #router: Router<Features>
  readonly #range: VersionRange | null
  readonly #versions: readonly Version<Features>[]
  readonly #serviceType: string
  /** In lower case. */
  readonly #olderVersionHeader: string | null
  /** By what OpenStack-API-Version says, where nothing else counts. */
  readonly #agreedFor = new Map<string | undefined, Version<Features>>()
  readonly #openPaths: ReadonlySet<string>
  readonly #openRequests: ReadonlySet<string>
  readonly #versionlessPaths: ReadonlySet<string>

  constructor(service: Service<Features>, mount: string, parts: DoorParts) {
    this.#service = service
    this.#mount = mount
    this.#parts = parts
    this.#router = new Router(service.routes)
    this.#range = service.versions && versionRange(service.versions.min, service.versions.max)
    this.#serviceType = service.serviceType.toLowerCase()
    this.#olderVersionHeader = service.olderVersionHeader?.toLowerCase() ?? null
    this.#versions = allVersions(service, this.#range, parts.cors !== null)
    this.#openPaths = new Set(service.openPaths ?? ['/'])
    this.#openRequests = new Set(service.openRequests)
    this.#versionlessPaths = new Set(service.versionlessPaths)
    checkRoutes(service, this.#versions, parts.policy)
  }

  /** `url` is what follows the mount: path and query. Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse, id: string, url: string): Promise<void> {
    const requestId = (this.#service.keepsRequestIds && broughtRequestId(request)) || id
    const visit = new Visit<Features>(this.#service.name, request, response, requestId, this.#parts)
    try {
      const { cors } = this.#parts
      if (cors !== null && request.method === 'OPTIONS') this.#sendPreflight(visit, cors)
      else {
        const sending = this.#sendAnswer(visit, await this.#answer(visit, url))
        if (sending !== undefined) await sending
      }
    } catch (error) {
      this.#refuse(visit, error)
    }
  }

  /** Nobody waits for `serve`, so what goes wrong even here must end here. */
  #refuse(visit: Visit<Features>, thrown: unknown): void {
    try {
      this.#sendError(visit, thrown)
    } catch (bug) {
      this.#parts.log.error('error could not be answered', {
        request_id: visit.requestId,
        error: bug as Error,
      })
      visit.response.destroy()
      visit.abandon()
    }
  }

  async #answer(visit: Visit<Features>, url: string): Promise<ApiAnswer> {
    const { headers } = visit.request
    checkFirstLine(visit.request, this.#parts.urlBytesMax)
    const mark = url.indexOf('?')
    const path = mark < 0 ? url : url.slice(0, mark)
    const credentials = this.#openPaths.has(path || '/') ? NOBODY : await this.#identify(visit, path)
    const version = this.#versionlessPaths.has(path || '/') ? this.#oldest : this.#negotiate(visit)
    if (this.#service.untypedBodies !== true) checkBodyHeaders(headers)
    const { route, params } = this.#findRoute(visit, path, version)
    if (route.takesNoBody === true && hasBody(visit.request))
      throw new ApiError(400, 'A body is not expected with this request.')
    if (route.takesJson === true) checkMediaType(headers)
    if (route.givesJson === true && !acceptsJson(headers.accept))
      throw new ApiError(406, `Only ${JSON_TYPE} is provided`)
    const query = mark < 0 ? EMPTY_QUERY : Query.parse(url.slice(mark + 1))
    const request = {
      method: visit.request.method as string,
      params,
      query: query ?? EMPTY_QUERY,
      headers,
      body: NO_BODY,
      features: version.features,
      credentials,
      requestId: visit.requestId,
      mount: this.#mount,
      addressOf: (path: string) => this.#addressOf(visit, path),
      callerAddress: () => callerAddress(visit.request, this.#parts.trustProxy),
      claimedAddress: () => claimedAddress(visit.request, this.#parts.trustProxy),
    }
    if (route.asksPolicy !== true) this.#authorize(route, request)
    if (query === null)
      throw new ApiError(400, 'Invalid query string parameters: the percent-encoding does not spell UTF-8')
    if (route.method !== 'GET' && hasBody(visit.request))
      request.body = await readBody(visit.request, this.#bodyRules(route, visit.request, credentials))
    if (route.method === 'GET') return route.handle(request)
    const { name: service } = this.#service
    const { method, requestId } = request
    const caller = {
      credentials,
      requestId,
      service,
      operation: route.operation,
      method,
      path: pathOf(visit.request.url as string),
    }
    return callers.run(caller, () => route.handle(request))
  }

  #bodyRules(route: Route<Features>, request: IncomingMessage, credentials: Credentials): BodyRules {
    const { bodies, bodyBytesMax, trustProxy } = this.#parts
    const bytesMax = bodyBytesMaxOf(route.bodyLimit, bodyBytesMax)
    return credentials === NOBODY
      ? { bytesMax, memory: bodies.anonymous, owner: callerAddress(request, trustProxy) }
      : { bytesMax, memory: bodies.known, owner: credentials.userId }
  }

  async #identify(visit: Visit<Features>, path: string): Promise<Credentials> {
    const { authenticator, log, upToDate } = this.#parts
    // Before it is asked who that is: another process may have revoked the token. What comes after is no older.
    const catchingUp = upToDate()
    if (catchingUp !== null) await catchingUp
    if (this.#openRequests.has(`${visit.request.method} ${path}`)) return NOBODY
    const asked = authenticator.authenticate(visit.request.headers)
    const verdict = asked instanceof Promise ? await asked : asked
    if (verdict instanceof AuthenticationUnavailable) {
      log.warn('cannot authenticate', { request_id: visit.requestId, reason: verdict.reason })
      throw new ApiError(503, 'The identity service cannot be reached.', undefined, RETRY_SOON)
    }
    if (verdict instanceof RateLimited)
      throw new ApiError(429, `Too many requests of this user. Try again in ${verdict.waitS} s.`, undefined, {
        'retry-after': String(verdict.waitS),
      })
    if (verdict === null) {
      const { challenge } = authenticator
      throw new ApiError(401, '', undefined, challenge === undefined ? {} : { 'www-authenticate': challenge })
    }
    visit.credentials = verdict
    return verdict
  }

  get #oldest(): Version<Features> {
    return this.#versions[0] as Version<Features>
  }

  #negotiate(visit: Visit<Features>): Version<Features> {
    if (this.#range === null) {
      visit.agreed = this.#oldest
      return visit.agreed
    }
    const { headers } = visit.request
    const asked = headers['openstack-api-version'] as string | undefined
    const known = this.#agreedFor.get(asked)
    if (known !== undefined) {
      visit.agreed = known
      visit.version = known.name
      return known
    }
    const older = this.#olderVersionHeader
    const outcome = negotiate(
      asked,
      this.#serviceType,
      this.#range,
      older === null ? undefined : (headers[older] as string | undefined),
    )
    switch (outcome.kind) {
      case 'agreed': {
        const version = this.#versions[outcome.minor - this.#range.minorMin] as Version<Features>
        visit.agreed = version
        visit.version = version.name
        // Clients say the same again and again, in few ways.
        const isUsual = older === null && (asked ?? '').length < 100
        if (isUsual && this.#agreedFor.size < 100) this.#agreedFor.set(asked, version)
        return version
      }
      case 'not-acceptable':
        throw new ApiError(406, `Invalid microversion: Unacceptable version header: ${outcome.asked}`)
      case 'malformed':
        throw new ApiError(
          400,
          `Invalid microversion: invalid version string: ${outcome.asked}; ` +
            'it must be two whole numbers with a dot between them, or latest',
        )
      default:
        return outcome satisfies never
    }
  }

  #findRoute(visit: Visit<Features>, path: string, version: Version<Features>) {
    const found = this.#router.find(visit.request.method as string, path)
    if (found.kind === 'no-path') throw new ApiError(404, '')
    visit.route = found.endpoint.path
    if (found.kind === 'no-method')
      throw new ApiError(405, 'The method specified is not allowed for this resource.', undefined, {
        allow: found.endpoint.allow,
      })
    const route = openRoute(found.routes, version.features)
    if (route !== null) return { route, params: found.params }
    if (gateStatusOf(found.routes) === 404) throw new ApiError(404, '')
    throw new ApiError(405, '', undefined, { allow: openMethods(found.endpoint, version.features) })
  }

  #authorize(route: Route<Features>, request: ApiRequest<Features>): void {
    const { operation } = route
    if (operation === null) return
    const target = route.target?.(request) ?? { project_id: request.credentials.projectId }
    if (this.#parts.policy.allows(operation, request.credentials, target)) return
    throw new ApiError(403, (this.#service.forbiddenText ?? forbiddenText)(operation))
  }

  #sendPreflight(visit: Visit<Features>, cors: Cors): void {
    const headers = ['vary', 'Origin', ...cors.preflight(visit.request.headers)]
    if (this.#parts.isDraining()) headers.push('connection', 'close')
    visit.send(200, headers, JSON_TYPE, undefined)
  }

  #sendAnswer(visit: Visit<Features>, answer: ApiAnswer): void | Promise<void> {
    const headers = this.#newHeaders(visit)
    if (answer.headers !== undefined) pushHeaders(headers, answer.headers)
    if (answer.location !== undefined) headers.push('location', this.#addressOf(visit, answer.location))
    if (answer.lastModifiedMs !== undefined && visit.agreed?.showsLastModified === true)
      headers.push('last-modified', dateText(answer.lastModifiedMs), 'cache-control', 'no-cache')
    if (this.#parts.compresses && answer.body !== undefined) {
      headers.push('vary', 'accept-encoding')
      const asked = visit.request.headers['accept-encoding'] as string | undefined
      const encoding = encodingFor(asked, lengthOf(answer.body))
      if (encoding !== null) return this.#sendCompressed(visit, answer, answer.body, headers, encoding)
    }
    visit.send(answer.status, headers, JSON_TYPE, answer.body, answer.sent)
  }

  async #sendCompressed(
    visit: Visit<Features>,
    { status, sent }: ApiAnswer,
    body: Body,
    headers: string[],
    encoding: Encoding,
  ): Promise<void> {
    const bytes = await compressed(body, encoding)
    sent?.()
    headers.push('content-encoding', encoding)
    visit.send(status, headers, JSON_TYPE, [bytes])
  }

  #addressOf(visit: Visit<Features>, path: string): string {
    return absoluteAddress(visit.request, `${this.#mount}${path}`, this.#parts.trustProxy)
  }

  #sendError(visit: Visit<Features>, thrown: unknown): void {
    // After a first byte went out nothing can be taken back, and a client that is gone wants nothing.
    if (thrown instanceof RequestAborted || visit.response.headersSent) {
      visit.abandon()
      return
    }
    const error = this.#asApiError(visit, thrown)
    const { request, agreed } = visit
    const write =
      error.status === 401
        ? (this.#service.unauthorizedDocument ?? bareErrorDocument)
        : (this.#service.errorDocument ?? errorDocument)
    const { versions } = this.#service
    const document = write({
      status: error.status,
      message: error.message,
      requestId: visit.requestId,
      method: request.method as string,
      accept: request.headers.accept,
      contentType: request.headers['content-type'],
      code: agreed?.showsCodes === true ? (error.code ?? this.#service.undefinedCode) : undefined,
      versions: error.status === 406 && agreed === null && versions !== null ? versions : undefined,
    })
    const headers = this.#newHeaders(visit)
    pushHeaders(headers, error.headers)
    visit.send(error.status, headers, document.contentType, document.body)
  }

  #asApiError(visit: Visit<Features>, thrown: unknown): ApiError {
    if (thrown instanceof ApiError) return thrown
    if (thrown instanceof NotStorable) return new ApiError(400, thrown.message)
    const request_id = visit.requestId
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    if (error instanceof StoreUnavailable || error instanceof StoreUncertain) {
      this.#parts.log.warn('store unavailable', { request_id, error })
      const { status, detail } = storeTroubleOf(error)
      return new ApiError(status, detail, undefined, status === 503 ? RETRY_SOON : {})
    }
    if (error instanceof ChangeRefused && error.why === 'taken')
      return new ApiError(409, `Nothing was changed: ${error.message}.`)
    this.#parts.log.error('request failed', { request_id, route: visit.route, error })
    return new ApiError(500, `An error of our own; the server's log tells more under ${request_id}.`)
  }

  #newHeaders(visit: Visit<Features>): string[] {
    const headers = visit.agreed === null ? [] : [...visit.agreed.headers]
    const { cors, isDraining } = this.#parts
    if (cors !== null) {
      if (visit.agreed === null) headers.push('vary', 'Origin')
      headers.push(...cors.answer(visit.request.headers))
    }
    if (isDraining()) headers.push('connection', 'close')
    return headers
  }
}

/** An exchange with one service, which may have agreed upon a version. */
class Visit<Features> extends Exchange {
  agreed: Version<Features> | null = null
}

function allVersions<F>(service: Service<F>, range: VersionRange | null, hasCors: boolean): Version<F>[] {
  if (service.versions === null || range === null) return [unversioned(hasCors)]
  const versions: Version<F>[] = []
  for (let minor = range.minorMin; minor <= range.minorMax; minor++) {
    const features = service.versions.featuresOf(minor)
    const name = `${range.major}.${minor}`
    const older = service.olderVersionHeader
    const vary = [
      'openstack-api-version',
      ...(older === undefined ? [] : [older]),
      ...(hasCors ? ['Origin'] : []),
    ]
    versions.push({
      features,
      name,
      headers: [
        ...['openstack-api-version', `${service.serviceType} ${name}`],
        ...(older === undefined ? [] : [older, name]),
        ...['vary', vary.join(', ')],
      ],
      showsCodes: service.showsErrorCodes?.(features) ?? false,
      showsLastModified: service.showsLastModified?.(features) ?? false,
    })
  }
  return versions
}

/** The only version of an API that has none. */
function unversioned<F>(hasCors: boolean): Version<F> {
  const headers = hasCors ? ['vary', 'Origin'] : []
  return { features: {} as F, name: '', headers, showsCodes: false, showsLastModified: false }
}

/** Found at start rather than by the first caller: unknown operations, and two routes open at once. */
function checkRoutes<F>(service: Service<F>, versions: readonly Version<F>[], policy: Policy): void {
  for (const { operation, method, path } of service.routes)
    assert(operation === null || policy.knows(operation), () => `${method} ${path} asks for ${operation}`)
  for (const { features, name } of versions) {
    const seen = new Set<string>()
    for (const route of service.routes) {
      if (!isOpen(route, features)) continue
      const key = `${route.method} ${route.path}`
      assert(!seen.has(key), () => `${service.name} ${name} has two routes for ${key}`)
      seen.add(key)
    }
  }
}

function checkFirstLine(request: IncomingMessage, urlBytesMax: number): void {
  const url = request.url as string
  if (url.length > urlBytesMax) throw new ApiError(414, `A URL may have at most ${urlBytesMax} bytes.`)
  const fault = hostFault(request)
  if (fault !== null) throw new ApiError(400, fault)
}

const REQUEST_ID = /^[\w.-]{1,64}$/

function broughtRequestId(request: IncomingMessage): string | null {
  const id = request.headers['x-openstack-request-id']
  if (typeof id !== 'string' || !REQUEST_ID.test(id)) return null
  return id.startsWith('req-') ? id : `req-${id}`
}

/** Only a Content-Length counts here: without one, a missing type shows later, where a body is wanted. */
function checkBodyHeaders(headers: IncomingHttpHeaders): void {
  const length = headers['content-length']
  if (length === undefined || length === '0' || headers['content-type']) return
  if (Number(length) > 0) throw new ApiError(400, 'content-type header required when content-length > 0')
}

function checkMediaType(headers: IncomingHttpHeaders): void {
  const sent = headers['content-type']
  if (sent === JSON_TYPE) return
  const type = sent?.split(';', 1)[0]?.trim() ?? ''
  if (type.toLowerCase() === JSON_TYPE) return
  throw new ApiError(415, `The media type ${type || 'None'} is not supported, use ${JSON_TYPE}`)
}

function pushHeaders(headers: string[], more: Readonly<Record<string, string>>): void {
  for (const name in more) headers.push(name, ownValue(more, name) as string)
}

let textSecond = Number.NaN
let textOfSecond = ''

/** Most answers of one second were changed in that same second. */
function dateText(ms: number): string {
  const second = Math.floor(ms / 1_000)
  if (second !== textSecond) {
    textSecond = second
    textOfSecond = new Date(ms).toUTCString()
  }
  return textOfSecond
}
