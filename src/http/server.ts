import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, ListenOptions } from 'node:net'
import type { BodyLimit, Route } from './api.ts'
import type { Authenticator } from './authenticator.ts'
import { type ConnectionLimits, Connections } from './connections.ts'
import { Listeners } from './listeners.ts'
import {
  type HealthMounts,
  isBelow,
  type Mount,
  type MountOptions,
  makeHealth,
  makeMounts,
} from './mounted-services.ts'
import type { TlsFiles } from './ops/certificates.ts'
import type { Log } from './ops/log.ts'
import { HttpMetrics } from './ops/metrics.ts'
import type { Policy } from './policy.ts'
import { Admission, type AdmissionLimits } from './request/admission.ts'
import { ANONYMOUS_BYTES_MAX, BodyMemory, computeKnownBytesMax } from './request/body-memory.ts'
import { handleClientErrors } from './request/client-error.ts'
import { Cors, type CorsConfig } from './request/cors.ts'
import type { ReportingParts } from './request/request-context.ts'
import { apiSecurityHeaders } from './request/security-headers.ts'
import type { HandlerParts } from './request/service-handler.ts'
import type { Tracer } from './tracing/tracer.ts'

interface Limits {
  readonly bodyBytesMax: number
  readonly urlBytesMax: number
  /** The request line and all headers together. */
  readonly headerBytesMax: number
  /** From the first byte of a request to the last of its body. */
  readonly requestMsMax: number
  /** Longer than proxies keep idle connections, so that they never use one that is closing. */
  readonly keepAliveMs: number
}

const DEFAULT_LIMITS: Limits = {
  bodyBytesMax: 10 * 1024 * 1024,
  urlBytesMax: 64 * 1024,
  headerBytesMax: 64 * 1024,
  requestMsMax: 120_000,
  keepAliveMs: 90_000,
}

export interface ServerOptions extends MountOptions {
  readonly authenticator: Authenticator
  readonly policy: Policy
  /** Resolves when memory is up to date enough for a new request; null if it is already. Absent: always. */
  readonly upToDate?: () => Promise<void> | null
  /** Absent or null: CORS is off. */
  readonly cors?: CorsConfig | null
  readonly limits?: Partial<Limits>
  readonly log: Log
  /** Trust X-Forwarded-Proto and X-Forwarded-Host. Only behind a proxy that sets them. */
  readonly trustProxy?: boolean
  /** Absent or null: plain HTTP. */
  readonly tls?: TlsFiles | null
  /** Absent or null: requests are not traced. */
  readonly tracer?: Tracer | null
  /** When more requests arrive than can be answered. */
  readonly admission?: Partial<AdmissionLimits>
  /** Compress long answers for clients that accept it. */
  readonly compresses?: boolean
  /** Called when no new requests are accepted: ends answers that would never end by themselves. */
  readonly beforeClose?: () => void
  /** Overrides the documented limits, in tests. */
  readonly connections?: Partial<ConnectionLimits>
}

interface DrainOptions {
  /** How long to accept requests while /readyz already fails, so that load balancers notice. */
  readonly lingerMs?: number
  /** How long running requests may take; then their connections are cut. */
  readonly finishMsMax?: number
}

export interface ServedRoute {
  readonly service: string
  readonly method: string
  readonly mount: string
  /** Below the mount, with `{names}`. */
  readonly path: string
  readonly bodyLimit: BodyLimit | undefined
  /** As declared. */
  readonly route: Route<unknown>
}

/** Answers unknown paths on the address for health checks. */
const ALIVE_PATH = '/healthz'
const HEALTH_CONNECTIONS_MAX = 100

const newRequestId = (): string => `req-${randomUUID()}`

/** The HTTP server: passes every request to the handler of its service. */
export class BerthServer {
  readonly http: Server
  readonly #mounts: readonly Mount[]
  readonly #connections: Connections
  readonly #listeners: Listeners
  readonly #beforeClose: () => void
  readonly #health: HealthMounts
  readonly #limits: Limits
  #healthHttp: Server | null = null
  #isDraining = false

