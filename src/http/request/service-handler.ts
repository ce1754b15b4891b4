import type { IncomingMessage, ServerResponse } from 'node:http'
import { ownValue } from '../../kernel/records.ts'
import {
  type ApiAnswer,
  ApiError,
  type ApiRequest,
  type Body,
  BodyStream,
  type Credentials,
  lengthOf,
  RequestRefused,
  type Route,
  resolveBodyLimit,
} from '../api.ts'
import { AuthenticationUnavailable, type Authenticator, RateLimited } from '../authenticator.ts'
import { renderDate } from '../formats/http-date.ts'
import { forbiddenText, type Policy } from '../policy.ts'
import type { Service } from '../service.ts'
import { runInSpan, traceStep } from '../tracing/span.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { findCallerAddress, findClaimedAddress, makeAbsoluteUrl } from './addresses.ts'
import { type Admission, toEntrant } from './admission.ts'
import type { BodyMemory } from './body-memory.ts'
import { callerContext, extractPath } from './caller-context.ts'
import { chooseEncoding, compress, type Encoding } from './compression.ts'
import type { Cors } from './cors.ts'
import { negotiate, parseRange, type VersionRange } from './microversion.ts'
import { Query } from './query.ts'
import { type BodyRules, hasBody, NO_BODY, RequestAborted, readBody, streamBody } from './request-body.ts'
import { checkBodyHeaders, checkFirstLine, checkTypes, readRequestId } from './request-checks.ts'
import { type AnswerHead, type ReportingParts, RequestContext } from './request-context.ts'
import {
  readRefusalReason,
  renderErrorDocument,
  toApiError,
  toRouteError,
  toTokenError,
  toVersionError,
} from './request-errors.ts'
import { Router } from './router.ts'
import { checkRoutes, listVersions, type ServiceVersion } from './service-versions.ts'

export interface HandlerParts extends ReportingParts {
  readonly authenticator: Authenticator
  readonly policy: Policy
  /** Resolves when memory is up to date enough for a new request; null if it is already. */
  readonly upToDate: () => Promise<void> | null
  readonly cors: Cors | null
  readonly bodyBytesMax: number
  /** Memory of unfinished bodies: of callers with a token, and of all others. */
  readonly bodies: { readonly known: BodyMemory; readonly anonymous: BodyMemory }
  readonly urlBytesMax: number
  /** Whether to trust X-Forwarded-Proto and X-Forwarded-Host. */
  readonly trustProxy: boolean
  /** Whether to compress long answers for clients that accept it. */
  readonly compresses: boolean
  /** Null: every request is handled at once. */
  readonly admission: Admission | null
  /** Null: requests are not traced. */
  readonly tracer: Tracer | null
  /** While draining, every answer closes its connection. */
  readonly isDraining: () => boolean
}

const NOBODY: Credentials = { userId: '', projectId: null, roles: [], systemScope: false }
const EMPTY_QUERY = Query.parse('') as Query
const JSON_TYPE = 'application/json'

/**
 * Answers the requests of one service. Clients can observe the order of checks: token, version, headers about the body,
 * route, version of the route, types of body and answer, policy; only then is the body read and the handler called.
 */
export class ServiceHandler<Features> {
  readonly #service: Service<Features>
  readonly #mount: string
  readonly #parts: HandlerParts
  readonly #router: Router<Features>
  readonly #range: VersionRange | null
  readonly #versions: readonly ServiceVersion<Features>[]
  readonly #serviceType: string
  /** In lower case. */
  readonly #olderVersionHeader: string | null
  /** By OpenStack-API-Version, where no other header counts. */
  readonly #agreedFor = new Map<string | undefined, ServiceVersion<Features>>()
  readonly #openPaths: ReadonlySet<string> | 'all'
  readonly #openRequests: ReadonlySet<string>
  readonly #versionlessPaths: ReadonlySet<string>

