import { RequestRefused, type Route } from '../api.ts'
import type { Registry } from '../ops/metrics.ts'
import { traceStep } from '../tracing/span.ts'
import { findCallerAddress } from './addresses.ts'
import { FairQueue } from './fair-queue.ts'
import { RequestAborted } from './request-body.ts'
import type { RequestContext } from './request-context.ts'

/** `change`: every method but GET and HEAD. */
export type RequestKind = 'change' | 'read'

export interface AdmissionLimits {
  /** Of both kinds. */
  readonly waitingMax: number
  /** In a burst. In a lasting overload a tenth of it. */
  readonly waitMsMax: number
  /** Of the bodies that wait. */
  readonly bytesMax: number
  /** Begun in one turn of the event loop, at most. A health check waits for no more than these. */
  readonly perTurn: Readonly<Record<RequestKind, number>>
  /** Begun and not answered yet: they wait for the store. */
  readonly changesAtOnceMax: number
  /** Refused in one turn of the event loop. */
  readonly refusalsPerTurn: number
}

const LIMITS: AdmissionLimits = {
  waitingMax: 10_000,
  waitMsMax: 5_000,
  bytesMax: 64 * 1024 * 1024,
  perTurn: { change: 128, read: 32 },
  changesAtOnceMax: 1_024,
  refusalsPerTurn: 64,
}

/** A request that is ready to be handled. */
export interface Entrant {
  readonly kind: RequestKind
  /** Whose turn it takes. */
  readonly caller: string
  readonly bodyBytes: number
  /** It reads its body while it is handled, and may take minutes: it takes a turn, but no place. */
  readonly isStreamed: boolean
  /** Whether its client has gone. */
  readonly isGone: () => boolean
}

/** A caller without a token is known by its address. */
export function toEntrant(
  { credentials, request, response }: RequestContext,
  { method, takesRawBody }: Pick<Route<unknown>, 'method' | 'takesRawBody'>,
  bodyBytes: number,
  trustProxy: boolean,
): Entrant {
  return {
    kind: method === 'GET' || method === 'HEAD' ? 'read' : 'change',
    caller:
      credentials === null
        ? `address ${findCallerAddress(request, trustProxy)}`
        : `user ${credentials.userId}`,
    bodyBytes,
    isStreamed: takesRawBody === true,
    isGone: () => response.destroyed,
  }
}

interface Waiting extends Entrant {
  readonly sinceMs: number
  readonly begin: () => void
  readonly refuse: (reason: Error) => void
}

/** The event loop, or that of a test. */
export interface Turns {
  nowMs(): number
  /** Calls back in the next turn, after the event loop looked for what has arrived. */
  next(callback: () => void): void
  /** Calls back later, without keeping the process alive. */
  later(callback: () => void): void
}

/** How often requests are looked at that cannot begin because too many changes wait for the store. */
const BLOCKED_CHECK_MS = 50
const SHORT_WAIT_PARTS = 10
const RETRY_S_MAX = 10

const eventLoop: Turns = {
  nowMs: () => performance.now(),
  next: callback => void setImmediate(callback),
  later: callback => void setTimeout(callback, BLOCKED_CHECK_MS).unref(),
}

class Line {
  readonly queue = new FairQueue<Waiting>()
  /** How many may begin before the next turn. */
  left = 0
  /** When nothing waited for the last time. */
  emptyMs = 0
  displaced = 0
  waitedTooLong = 0
}

