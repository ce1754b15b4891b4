import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, ListenOptions } from 'node:net'
import { assert } from '../kernel/assert.ts'
import type { BodyLimit } from './api.ts'
import type { Authenticator } from './authenticator.ts'
import { type ConnectionLimits, Connections } from './connections.ts'
import { indexService } from './index-service.ts'
import { Listeners } from './listeners.ts'
import type { TlsFiles } from './ops/certificates.ts'
import { type Health, healthService } from './ops/health.ts'
import type { Log } from './ops/log.ts'
import { HttpMetrics, type Registry } from './ops/metrics.ts'
import type { Policy } from './policy.ts'
import { ANONYMOUS_BYTES_MAX, BodyMemory, knownBytesMax } from './request/body-memory.ts'
import { clientErrorHandler } from './request/client-error.ts'
import { Cors, type CorsConfig } from './request/cors.ts'
import type { ReportingParts } from './request/request-context.ts'
import { apiSecurityHeaders } from './request/security-headers.ts'
import { type HandlerParts, ServiceHandler } from './request/service-handler.ts'
import type { Service } from './service.ts'
import type { StaticFiles } from './static-files.ts'

export interface MountedService {
  /** `''` for the root, or e.g. `/placement`. */
  readonly mount: string
  // biome-ignore lint/suspicious/noExplicitAny: every service has features of its own, which nobody else looks at
  readonly service: Service<any>
  /** Instead of the server's: some services read tokens by rules of their own. */
  readonly authenticator?: Authenticator
  /** Not in the list of services at the root. */
  readonly isUnlisted?: true
}

interface Limits {
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
  /** What the list of services at the root says besides. */
  readonly indexFacts?: Readonly<Record<string, unknown>>
  /** Pages for browsers, where no service is. Not beside a service at the root, which has every path. */
  readonly files?: StaticFiles | null
  /** Called once no new request is taken: ends the answers that would never end by themselves. */
  readonly beforeClose?: () => void
  /** Other than the limits that are documented: for tests. */
  readonly connections?: Partial<ConnectionLimits>
}

interface DrainOptions {
  /** How long to go on accepting while /readyz already says no, so that balancers notice. */
  readonly lingerMs?: number
  /** How long requests in flight may take; then their connections are cut. */
  readonly finishMsMax?: number
}

/** A route as clients see it. */
export interface ServedRoute {
  readonly service: string
  readonly method: string
  readonly mount: string
  /** Below the mount, with `{names}`. */
  readonly path: string
  readonly bodyLimit: BodyLimit | undefined
}

interface Mount {
  /** A service has the paths below this ... */
  readonly prefix: string
  /** ... of which so many characters are not for it to see. */
  readonly hidden: number
  readonly handler: ServiceHandler<unknown>
}

const newRequestId = (): string => `req-${randomUUID()}`

/** The HTTP server: every request goes to the handler of the service that has its path. */
export class BerthServer {
  readonly http: Server
  readonly #mounts: readonly Mount[]
  readonly #connections: Connections
  readonly #listeners: Listeners
  readonly #beforeClose: () => void
  #isDraining = false

  constructor(options: ServerOptions) {
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    const isTls = (options.tls ?? null) !== null
    const reporting: ReportingParts = {
      log: options.log,
      metrics: new HttpMetrics(options.metrics),
      securityHeaders: Object.entries(apiSecurityHeaders(isTls)).flat(),
    }
    const parts = handlerParts(options, limits, reporting, () => this.#isDraining)
    this.#mounts = mountsOf(options, parts)
    this.http = createHttpServer(limits, options.tls ?? null)
    this.#connections = new Connections(
      this.http,
      isTls,
      (request, response) => this.#dispatch(request, response),
      options.connections,
    )
    this.http.on(
      'clientError',
      clientErrorHandler({
        newRequestId,
        headBytesMax: limits.headerBytesMax,
        breakOff: (...broken) => this.#connections.breakOff(...broken),
        ...reporting,
      }),
    )
    this.#listeners = new Listeners(this.http, isTls)
    this.#beforeClose = options.beforeClose ?? (() => undefined)
  }

  #dispatch(request: IncomingMessage, response: ServerResponse): void {
    const url = withoutOrigin(request.url as string)
    for (const { prefix, hidden, handler } of this.#mounts)
      if (isBelow(url, prefix)) {
        void handler.serve(request, response, newRequestId(), url.slice(hidden))
        return
      }
  }

  /** Every route of every mount. */
  get routes(): ServedRoute[] {
    const handlers = new Map(
      this.#mounts.map(({ prefix, hidden, handler }) => [handler, prefix.slice(0, hidden)]),
    )
    return [...handlers].flatMap(([{ service }, mount]) =>
      service.routes.map(({ method, path, bodyLimit }) => ({
        service: service.name,
        method,
        mount,
        path,
        bodyLimit,
      })),
    )
  }

  /** Connections from now on get this certificate. */
  renewCertificate(files: TlsFiles): void {
    if ('setSecureContext' in this.http) (this.http as TlsServer).setSecureContext(files)
  }

