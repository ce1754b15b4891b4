import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Body, type BodyStream, type Credentials, lengthOf } from '../api.ts'
import type { Log } from '../ops/log.ts'
import type { HttpMetrics } from '../ops/metrics.ts'
import type { Span } from '../tracing/span.ts'
import { renderTraceParent } from '../tracing/trace-context.ts'
import { extractPath } from './caller-context.ts'
import type { FlatHeaders } from './cors.ts'
import { readGlobalRequestId } from './request-checks.ts'

/** The status that an aborted request is counted with, as in nginx. */
const STATUS_ABORTED = 499

/** A client that reads nothing of a stream for this long is cut off: others may wait for what it holds. */
const IDLE_MS_MAX = 60_000

export interface ReportingParts {
  readonly log: Log
  readonly metrics: HttpMetrics
  /** Default for every answer. */
  readonly securityHeaders: FlatHeaders
}

/** The head of an answer. `headers` is flat (name, value, ...) and is modified. */
export interface AnswerHead {
  readonly status: number
  readonly headers: string[]
  readonly contentType: string
  readonly securityHeaders?: FlatHeaders | undefined
}

/** One request and its answer, with what is logged and counted at the end. */
export class RequestContext {
  readonly service: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** Null: not traced. */
  readonly span: Span | null
  credentials: Credentials | null = null
  version: string | null = null
  /** The route's path as declared. Requested paths would make as many series as there are providers. */
  route = 'none'
  readonly #startedMs = performance.now()
  readonly #log: Log
  readonly #metrics: HttpMetrics
  readonly #securityHeaders: FlatHeaders

  constructor(
    service: string,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    parts: ReportingParts,
    span: Span | null = null,
  ) {
    this.service = service
    this.request = request
    this.response = response
    this.requestId = requestId
    this.span = span
    this.#log = parts.log
    this.#metrics = parts.metrics
    this.#securityHeaders = parts.securityHeaders
    this.#metrics.countStart()
  }

  /** `onSent` is called when the body was sent or lost. */
  send(head: AnswerHead, body: Body | undefined, onSent?: () => void): void {
    if (onSent !== undefined) this.response.once('close', onSent)
    const { status } = head
    const bytes = body === undefined ? 0 : lengthOf(body)
    if (status !== 204 && status !== 304) head.headers.push('content-length', String(bytes))
    this.#writeHead(head, body !== undefined)
    // HEAD gets the headers of GET.
    const wanted = this.request.method === 'HEAD' ? undefined : body
    this.#write(wanted)
    this.#report(status, wanted === undefined ? 0 : bytes)
  }

  /** Pieces are sent in one system call: the response is corked until the end of this turn. */
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

  /**
   * Sends pieces no faster than the client reads. Rejects on an error before the first piece, so that it can still be
   * answered. Later errors cut the answer off, so that clients see it is incomplete.
   */
  async stream(head: AnswerHead, { pieces }: BodyStream): Promise<void> {
    const { response } = this
    let bytes = 0
    try {
      for await (const piece of pieces) {
        if (!response.headersSent) this.#beginStream(head)
        if (response.destroyed) break
        bytes += Buffer.byteLength(piece)
        if (!response.write(piece)) await waitForDrain(response)
      }
      if (!response.headersSent) this.#beginStream(head)
      response.end()
    } catch (error) {
      if (!response.headersSent) throw error
      this.#log.warn('answer cut off', { request_id: this.requestId, error: error as Error })
      response.destroy()
    }
    this.#report(head.status, bytes)
  }

  #beginStream(head: AnswerHead): void {
    this.response.setTimeout(IDLE_MS_MAX, () => void this.response.destroy())
    this.#writeHead(head, true)
  }

  #writeHead({ status, headers, contentType, securityHeaders }: AnswerHead, hasBody: boolean): void {
    headers.push('x-openstack-request-id', this.requestId, ...(securityHeaders ?? this.#securityHeaders))
    if (hasBody) headers.push('content-type', contentType)
    if (this.span !== null) headers.push('traceresponse', renderTraceParent(this.span.context))
    this.response.writeHead(status, headers)
  }

  /** The client disconnected, so nothing is sent. */
  abandon(): void {
    this.#report(STATUS_ABORTED, 0)
  }

  /** Logs and counts an answer of another server that was forwarded. */
  recordForwarded(status: number, bytes: number): void {
    this.#report(status, bytes)
  }

  onClose(callback: () => void): void {
    if (this.response.destroyed) callback()
    else this.response.once('close', callback)
  }

  #report(status: number, bytes: number): void {
    const durationMs = performance.now() - this.#startedMs
    const { request, credentials } = this
    const method = request.method as string
    this.#metrics.countEnd(this.service, method, this.route, status, durationMs / 1000)
    if (this.span !== null) this.#endSpan(this.span, method, status, bytes)
    this.#log.request({
      requestId: this.requestId,
      traceId: this.span?.context.traceId ?? null,
      globalRequestId: readGlobalRequestId(request.headers),
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

  #endSpan(span: Span, method: string, status: number, bytes: number): void {
    span.name = `${method} ${this.service} ${this.route}`
    span
      .set('http.request.method', method)
      .set('http.route', this.route)
      .set('url.path', extractPath(this.request.url as string))
      .set('http.response.status_code', status)
      .set('http.response.body.size', bytes)
      .set('berth.service', this.service)
      .set('openstack.api_version', this.version)
      .set('openstack.request_id', this.requestId)
      .set('enduser.id', this.credentials?.userId)
      .set('openstack.project_id', this.credentials?.projectId)
    if (status >= 500) span.fail(`HTTP ${status}`)
    span.end()
  }
}

/** Resolves when more can be written, or the client is gone. */
function waitForDrain(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise(resolve => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle)
      resolve()
    }
    response.on('drain', settle).on('close', settle)
  })
}
