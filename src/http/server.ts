import { randomUUID } from 'node:crypto'
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import fastify, {
  type FastifyInstance,
  type FastifyListenOptions,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify'
import { assert } from '../kernel/assert.ts'
import type { Authenticator } from './authenticator.ts'
import { type ConnectionLimits, Connections } from './connections.ts'
import { errorDocument } from './formats/error-document.ts'
import { Listeners } from './listeners.ts'
import type { TlsFiles } from './ops/certificates.ts'
import { addHealthRoutes, type Health } from './ops/health.ts'
import type { Log } from './ops/log.ts'
import { HttpMetrics, type Registry } from './ops/metrics.ts'
import type { Policy } from './policy.ts'
import { ANONYMOUS_BYTES_MAX, BodyMemory, knownBytesMax } from './request/body-memory.ts'
import { clientErrorHandler } from './request/client-error.ts'
import { Cors, type CorsConfig } from './request/cors.ts'
import { hostFault } from './request/host-header.ts'
import { addAnswerHooks } from './request/plain-routes.ts'
import { hasBody } from './request/request-body.ts'
import { Exchange, type ExchangeParts } from './request/request-context.ts'
import { safetyHeadersOf } from './request/security-headers.ts'
import { ServiceHandler } from './request/service-handler.ts'
import type { Service } from './service.ts'
import { type Site, wantsPage } from './static-files.ts'

export interface MountedService {
  /** `''` for the root, or e.g. `/placement`. */
  readonly mount: string
  // biome-ignore lint/suspicious/noExplicitAny: every service has features of its own, which stay behind its door
  readonly service: Service<any>
  /** Instead of the server's: some services read tokens by rules of their own. */
  readonly authenticator?: Authenticator
}

export interface Limits {
  readonly bodyBytesMax: number
  readonly urlBytesMax: number
  /** The request line and all headers together. */
  readonly headerBytesMax: number
  /** From the first byte of a request to the last of its body. */
  readonly requestMsMax: number
  /** An idle connection is kept longer than proxies keep theirs, so that they never send into a closing one. */
  readonly keepAliveMs: number
}

const DEFAULT_LIMITS: Limits = {
  bodyBytesMax: 10 * 1024 * 1024,
  urlBytesMax: 64 * 1024,
  headerBytesMax: 64 * 1024,
  requestMsMax: 120_000,
  keepAliveMs: 90_000,
}

export interface ServerOptions {
  readonly services: readonly MountedService[]
  readonly authenticator: Authenticator
  readonly policy: Policy
  /** Resolves once memory may be read for a request that has come; null if it may at once. Absent: always. */
  readonly upToDate?: () => Promise<void> | null
  /** Absent or null: CORS is off. */
  readonly cors?: CorsConfig | null
  readonly limits?: Partial<Limits>
  /** Where this server's metrics go, and what /metrics shows. */
  readonly metrics: Registry
  readonly log: Log
  readonly health: Health
  /** Believe X-Forwarded-Proto and X-Forwarded-Host. Only behind a proxy that sets them. */
  readonly trustProxy?: boolean
  /** Absent or null: HTTP in the clear. */
  readonly tls?: TlsFiles | null
  /** Compress long answers for clients that ask for it. */
  readonly compresses?: boolean
  /** Whether `/` lists the mounts when no service is there; true unless something else will be. */
  readonly index?: boolean
  /** What the list of mounts says besides. */
  readonly indexFacts?: Readonly<Record<string, unknown>>
  /** Pages for browsers, where no service is. Not beside a service at the root, which has every path. */
  readonly site?: Site | null
  /** Other than the limits that are documented: for tests. */
  readonly connections?: Partial<ConnectionLimits>
}

export interface DrainOptions {
  /** How long to go on accepting while /readyz already says no, so that balancers notice. */
  readonly lingerMs?: number
  /** How long requests in flight may take; then their connections are cut. */
  readonly finishMsMax?: number
}

export type BerthServer = FastifyInstance & {
  /** Listens, and tells on which addresses. */
  open(where: { readonly host: string; readonly port: number }): Promise<AddressInfo[]>
  /** Ends the server gently. True when everything in flight was finished in time. */
  drain(options?: DrainOptions): Promise<boolean>
  /** Requests that a scope's own routes answer get a log line and metrics as those of services do. */
  observe(scope: FastifyInstance, service: string): void
  /** What the bodies of a scope's own routes hold is counted here, with those of services. */
  readonly bodyMemory: BodyMemory
}

interface Mount {
  readonly prefix: string
  readonly door: ServiceHandler<unknown>
}

const newRequestId = (): string => `req-${randomUUID()}`

/** The HTTP server: services behind their doors, and beside them whatever routes the caller adds. */
export function buildServer(options: ServerOptions): BerthServer {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const tls = options.tls ?? null
  const safetyHeaders = Object.entries(safetyHeadersOf(tls !== null)).flat()
  const reporting = { log: options.log, metrics: new HttpMetrics(options.metrics), safetyHeaders }
  let draining = false
  const isDraining = (): boolean => draining
  const app = newFastify(limits, reporting, tls, (request, reply) => serveLost(request, reply))
  const bodies = {
    known: new BodyMemory(knownBytesMax(limits.bodyBytesMax)),
    anonymous: new BodyMemory(ANONYMOUS_BYTES_MAX),
  }
  const cors = options.cors ? new Cors(options.cors) : null
  const mounts = options.services.map(({ mount, service, authenticator }): Mount => {
    assert(mount === '' || /^(?:\/[\w.-]+)+$/.test(mount), () => `mount ${mount}`)
    const door = new ServiceHandler(service, mount, {
      authenticator: authenticator ?? options.authenticator,
      policy: options.policy,
      upToDate: options.upToDate ?? (() => null),
      cors,
      bodyBytesMax: limits.bodyBytesMax,
      bodies,
      urlBytesMax: limits.urlBytesMax,
      trustProxy: options.trustProxy ?? false,
      compresses: options.compresses ?? false,
      isDraining,
      ...reporting,
    })
    return { prefix: mount, door: door as ServiceHandler<unknown> }
  })
  // The longest first, so that `/a/b` is not taken for something in `/a`.
  mounts.sort((one, other) => other.prefix.length - one.prefix.length)

  function serveLost(request: FastifyRequest, reply: FastifyReply): void {
    reply.hijack()
    const url = withoutOrigin(request.raw.url as string)
    const mount = mounts.find(({ prefix }) => isBelow(url, prefix))
    if (mount === undefined) answerLost(request, reply, url, options.site ?? null, reporting)
    else void mount.door.serve(request.raw, reply.raw, request.id, url.slice(mount.prefix.length))
  }

  addAnswerHooks(app, { safetyHeaders, cors, compresses: options.compresses ?? false }, serveLost)
  for (const mount of mounts) addMountRoutes(app, mount, serveLost)
  const connections = new Connections(
    app.server,
    tls !== null,
    mountsFirst(app, mounts, cors, reporting),
    options.connections,
  )
  addHealthRoutes(app, { health: options.health, metrics: options.metrics, isDraining })
  if (options.index !== false && !mounts.some(({ prefix }) => prefix === ''))
    addIndex(app, options, reporting)

  const listeners = new Listeners(app.server, tls !== null)
  return Object.assign(app, {
    open: (where: { host: string; port: number }) =>
      listeners.open(where, options => app.listen(options as FastifyListenOptions)),
    drain: async ({ lingerMs = 0, finishMsMax = 20_000 }: DrainOptions = {}) => {
      draining = true
      connections.drain()
      await sleep(lingerMs)
      return closeWithin(app, listeners, connections, finishMsMax)
    },
    observe: (scope: FastifyInstance, service: string) => observe(scope, service, reporting),
    bodyMemory: bodies.known,
  }) as unknown as BerthServer
}

type Reporting = ExchangeParts

function newFastify(
  limits: Limits,
  reporting: Reporting,
  tls: TlsFiles | null,
  onBadUrl: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  const headBytesMax = limits.headerBytesMax
  const http = {
    maxHeaderSize: headBytesMax,
    // Node looks for requests that take too long only every half minute.
    connectionsCheckingInterval: Math.min(limits.requestMsMax, 5_000),
    // Of two limits Node takes the shorter for the headers: left at its minute, it would be the body's.
    headersTimeout: Math.min(limits.requestMsMax, 60_000),
    // Node's own refusal has no body; the door's has.
    requireHostHeader: false,
    // A request without a body is no stream: that is most of them, and setting one up takes a while.
    optimizeEmptyRequests: true,
  }
  const app = fastify({
    logger: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    bodyLimit: limits.bodyBytesMax,
    // `__proto__` is a key like any other, also in metadata: bodies are checked by their own members, and never merged.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    keepAliveTimeout: limits.keepAliveMs,
    requestTimeout: limits.requestMsMax,
    routerOptions: { maxParamLength: limits.urlBytesMax },
    // A request that still reaches a closing server is served; its answer closes the connection.
    return503OnClosing: false,
    clientErrorHandler: clientErrorHandler({ newRequestId, headBytesMax, ...reporting }),
    frameworkErrors: (_error, request, reply) => onBadUrl(request, reply),
    ...(tls === null
      ? { http }
      : { https: { ...http, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 } }),
  }) as unknown as FastifyInstance
  // Which of them exist is for each API to say, in its own form. What CONNECT asks for is never a route.
  for (const method of METHODS)
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method)
  // Nor does it ever end, for which Fastify waits where a content type was sent.
  app.addHook('preParsing', (request, _reply, payload, done) =>
    done(null, hasBody(request.raw) ? payload : Readable.from([])),
  )
  return app
}

