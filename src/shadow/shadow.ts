import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { OWN_HEADER } from '../client/placement.ts'
import { renderError } from '../http/formats/error-document.ts'
import type { RequestFront } from '../http/mounted-services.ts'
import type { Log } from '../http/ops/log.ts'
import { BodyMemory } from '../http/request/body-memory.ts'
import { askHandler, callerAddressOf } from '../http/request/internal-request.ts'
import { hasBody, NO_BODY, RequestAborted, readBody } from '../http/request/request-body.ts'
import { type ReportingParts, RequestContext } from '../http/request/request-context.ts'
import type { Clock } from '../kernel/clock.ts'
import type { World } from '../world/world.ts'
import type { ApplyQueue } from './apply-queue.ts'
import type { ShadowControl } from './control.ts'
import { type Answer, findRoute, isWrite, type KeptRequest } from './exchange.ts'
import { type Forwarder, NoAnswer, writeHead } from './forwarder.ts'
import type { Outbox } from './outbox.loop.ts'
import { shadowedRequest } from './outbox.rows.ts'
import type { ReadsAgain } from './reads-again.loop.ts'
import type { ShadowReport } from './report.ts'
import type { Sides } from './sides.ts'
import { EVERYTHING, listSubjects } from './subjects.ts'
import type { WritesUnderWay } from './writes-under-way.ts'

interface ShadowParts {
  readonly world: World
  readonly clock: Clock
  readonly log: Log
  readonly reporting: ReportingParts
  /** Berth's own handler of the Placement API. */
  readonly handler: RequestFront
  readonly mount: string
  readonly bodyBytesMax: number
  readonly forwarder: Forwarder
  readonly sides: Sides
  readonly report: ShadowReport
  readonly writes: WritesUnderWay
  readonly queue: ApplyQueue
  readonly again: ReadsAgain
  readonly outbox: Outbox
  readonly control: ShadowControl
  /** Resolves once memory has what other processes wrote. */
  readonly upToDate: () => Promise<void> | null
  /** Why no write may pass now; null if it may. */
  readonly findObstacle: () => string | null
}

/** All bodies of writes that are under way. */
const BODIES_BYTES_MAX = 256 * 1024 * 1024
/** While Berth answers reads, a write is answered once Berth has applied it, but no later than this. */
const APPLY_MS_MAX = 5_000
const GATE_MS = 10
/** A client waits no longer than this for a slow store. */
const STORE_MS_MAX = 100

/** Answers requests to Placement's API from the side that the operator chose, and keeps the other side equal. */
export class ShadowFront implements RequestFront {
  readonly #parts: ShadowParts
  readonly #memory = new BodyMemory(BODIES_BYTES_MAX)
  /** The store has not answered in time: no request waits for it until it does. */
  #isStoreSlow = false

  constructor(parts: ShadowParts) {
    this.#parts = parts
  }

  async serve(request: IncomingMessage, response: ServerResponse, id: string, path: string): Promise<void> {
    try {
      await this.#serve(request, response, id, path)
    } catch (error) {
      if (!(error instanceof RequestAborted))
        this.#parts.log.error('a shadowed request failed', { request_id: id, error: error as Error })
      if (response.headersSent) response.destroy()
      else this.#sendError(request, response, id, 500, 'Internal error')
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse, id: string, path: string): Promise<void> {
    const { control, handler, world } = this.#parts
    await this.#catchUp()
    const { method = '' } = request
    if (world.shadow.row === null || control.modes.is_ended || asksForOwn(request, path))
      return handler.serve(request, response, id, path)
    if (isWrite(method)) return this.#serveWrite(request, response, id, path)
    const kept = keepRequest(request, NO_BODY, id, path)
    if (control.modes.reads === 'placement') return this.#passRead(request, response, kept)
    await handler.serve(request, response, id, path)
    this.#parts.again.add(kept)
  }

  /** Brings memory up to date with the store, but waits only a moment. Where Berth answers, its own handler waits longer. */
  async #catchUp(): Promise<void> {
    const coming = this.#parts.upToDate()?.catch(() => undefined)
    if (coming === undefined || this.#isStoreSlow) return
    const late = Promise.withResolvers<'late'>()
    const timer = setTimeout(() => late.resolve('late'), STORE_MS_MAX)
    this.#isStoreSlow = (await Promise.race([coming, late.promise])) === 'late'
    clearTimeout(timer)
    if (!this.#isStoreSlow) return
    void coming.then(() => {
      this.#isStoreSlow = false
    })
  }

  async #passRead(request: IncomingMessage, response: ServerResponse, kept: KeptRequest): Promise<void> {
    const { forwarder, report, queue, reporting } = this.#parts
    const context = newContext(request, response, kept, reporting)
    const startMs = performance.now()
    let answer: Answer
    try {
      answer = await forwarder.passRead(kept, response)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      if (response.headersSent || response.destroyed) context.abandon()
      else this.#sendNoAnswer(context, error)
      return
    }
    report.addLatency('placement', performance.now() - startMs)
    context.recordForwarded(answer.status, answer.body?.length ?? 0)
    queue.addRead({ request: kept, answer })
  }

  async #serveWrite(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    path: string,
  ): Promise<void> {
    const { bodyBytesMax, control, findObstacle, reporting } = this.#parts
    const isLong = Number(request.headers['content-length'] ?? 0) > bodyBytesMax
    const rules = { bytesMax: bodyBytesMax, memory: this.#memory, owner: '' }
    const body = isLong || !hasBody(request) ? NO_BODY : await readBody(request, rules)
    await this.#waitForGate()
    // No await between here and the beginning of the write: a switch would not see the write.
    const kept = keepRequest(request, body, id, path)
    const obstacle = findObstacle()
    if (obstacle !== null) {
      newContext(request, response, kept, reporting).recordForwarded(503, 0)
      return this.#sendError(request, response, id, 503, obstacle)
    }
    if (control.modes.writes === 'berth')
      return isLong
        ? this.#parts.handler.serve(request, response, id, path)
        : this.#writeHere(request, response, kept)
    return isLong ? this.#passStream(request, response, kept) : this.#passWrite(request, response, kept)
  }

  /** Waits while a switch holds writes. */
  async #waitForGate(): Promise<void> {
    const { world, clock } = this.#parts
    while ((world.shadow.row?.hold_until ?? 0) > clock.nowMs()) await sleep(GATE_MS)
  }