  /** Listens, and tells on which addresses. */
  open(where: { readonly host: string; readonly port: number }): Promise<AddressInfo[]> {
    return this.#listeners.open(where, (options: ListenOptions) => {
      this.http.listen(options)
      return once(this.http, 'listening')
    })
  }

  /** Ends the server gently. True when everything in flight was finished in time. */
  async drain({ lingerMs = 0, finishMsMax = 20_000 }: DrainOptions = {}): Promise<boolean> {
    this.#isDraining = true
    this.#connections.drain()
    await sleep(lingerMs)
    return this.#closeWithin(finishMsMax)
  }

  /**
   * What has been received is answered, each answer the last of its connection; whoever comes later is refused. Node would
   * end connections between two requests at once, and reset the next request that is on its way.
   */
  async #closeWithin(msMax: number): Promise<boolean> {
    let inTime = true
    const timer = setTimeout(() => {
      inTime = false
      this.http.closeAllConnections()
    }, msMax)
    try {
      await this.#connections.allAccepted()
      const ended = this.#listeners.close()
      await this.#connections.quiet(msMax)
      this.#beforeClose()
      // Nothing listens any more; this ends Node's watch over slow requests, and connections that wait for their next one.
      this.http.close()
      this.#connections.endIdle()
      await ended
    } finally {
      clearTimeout(timer)
    }
    return inTime
  }
}

function handlerParts(
  options: ServerOptions,
  limits: Limits,
  reporting: ReportingParts,
  isDraining: () => boolean,
): HandlerParts {
  return {
    ...reporting,
    authenticator: options.authenticator,
    policy: options.policy,
    upToDate: options.upToDate ?? (() => null),
    cors: options.cors ? new Cors(options.cors) : null,
    bodyBytesMax: limits.bodyBytesMax,
    bodies: {
      known: new BodyMemory(knownBytesMax(limits.bodyBytesMax)),
      anonymous: new BodyMemory(ANONYMOUS_BYTES_MAX),
    },
    urlBytesMax: limits.urlBytesMax,
    trustProxy: options.trustProxy ?? false,
    compresses: options.compresses ?? false,
    isDraining,
  }
}

/** The longest prefix first, so that `/a/b` is not taken for something in `/a`; the last has every path. */
function mountsOf(options: ServerOptions, parts: HandlerParts): Mount[] {
  const mounts = options.services.map(({ mount, service, authenticator }): Mount => {
    assert(mount === '' || /^(?:\/[\w.-]+)+$/.test(mount), () => `mount ${mount}`)
    const own = authenticator === undefined ? parts : { ...parts, authenticator }
    return { prefix: mount, hidden: mount.length, handler: new ServiceHandler(service, mount, own) }
  })
  const { health, metrics } = options
  const healthHandler = new ServiceHandler(
    healthService({ health, metrics, isDraining: parts.isDraining }),
    '',
    parts,
  )
  for (const path of new Set(healthHandler.service.routes.map(route => route.path)))
    mounts.push({ prefix: path, hidden: 0, handler: healthHandler as ServiceHandler<unknown> })
  if (!mounts.some(({ prefix }) => prefix === '')) {
    const index = indexService({ index: indexDocument(options), files: options.files ?? null })
    mounts.push({
      prefix: '',
      hidden: 0,
      handler: new ServiceHandler(index, '', parts) as ServiceHandler<unknown>,
    })
  }
  return mounts.sort((one, other) => other.prefix.length - one.prefix.length)
}

function indexDocument({ services, indexFacts }: ServerOptions): string {
  const listed = services.filter(({ isUnlisted }) => isUnlisted !== true)
  return JSON.stringify({
    ...indexFacts,
    services: listed.map(({ mount, service }) => ({
      name: service.name,
      path: `${mount}/`,
      ...(service.versions === null
        ? {}
        : { min_version: service.versions.min, max_version: service.versions.max }),
    })),
  })
}

function createHttpServer(limits: Limits, tls: TlsFiles | null): Server | TlsServer {
  const options = {
    maxHeaderSize: limits.headerBytesMax,
    keepAliveTimeout: limits.keepAliveMs,
    requestTimeout: limits.requestMsMax,
    // Node looks for requests that take too long only every half minute.
    connectionsCheckingInterval: Math.min(limits.requestMsMax, 5_000),
    // Of two limits Node takes the shorter for the headers: left at its minute, it would be the body's.
    headersTimeout: Math.min(limits.requestMsMax, 60_000),
    // Node's own refusal has no body; ours has.
    requireHostHeader: false,
    // A request without a body is no stream: that is most of them, and setting one up takes a while.
    optimizeEmptyRequests: true,
  }
  return tls === null
    ? createServer(options)
    : createTlsServer({ ...options, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 })
}

const SLASH = 0x2f

/** Some clients send the whole URL in the first line, as to a proxy. */
function withoutOrigin(url: string): string {
  if (url.charCodeAt(0) === SLASH) return url
  const match = /^https?:\/\/[^/?]*/i.exec(url)
  return match === null ? url : url.slice(match[0].length) || '/'
}

function isBelow(url: string, prefix: string): boolean {
  if (!url.startsWith(prefix)) return false
  const next = url.charAt(prefix.length)
  return prefix === '' || next === '' || next === '/' || next === '?'
}

const sleep = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise(resolve => setTimeout(resolve, ms))