/** Every method comes to the door: which ones exist is for it to say. */
function addMountRoutes(
  app: FastifyInstance,
  { prefix, door }: Mount,
  serveLost: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const onRequest = (request: FastifyRequest, reply: FastifyReply): void => {
    const url = request.raw.url as string
    // Fastify overlooks an origin before the path and escapes within it; we count on the letters as sent.
    if (url.charCodeAt(0) !== SLASH || !url.startsWith(prefix)) serveLost(request, reply)
    else {
      reply.hijack()
      void door.serve(request.raw, reply.raw, request.id, url.slice(prefix.length))
    }
  }
  const method = app.supportedMethods as HTTPMethods[]
  for (const url of prefix === '' ? ['/*'] : [prefix, `${prefix}/*`])
    app.route({ method, url, onRequest, handler: unreachable })
}

/**
 * Most requests are for a door, and Fastify has nothing to do with them: they take the shorter way, past it. Its routes to
 * the doors remain for requests that come otherwise than from a socket, and for a door at the root, beside which it has others.
 */
function mountsFirst(
  app: FastifyInstance,
  mounts: readonly Mount[],
  cors: Cors | null,
  reporting: Reporting,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { server } = app
  const ways = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
  const [viaFastify] = ways
  assert(viaFastify !== undefined && ways.length === 1, 'Fastify listens')
  server.off('request', viaFastify)
  const direct = mounts.filter(({ prefix }) => prefix !== '')
  return (request, response) => {
    const url = request.url as string
    for (const { prefix, door } of direct)
      if (isBelow(url, prefix)) {
        void door.serve(request, response, newRequestId(), url.slice(prefix.length))
        return
      }
    const fault = hostFault(request)
    const preflight = request.method === 'OPTIONS' ? cors : null
    if (fault === null && preflight === null) {
      // A service at the root has every path, and takes it as sent.
      if (direct.length === mounts.length) request.url = withSoundEscapes(url)
      return viaFastify(request, response)
    }
    const exchange = new Exchange('none', request, response, newRequestId(), reporting)
    if (fault !== null) sendError(exchange, 400, fault)
    else
      exchange.send(
        200,
        ['vary', 'Origin', ...(preflight?.preflight(request.headers) ?? [])],
        JSON_TYPE,
        undefined,
      )
  }
}