  constructor(options: ServerOptions) {
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    const isTls = (options.tls ?? null) !== null
    const reporting: ReportingParts = {
      log: options.log,
      metrics: new HttpMetrics(options.metrics),
      securityHeaders: Object.entries(apiSecurityHeaders(isTls)).flat(),
    }
    const parts = makeHandlerParts(options, limits, reporting, () => this.#isDraining)
    this.#health = makeHealth(options, parts)
    this.#limits = limits
    this.#mounts = makeMounts(options, parts, this.#health)
    this.http = createHttpServer(limits, options.tls ?? null)
    this.#connections = new Connections(
      this.http,
      isTls,
      (request, response) => this.#dispatch(request, response),
      options.connections,
    )
    this.http.on(
      'clientError',
      handleClientErrors({
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
    const url = stripOrigin(request.url as string)
    for (const { prefix, hidden, front } of this.#mounts)
      if (isBelow(url, prefix)) {
        void front.serve(request, response, newRequestId(), url.slice(hidden))
        return
      }
  }

  get routes(): ServedRoute[] {
    const handlers = new Map(
      this.#mounts.map(({ prefix, hidden, handler }) => [handler, prefix.slice(0, hidden)]),
    )
    return [...handlers].flatMap(([{ service }, mount]) =>
      service.routes.map(route => ({
        service: service.name,
        method: route.method,
        mount,
        path: route.path,
        bodyLimit: route.bodyLimit,
        route,
      })),
    )
  }

  /** For new connections. */
  renewCertificate(files: TlsFiles): void {
    if ('setSecureContext' in this.http) (this.http as TlsServer).setSecureContext(files)
  }

  /** Resolves with the addresses it listens on. */
  open(where: { readonly host: string; readonly port: number }): Promise<AddressInfo[]> {
    return this.#listeners.open(where, (options: ListenOptions) => {
      this.http.listen(options)
      return once(this.http, 'listening')
    })
  }

  /** Answers health checks on a further address, without TLS: every other path as /healthz. */
  async openHealth(where: { readonly host: string; readonly port: number }): Promise<void> {
    const http = createHttpServer(this.#limits, null)
    http.maxConnections = HEALTH_CONNECTIONS_MAX
    const { handler, paths } = this.#health
    http.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const url = stripOrigin(request.url as string)
      const isKnown = paths.some(path => isBelow(url, path))
      void handler.serve(request, response, newRequestId(), isKnown ? url : ALIVE_PATH)
    })
    http.listen(where)
    await once(http, 'listening')
    this.#healthHttp = http
  }

  /** Stops gracefully. True if everything in progress finished in time. */
  async drain({ lingerMs = 0, finishMsMax = 20_000 }: DrainOptions = {}): Promise<boolean> {
    this.#isDraining = true
    this.#connections.drain()
    await sleep(lingerMs)
    return this.#closeWithin(finishMsMax)
  }

  /**
   * Answers what was received, each answer the last of its connection, and refuses new connections. Node would end idle
   * connections at once, and reset the next request that is on its way.
   */
  async #closeWithin(msMax: number): Promise<boolean> {
    let inTime = true
    const timer = setTimeout(() => {
      inTime = false
      this.http.closeAllConnections()
    }, msMax)
    try {
      await this.#connections.waitForAccepts()
      const ended = this.#listeners.close()
      await this.#connections.waitForQuiet(msMax)
      this.#beforeClose()
      // Nothing listens any more; this stops Node's checks for slow requests, and ends idle connections.
      this.http.close()
      this.#connections.endIdle()
      await ended
    } finally {
      clearTimeout(timer)
      this.#healthHttp?.close()
      this.#healthHttp?.closeAllConnections()
    }
    return inTime
  }
}

function makeHandlerParts(
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
      known: new BodyMemory(computeKnownBytesMax(limits.bodyBytesMax)),
      anonymous: new BodyMemory(ANONYMOUS_BYTES_MAX),
    },
    urlBytesMax: limits.urlBytesMax,
    trustProxy: options.trustProxy ?? false,
    compresses: options.compresses ?? false,
    admission: newAdmission(options),
    tracer: options.tracer ?? null,
    isDraining,
  }
}

function newAdmission({ admission: limits, metrics }: ServerOptions): Admission {
  const admission = new Admission(limits)
  admission.addMetrics(metrics)
  return admission
}

function createHttpServer(limits: Limits, tls: TlsFiles | null): Server | TlsServer {
  const options = {
    maxHeaderSize: limits.headerBytesMax,
    keepAliveTimeout: limits.keepAliveMs,
    requestTimeout: limits.requestMsMax,
    // By default Node checks for slow requests only every half minute.
    connectionsCheckingInterval: Math.min(limits.requestMsMax, 5_000),
    // Node uses the shorter of two limits for the headers: its default of a minute would limit the body.
    headersTimeout: Math.min(limits.requestMsMax, 60_000),
    // Node's own refusal has no body.
    requireHostHeader: false,
  }
  return tls === null
    ? createServer(options)
    : createTlsServer({ ...options, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 })
}

const SLASH = 0x2f

/** Some clients send the whole URL in the request line, as to a proxy. */
function stripOrigin(url: string): string {
  if (url.charCodeAt(0) === SLASH) return url
  const match = /^https?:\/\/[^/?]*/i.exec(url)
  return match === null ? url : url.slice(match[0].length) || '/'
}

const sleep = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise(resolve => setTimeout(resolve, ms))