/**
 * Decides when a request is handled. While there are few, that is at once. When more arrive than the server can answer,
 * they wait: a turn of the event loop begins so many changes and so many reads, of each caller in turn, so that the
 * event loop stays free for health checks, changes are preferred to reads, and no caller can use up the turns of the
 * others. Who waits too long, or is one too many, is refused with 503.
 */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #turns: Turns
  readonly #lines: Readonly<Record<RequestKind, Line>> = { change: new Line(), read: new Line() }
  #changesInProgress = 0
  #bytesHeld = 0
  #isTurnScheduled = false
  #isCheckScheduled = false

  constructor(limits: Partial<AdmissionLimits> = {}, turns: Turns = eventLoop) {
    this.#limits = { ...LIMITS, ...limits }
    this.#turns = turns
    for (const line of this.#both) line.emptyMs = turns.nowMs()
    this.#fillTurn()
  }

  addMetrics(registry: Registry): void {
    const ofBoth = (read: (line: Line) => number) => () =>
      Object.entries(this.#lines).map(([kind, line]) => ({ labels: [kind], value: read(line) }))
    registry.gauge(
      'berth_http_requests_waiting',
      'Requests that wait for their turn, because more arrive than the server can answer.',
      ofBoth(({ queue }) => queue.size),
      ['kind'],
    )
    const help = 'Requests answered with 503 because of overload: they waited too long, or were one too many.'
    const sheds = () =>
      Object.entries(this.#lines).flatMap(([kind, { displaced, waitedTooLong }]) => [
        { labels: [kind, 'waited'], value: waitedTooLong },
        { labels: [kind, 'full'], value: displaced },
      ])
    registry.readCounter('berth_http_requests_shed_total', help, sheds, ['kind', 'reason'])
  }

  /** Does the work at once, or when it is its turn; throws or rejects if the request is refused. */
  run<T>(entrant: Entrant, work: () => T | Promise<T>): T | Promise<T> {
    const turn = this.#enter(entrant)
    if (turn === null) return this.#do(entrant, work)
    return traceStep('turn', () => turn).then(() => this.#do(entrant, work))
  }

  #do<T>({ kind, isStreamed }: Entrant, work: () => T | Promise<T>): T | Promise<T> {
    if (kind === 'read') return work()
    if (isStreamed) {
      this.#leave()
      return work()
    }
    return this.#leaveAfter(work)
  }

  async #leaveAfter<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  /** Null if it can begin at once. */
  #enter(entrant: Entrant): Promise<void> | null {
    const { kind, caller, bodyBytes } = entrant
    const line = this.#lines[kind]
    if (line.queue.size === 0) {
      line.emptyMs = this.#turns.nowMs()
      if (this.#canBegin(kind)) {
        this.#begin(kind)
        return null
      }
    }
    this.#makeRoom(entrant)
    this.#bytesHeld += bodyBytes
    return new Promise((begin, refuse) => {
      line.queue.push(caller, { ...entrant, sinceMs: this.#turns.nowMs(), begin, refuse })
      this.#scheduleTurn()
    })
  }

  /** A change was answered. */
  #leave(): void {
    this.#changesInProgress--
    if (this.#lines.change.queue.size > 0) this.#scheduleTurn()
  }

  get #both(): readonly Line[] {
    return [this.#lines.change, this.#lines.read]
  }

  get #waiting(): number {
    return this.#lines.change.queue.size + this.#lines.read.queue.size
  }

  #canBegin(kind: RequestKind): boolean {
    return this.#lines[kind].left > 0 && (kind === 'read' || !this.#isBlocked)
  }

  get #isBlocked(): boolean {
    return this.#changesInProgress >= this.#limits.changesAtOnceMax
  }

  #begin(kind: RequestKind): void {
    if (kind === 'change') this.#changesInProgress++
    // Not for each: a turn costs as much as a tenth of a short request.
    if (--this.#lines[kind].left === 0) this.#scheduleTurn()
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return
    this.#isTurnScheduled = true
    this.#turns.next(() => this.#takeTurn())
  }

  #fillTurn(): void {
    this.#lines.change.left = this.#limits.perTurn.change
    this.#lines.read.left = this.#limits.perTurn.read
  }

  #takeTurn(): void {
    this.#isTurnScheduled = false
    this.#fillTurn()
    this.#admit('change')
    this.#admit('read')
    if (this.#isTurnScheduled || this.#isCheckScheduled || this.#waiting === 0) return
    // Nothing could begin. A change that leaves comes back here; until then others may have waited too long.
    this.#isCheckScheduled = true
    this.#turns.later(() => {
      this.#isCheckScheduled = false
      this.#scheduleTurn()
    })
  }

  #admit(kind: RequestKind): void {
    const { queue } = this.#lines[kind]
    for (let refusals = 0; refusals < this.#limits.refusalsPerTurn; ) {
      const { first } = queue
      if (first === undefined) return
      const reason = this.#findReasonToRefuse(first)
      if (reason === null && !this.#canBegin(kind)) return
      queue.shift()
      this.#bytesHeld -= first.bodyBytes
      if (reason === null) {
        this.#begin(kind)
        first.begin()
      } else {
        refusals++
        first.refuse(reason)
      }
    }
    this.#scheduleTurn()
  }

  #findReasonToRefuse({ kind, sinceMs, isGone }: Waiting): Error | null {
    if (isGone()) return new RequestAborted('the client closed the connection while its request waited')
    const line = this.#lines[kind]
    if (this.#turns.nowMs() - sinceMs <= this.#waitMsMaxOf(line)) return null
    line.waitedTooLong++
    return this.#refusal(line, 'it waited too long')
  }

  /** If all wait long, the answers come when their callers have given up; a short line loses no more requests. */
  #waitMsMaxOf(line: Line): number {
    const { waitMsMax } = this.#limits
    return this.#lastedMs(line) > waitMsMax ? waitMsMax / SHORT_WAIT_PARTS : waitMsMax
  }

  #lastedMs({ emptyMs }: Line): number {
    return this.#turns.nowMs() - emptyMs
  }

  /** Displaces reads first, then requests of the caller with the most that wait; throws if there are none. */
  #makeRoom({ kind, caller, bodyBytes }: Entrant): void {
    const own = this.#lines[kind]
    const { waitingMax, bytesMax } = this.#limits
    while (this.#waiting >= waitingMax || this.#bytesHeld + bodyBytes > bytesMax) {
      const isForRead = this.#waiting >= waitingMax && kind === 'change' && this.#lines.read.queue.size > 0
      const line = isForRead ? this.#lines.read : own
      const longest = line.queue.findLongest()
      const isFair = isForRead || line.queue.lengthOf(longest ?? '') > own.queue.lengthOf(caller) + 1
      const last = longest !== null && isFair ? line.queue.pop(longest) : undefined
      if (last === undefined) {
        own.displaced++
        throw this.#refusal(own, 'too many requests wait')
      }
      line.displaced++
      this.#bytesHeld -= last.bodyBytes
      last.refuse(this.#refusal(line, 'it made room for another'))
    }
  }

  /** The longer the overload lasts, the later callers should try again. */
  #refusal(line: Line, why: string): RequestRefused {
    const retryS = Math.min(RETRY_S_MAX, 1 + Math.floor(this.#lastedMs(line) / this.#limits.waitMsMax))
    return new RequestRefused(
      503,
      'server.overloaded',
      `The server has more requests than it can answer, and gave up this one: ${why}. Nothing was done. Try again in ${retryS} s.`,
      { 'retry-after': String(retryS) },
      { retry_after_s: retryS },
    )
  }
}