const JSON_TYPE = 'application/json'
const SLASH = 0x2f

const unreachable = (): never => {
  throw new Error('a door let a request through')
}

/** Fastify refuses a path whose escapes are not UTF-8. Taken literally it is found nowhere, and its API says so in its own form. */
function withSoundEscapes(url: string): string {
  if (!url.includes('%')) return url
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return `${path.replaceAll('%', '%25')}${url.slice(path.length)}`
  }
}

/** Some clients send the whole URL in the first line, as to a proxy. */
function withoutOrigin(url: string): string {
  if (url.startsWith('/')) return url
  const match = /^https?:\/\/[^/?]*/i.exec(url)
  return match === null ? url : url.slice(match[0].length) || '/'
}

function isBelow(url: string, prefix: string): boolean {
  if (!url.startsWith(prefix)) return false
  const next = url.charAt(prefix.length)
  return prefix === '' || next === '' || next === '/' || next === '?'
}

/** What no service has: a page or file of the site, or nothing. */
function answerLost(
  { raw, id }: FastifyRequest,
  reply: FastifyReply,
  url: string,
  site: Site | null,
  reporting: Reporting,
): void {
  const path = url.split('?')[0] as string
  const exchange = new Exchange(site === null ? 'none' : 'console', raw, reply.raw, id, reporting)
  if (site?.serve(exchange, path)) return
  sendError(exchange, 404, '')
}