  async #passWrite(request: IncomingMessage, response: ServerResponse, kept: KeptRequest): Promise<void> {
    const { world, sides, writes, queue, control, reporting } = this.#parts
    const context = newContext(request, response, kept, reporting)
    const tracked = writes.begin(listSubjects(world, kept.path, kept.body))
    let answer: Answer
    try {
      answer = await sides.askTheirs(kept)
    } catch (error) {
      writes.end(tracked)
      if (error instanceof NoAnswer && error.isUnsent) writes.settle(tracked)
      else queue.addWrite({ request: kept, tracked, answer: null, tries: 0, applied: () => undefined })
      if (!(error instanceof NoAnswer)) throw error
      return this.#sendNoAnswer(context, error)
    }
    writes.end(tracked)
    const applied = Promise.withResolvers<void>()
    // A write that Placement answered with a server error may have been done in part.
    const known = answer.status < 500 ? answer : null
    queue.addWrite({ request: kept, tracked, answer: known, tries: 0, applied: applied.resolve })
    if (control.modes.reads === 'berth') await Promise.race([applied.promise, sleep(APPLY_MS_MAX)])
    writeHead(answer.status, answer.rawHeaders, response)
    response.end(answer.body)
    context.recordForwarded(answer.status, answer.body?.length ?? 0)
  }

  /** For a body that is too long to be kept. Everything has to be compared afterwards. */
  async #passStream(request: IncomingMessage, response: ServerResponse, kept: KeptRequest): Promise<void> {
    const { forwarder, writes, queue, reporting } = this.#parts
    const context = newContext(request, response, kept, reporting)
    const tracked = writes.begin(new Set([EVERYTHING]))
    try {
      const answer = await forwarder.passStream(request, kept.path, response)
      context.recordForwarded(answer.status, answer.body?.length ?? 0)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      if (response.headersSent) context.abandon()
      else this.#sendNoAnswer(context, error)
    } finally {
      writes.end(tracked)
      queue.addWrite({ request: kept, tracked, answer: null, tries: 0, applied: () => undefined })
    }
  }

  /** Berth answers. The commit also queues the write for Placement. */
  async #writeHere(request: IncomingMessage, response: ServerResponse, kept: KeptRequest): Promise<void> {
    const { world, writes, handler, mount, report, outbox } = this.#parts
    const tracked = writes.begin(listSubjects(world, kept.path, kept.body))
    try {
      const { path, ...asked } = kept
      const startMs = performance.now()
      const answer = await shadowedRequest.run(kept, () =>
        askHandler(
          handler,
          { ...asked, url: request.url?.startsWith(mount) ? `${mount}${path}` : path },
          mount,
        ),
      )
      report.addLatency('berth', performance.now() - startMs)
      response.writeHead(answer.status, [...answer.headers])
      response.end(answer.body)
    } finally {
      writes.end(tracked)
      writes.settle(tracked)
      outbox.wake()
    }
  }

  #sendNoAnswer(context: RequestContext, error: NoAnswer): void {
    const { request, response, requestId } = context
    const text = error.isUnsent
      ? `Placement cannot be reached: ${error.message}. Nothing was changed.`
      : `Placement gave no answer: ${error.message}. Whether it did what was asked is not known.`
    this.#sendError(
      request,
      response,
      requestId,
      error.status,
      isWrite(request.method ?? '') ? text : error.message,
    )
    context.recordForwarded(error.status, 0)
  }

  #sendError(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    status: number,
    message: string,
  ): void {
    const { method = '', headers } = request
    const document = renderError({
      status,
      message,
      requestId,
      method,
      accept: headers.accept,
      contentType: headers['content-type'],
    })
    response.writeHead(status, [
      ...['content-type', document.contentType, 'x-openstack-request-id', requestId],
      ...['content-length', String(Buffer.byteLength(document.body))],
    ])
    response.end(document.body)
  }
}

/** Whether a request asks for Berth's own ledger: reads of a comparison, and removals of names by an import. */
function asksForOwn({ method = '', headers }: IncomingMessage, path: string): boolean {
  if (headers[OWN_HEADER] !== 'berth') return false
  return !isWrite(method) || (method === 'DELETE' && /^\/(traits|resource_classes)\//.test(path))
}

function newContext(
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, path }: KeptRequest,
  reporting: ReportingParts,
): RequestContext {
  const context = new RequestContext('placement', request, response, requestId, reporting)
  context.route = findRoute(path)
  return context
}

function keepRequest(request: IncomingMessage, body: Buffer, requestId: string, path: string): KeptRequest {
  const { method = '', headers, rawHeaders } = request
  return { method, path, headers, rawHeaders, body, requestId, caller: callerAddressOf(request) }
}
