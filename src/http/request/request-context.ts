import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Body, type Credentials, lengthOf } from '../api.ts'
import type { Log } from '../ops/log.ts'
import type { HttpMetrics } from '../ops/metrics.ts'
import type { FlatHeaders } from './cors.ts'

const GLOBAL_REQUEST_ID = /^req-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** How a request that nobody waits for any more is counted; the number is nginx's. */
const STATUS_ABORTED = 499

export interface ExchangeParts {
  readonly log: Log
  readonly metrics: HttpMetrics
  /** On every answer. */
  readonly safetyHeaders: FlatHeaders
}

/** One request and its answer: what was found out on the way, for the log and the metrics at the end. */
export class Exchange {
  readonly service: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  credentials: Credentials | null = null
  version: string | null = null
  /** The route's path as declared. Paths as requested would make as many series as there are providers. */
  route = 'none'
  readonly #startedMs = performance.now()
  readonly #log: Log
  readonly #metrics: HttpMetrics
  readonly #safetyHeaders: FlatHeaders

  constructor(
    service: string,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    parts: ExchangeParts,
  ) {
    this.service = service
    this.request = request
    this.response = response
    this.requestId = requestId
    this.#log = parts.log
    this.#metrics = parts.metrics
    this.#safetyHeaders = parts.safetyHeaders
    this.#metrics.began()
  }

  /**
   * `headers` is flat: name, value, name, value. It becomes ours. `sent` is told when the body is out, or lost. Pages have
   * safety headers of their own.
   */
  send(
    status: number,
    headers: string[],
    contentType: string,
    body: Body | undefined,
    sent?: () => void,
    safetyHeaders = this.#safetyHeaders,
  ): void {
    if (sent !== undefined) this.response.once('close', sent)
    const wanted = this.request.method === 'HEAD' ? undefined : body
    const bytes = wanted === undefined ? 0 : lengthOf(wanted)
    headers.push('x-openstack-request-id', this.requestId, ...safetyHeaders)
    if (wanted !== undefined) headers.push('content-type', contentType)
    if (status !== 204) headers.push('content-length', String(bytes))
    this.response.writeHead(status, headers)
    this.#write(wanted)
    this.#report(status, bytes)
  }

  /** Pieces leave in one call of the system: the response holds them back until the end of this turn. */
  #write(body: Body | undefined): void {
    const { response } = this
    if (body === undefined || typeof body === 'string') {
      response.end(body)
      return
    }
    const last = body.length - 1
    for (let nth = 0; nth < last; nth++) response.write(body[nth] as Buffer)
    response.end(body[last])
  }

  /** The client is gone, so there is nothing to send. */
  abandon(): void {
    this.#report(STATUS_ABORTED, 0)
  }

  #report(status: number, bytes: number): void {
    const durationMs = performance.now() - this.#startedMs
    const { request, credentials } = this
    const method = request.method as string
    this.#metrics.ended(this.service, method, this.route, status, durationMs / 1000)
    const passedOn = request.headers['x-openstack-request-id']
    this.#log.request({
      requestId: this.requestId,
      globalRequestId: typeof passedOn === 'string' && GLOBAL_REQUEST_ID.test(passedOn) ? passedOn : null,
      service: this.service,
      method,
      path: request.url as string,
      status,
      durationMs,
      user: credentials?.userId ?? null,
      project: credentials?.projectId ?? null,
      microversion: this.version,
      bytes,
    })
  }
}