  constructor(service: Service<Features>, mount: string, parts: HandlerParts) {
    this.#service = service
    this.#mount = mount
    this.#parts = parts
    this.#router = new Router(service.routes)
    this.#range = service.versions && parseRange(service.versions.min, service.versions.max)
    this.#serviceType = service.serviceType.toLowerCase()
    this.#olderVersionHeader = service.olderVersionHeader?.toLowerCase() ?? null
    this.#versions = listVersions(service, this.#range, parts.cors !== null)
    const { openPaths = ['/'] } = service
    this.#openPaths = openPaths === 'all' ? openPaths : new Set(openPaths)
    this.#openRequests = new Set(service.openRequests)
    this.#versionlessPaths = new Set(service.versionlessPaths)
    checkRoutes(service, this.#versions, parts.policy)
  }

  get service(): Service<Features> {
    return this.#service
  }

  /** `url` is what follows the mount: path and query. Never rejects. */
  serve(request: IncomingMessage, response: ServerResponse, id: string, url: string): Promise<void> {
    const { name, keepsRequestIds } = this.#service
    const requestId = (keepsRequestIds && readRequestId(request)) || id
    const span = this.#parts.tracer?.startRequest(request) ?? null
    const context = new HandlerContext<Features>(name, request, response, requestId, this.#parts, span)
    return span === null ? this.#serve(context, url) : runInSpan(span, () => this.#serve(context, url))
  }

  async #serve(context: HandlerContext<Features>, url: string): Promise<void> {
    try {
      const { cors } = this.#parts
      if (cors !== null && context.request.method === 'OPTIONS') this.#sendPreflight(context, cors)
      else {
        const sending = this.#sendAnswer(context, await this.#answer(context, url))
        if (sending !== undefined) await sending
      }
    } catch (error) {
      this.#refuse(context, error)
    }
  }

  /** Nothing waits for `serve`, so errors must end here. */
  #refuse(context: HandlerContext<Features>, thrown: unknown): void {
    try {
      this.#sendError(context, thrown)
    } catch (bug) {
      this.#parts.log.error('could not send an error answer', {
        request_id: context.requestId,
        error: bug as Error,
      })
      context.response.destroy()
      context.abandon()
    }
  }

  async #answer(context: HandlerContext<Features>, url: string): Promise<ApiAnswer> {
    const { request: incoming } = context
    checkFirstLine(incoming, this.#parts.urlBytesMax)
    const mark = url.indexOf('?')
    const path = mark < 0 ? url : url.slice(0, mark)
    const isOpen = this.#openPaths === 'all' || this.#openPaths.has(path || '/')
    const credentials = isOpen ? NOBODY : await this.#authenticate(context, path)
    const version = this.#versionlessPaths.has(path || '/') ? this.#oldest : this.#negotiate(context)
    if (this.#service.untypedBodies !== true) checkBodyHeaders(incoming.headers)
    const { route, params } = this.#findRoute(context, path, version)
    checkTypes(route, incoming)
    const query = mark < 0 ? EMPTY_QUERY : Query.parse(url.slice(mark + 1))
    const request = this.#newRequest(context, route, params, query ?? EMPTY_QUERY, version, credentials)
    if (route.asksPolicy !== true) this.#authorize(route, request)
    if (query === null)
      throw new ApiError(400, 'Invalid query string parameters: the percent-encoding is not valid UTF-8')
    if (route.method === 'GET') return this.#admit(context, route, request, () => route.handle(request))
    if (route.takesRawBody !== true && hasBody(incoming))
      request.body = await readBody(incoming, this.#makeBodyRules(route, incoming, credentials))
    const { method, requestId } = request
    const caller = {
      credentials,
      requestId,
      service: this.#service.name,
      operation: route.operation,
      method,
      path: extractPath(incoming.url as string),
      address: findCallerAddress(incoming, this.#parts.trustProxy),
    }
    return this.#admit(context, route, request, () => callerContext.run(caller, () => route.handle(request)))
  }

  /** Handles the request when it is its turn. */
  #admit(
    context: HandlerContext<Features>,
    route: Route<Features>,
    { body }: ApiRequest<Features>,
    handle: () => ApiAnswer | Promise<ApiAnswer>,
  ): ApiAnswer | Promise<ApiAnswer> {
    const { admission, trustProxy } = this.#parts
    if (admission === null) return handle()
    return admission.run(toEntrant(context, route, body.length, trustProxy), handle)
  }

  #newRequest(
    context: HandlerContext<Features>,
    route: Route<Features>,
    params: Readonly<Record<string, string>>,
    query: Query,
    version: ServiceVersion<Features>,
    credentials: Credentials,
  ) {
    const { request } = context
    const { trustProxy } = this.#parts
    return {
      method: request.method as string,
      url: request.url as string,
      params,
      query,
      headers: request.headers,
      body: NO_BODY,
      readRawBody: () => streamBody(request),
      features: version.features,
      credentials,
      requestId: context.requestId,
      mount: this.#mount,
      addressOf: (path: string) => this.#makeUrl(context, path),
      callerAddress: () => findCallerAddress(request, trustProxy),
      claimedAddress: () => findClaimedAddress(request, trustProxy),
      reauthenticate: () => this.#reauthenticate(request, route),
      onClose: (callback: () => void) => context.onClose(callback),
    }
  }

  /** If the identity service cannot be reached, the answer ends. */
  async #reauthenticate(
    { headers }: IncomingMessage,
    { operation }: Route<Features>,
  ): Promise<Credentials | null> {
    const { authenticator, policy } = this.#parts
    const found = await (authenticator.again ?? authenticator.authenticate)(headers)
    if (found === null || found instanceof AuthenticationUnavailable || found instanceof RateLimited)
      return null
    if (operation === null) return found
    return policy.allows(operation, found, { project_id: found.projectId }) ? found : null
  }

  #makeBodyRules(route: Route<Features>, request: IncomingMessage, credentials: Credentials): BodyRules {
    const { bodies, bodyBytesMax, trustProxy } = this.#parts
    const bytesMax = resolveBodyLimit(route.bodyLimit, bodyBytesMax)
    return credentials === NOBODY
      ? { bytesMax, memory: bodies.anonymous, owner: findCallerAddress(request, trustProxy) }
      : { bytesMax, memory: bodies.known, owner: credentials.userId }
  }

  async #authenticate(context: HandlerContext<Features>, path: string): Promise<Credentials> {
    const { authenticator, log, upToDate } = this.#parts
    // Before authentication: another process may have revoked the token.
    const catchingUp = upToDate()
    if (catchingUp !== null) await traceStep('store head', () => catchingUp)
    if (this.#openRequests.has(`${context.request.method} ${path}`)) return NOBODY
    const { headers } = context.request
    const finding =
      context.span === null
        ? authenticator.authenticate(headers)
        : traceStep('token check', () => authenticator.authenticate(headers))
    const found = finding instanceof Promise ? await finding : finding
    if (found === null || found instanceof AuthenticationUnavailable || found instanceof RateLimited) {
      if (found instanceof AuthenticationUnavailable)
        log.warn('cannot authenticate', { request_id: context.requestId, reason: found.reason })
      throw toTokenError(found, authenticator.challenge)
    }
    context.credentials = found
    return found
  }

  get #oldest(): ServiceVersion<Features> {
    return this.#versions[0] as ServiceVersion<Features>
  }

  #negotiate(context: HandlerContext<Features>): ServiceVersion<Features> {
    if (this.#range === null) {
      context.agreed = this.#oldest
      return context.agreed
    }
    const { headers } = context.request
    const asked = headers['openstack-api-version'] as string | undefined
    const known = this.#agreedFor.get(asked)
    if (known !== undefined) {
      context.agreed = known
      context.version = known.name
      return known
    }
    const older = this.#olderVersionHeader
    const outcome = negotiate(
      asked,
      this.#serviceType,
      this.#range,
      older === null ? undefined : (headers[older] as string | undefined),
    )
    if (outcome.kind !== 'agreed') throw toVersionError(outcome)
    const version = this.#versions[outcome.minor - this.#range.minorMin] as ServiceVersion<Features>
    context.agreed = version
    context.version = version.name
    // Few different values occur, again and again.
    const isUsual = older === null && (asked ?? '').length < 100
    if (isUsual && this.#agreedFor.size < 100) this.#agreedFor.set(asked, version)
    return version
  }

  #findRoute(context: HandlerContext<Features>, path: string, version: ServiceVersion<Features>) {
    const method = context.request.method as string
    const found = this.#router.find(method, path, version.features)
    if (found.kind === 'no-path') return this.#fallBack(path)
    context.route = found.path
    if (found.kind !== 'route') throw toRouteError(found)
    return found
  }

  #fallBack(path: string): { route: Route<Features>; params: Readonly<Record<string, string>> } {
    const { fallback } = this.#service
    if (fallback === undefined) throw new RequestRefused(404, 'route.unknown', '')
    const handle = (request: ApiRequest<Features>): ApiAnswer => {
      const answer = fallback(request, path)
      if (answer === null) throw new RequestRefused(404, 'route.unknown', '')
      return answer
    }
    return { route: { method: 'GET', path, operation: null, handle }, params: {} }
  }

  #authorize(route: Route<Features>, request: ApiRequest<Features>): void {
    const { operation } = route
    if (operation === null) return
    const target = route.target?.(request) ?? { project_id: request.credentials.projectId }
    if (this.#parts.policy.allows(operation, request.credentials, target)) return
    const text = (this.#service.forbiddenText ?? forbiddenText)(operation)
    throw new RequestRefused(403, 'policy.forbidden', text, {}, { operation })
  }

  #sendPreflight(context: HandlerContext<Features>, cors: Cors): void {
    const headers = ['vary', 'Origin', ...cors.preflightHeaders(context.request.headers)]
    if (this.#parts.isDraining()) headers.push('connection', 'close')
    context.send({ status: 200, headers, contentType: JSON_TYPE }, undefined)
  }

  #sendAnswer(context: HandlerContext<Features>, answer: ApiAnswer): void | Promise<void> {
    if (answer.route !== undefined) context.route = answer.route
    const headers = this.#makeHeaders(context)
    if (answer.headers !== undefined) pushHeaders(headers, answer.headers)
    if (answer.location !== undefined) headers.push('location', this.#makeUrl(context, answer.location))
    if (answer.lastModifiedMs !== undefined && context.agreed?.showsLastModified === true)
      headers.push('last-modified', renderDate(answer.lastModifiedMs), 'cache-control', 'no-cache')
    const { status, body, contentType = JSON_TYPE, securityHeaders, onSent } = answer
    const head = { status, headers, contentType, securityHeaders }
    if (body instanceof BodyStream) return context.stream(head, body)
    if (this.#parts.compresses && body !== undefined && answer.isEncoded !== true) {
      headers.push('vary', 'accept-encoding')
      const asked = context.request.headers['accept-encoding'] as string | undefined
      const encoding = chooseEncoding(asked, lengthOf(body))
      if (encoding !== null) return this.#sendCompressed(context, head, body, encoding, onSent)
    }
    context.send(head, body, onSent)
  }

  async #sendCompressed(
    context: HandlerContext<Features>,
    head: AnswerHead,
    body: Body,
    encoding: Encoding,
    onSent: (() => void) | undefined,
  ): Promise<void> {
    const bytes = await compress(body, encoding)
    onSent?.()
    head.headers.push('content-encoding', encoding)
    context.send(head, [bytes])
  }

  #makeUrl(context: HandlerContext<Features>, path: string): string {
    return makeAbsoluteUrl(context.request, `${this.#mount}${path}`, this.#parts.trustProxy)
  }

  #sendError(context: HandlerContext<Features>, thrown: unknown): void {
    // After the first byte nothing can be changed, and a client that is gone needs no answer.
    if (thrown instanceof RequestAborted || context.response.headersSent) {
      context.abandon()
      return
    }
    const error = toApiError(thrown, context, this.#parts.log)
    const document = renderErrorDocument(this.#service, error, context, context.agreed)
    const headers = this.#makeHeaders(context)
    pushHeaders(headers, error.headers)
    const { status } = error
    this.#parts.metrics.refused(this.#service.name, readRefusalReason(error))
    context.send({ status, headers, contentType: document.contentType }, document.body)
  }

  #makeHeaders(context: HandlerContext<Features>): string[] {
    const headers = context.agreed === null ? [] : [...context.agreed.headers]
    const { cors, isDraining } = this.#parts
    if (cors !== null) {
      if (context.agreed === null) headers.push('vary', 'Origin')
      headers.push(...cors.answerHeaders(context.request.headers))
    }
    if (isDraining()) headers.push('connection', 'close')
    return headers
  }
}

/** A request to one service, with its negotiated version. */
class HandlerContext<Features> extends RequestContext {
  agreed: ServiceVersion<Features> | null = null
}

function pushHeaders(headers: string[], more: Readonly<Record<string, string>>): void {
  for (const name in more) headers.push(name, ownValue(more, name) as string)
}