function sendError(exchange: Exchange, status: number, message: string): void {
  const { request, requestId } = exchange
  const { contentType, body } = errorDocument({
    status,
    message,
    requestId,
    method: request.method as string,
    accept: request.headers.accept,
    contentType: undefined,
  })
  exchange.send(status, [], contentType, body)
}

function addIndex(app: FastifyInstance, options: ServerOptions, reporting: Reporting): void {
  const site = options.site ?? null
  const document = JSON.stringify({
    ...options.indexFacts,
    services: options.services.map(({ mount, service }) => ({
      name: service.name,
      path: `${mount}/`,
      ...(service.versions === null
        ? {}
        : { min_version: service.versions.min, max_version: service.versions.max }),
    })),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: (request, reply) => {
      if (site !== null) reply.header('vary', 'accept, Origin')
      if (site === null || !wantsPage(request.headers.accept))
        return reply.type('application/json').send(document)
      reply.hijack()
      answerLost(request, reply, '/', site, reporting)
      return reply
    },
  })
}

function observe(scope: FastifyInstance, service: string, { log, metrics }: Reporting): void {
  scope.addHook('onRequest', (_request, _reply, done) => {
    metrics.began()
    done()
  })
  scope.addHook('onResponse', (request, reply, done) => {
    const durationMs = reply.elapsedTime
    metrics.ended(
      service,
      request.method,
      request.routeOptions.url ?? 'none',
      reply.statusCode,
      durationMs / 1000,
    )
    log.request({
      requestId: request.id,
      globalRequestId: null,
      service,
      method: request.method,
      path: request.url,
      status: reply.statusCode,
      durationMs,
      user: request.credentials?.userId ?? null,
      project: request.credentials?.projectId ?? null,
      microversion: null,
      bytes: Number(reply.getHeader('content-length') ?? 0),
    })
    done()
  })
}

/**
 * What has been received is answered, each answer the last of its connection; whoever comes later is refused. Node would end
 * connections between two requests at once, and reset the next request that is on its way.
 */
async function closeWithin(
  app: FastifyInstance,
  listeners: Listeners,
  connections: Connections,
  msMax: number,
): Promise<boolean> {
  let inTime = true
  const timer = setTimeout(() => {
    inTime = false
    app.server.closeAllConnections()
  }, msMax)
  try {
    await connections.allAccepted()
    const ended = listeners.close()
    await connections.quiet(msMax)
    const closed = app.close()
    connections.endIdle()
    await closed
    await ended
  } finally {
    clearTimeout(timer)
  }
  return inTime
}

const sleep = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise(resolve => setTimeout(resolve, ms))
