import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

type Handler = (request: IncomingMessage, response: ServerResponse) => void
type Pair = readonly [request: IncomingMessage, response: ServerResponse]

export interface ConnectionLimits {
  /** Pipelined requests that wait for the answers before theirs. One more closes the connection. */
  readonly waitingMax: number
  /** How long a client may leave an answer unread. */
  readonly untakenMsMax: number
  /** How often unread answers are checked. */
  readonly checkMs: number
  /** One more is closed at once. */
  readonly connectionsMax: number
}

const LIMITS: ConnectionLimits = {
  waitingMax: 100,
  untakenMsMax: 60_000,
  checkMs: 5_000,
  connectionsMax: Number.POSITIVE_INFINITY,
}

const FIRST_REQUEST_MS_MAX = 250
/** A client that uses its connection sends its next request sooner than this. */
const QUIET_MS = 100
const QUIET_CHECK_MS = 20
const ACCEPT_TURNS_MAX = 100

interface Connection {
  readonly openedMs: number
  /** Null while no request is in progress. */
  current: Pair | null
  /** Requests that wait for it. */
  waiting: Pair[]
  /** Called when none is in progress any more, so that another answer can be sent. */
  onIdle: (() => void) | null
  /** The last answer was sent: later requests must not be executed. */
  isOver: boolean
  /** The bytes read until its last request ended. */
  bytesSeen: number
}

/**
 * Serves the requests of a connection one after the other, and knows which connections are in use. Node emits every
 * request of a read at once: a client that sends a thousand of them in 48 kB and never reads would have a thousand
 * answers held in memory. Here the next request starts when the answer before it was sent, so at most one answer is
 * held, and nothing more is read meanwhile. When a server closes, Node ends idle connections, but not those that never
 * sent a request: a health checker or a browser that connected early would block every stop.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #handle: Handler
  readonly #open = new Map<Socket, Connection>()
  #draining = false
  #endsIdle = false
  #lastUseMs = 0
  #accepted = 0

  /** Replaces the server's request listeners. */
  constructor(server: Server, isTls: boolean, handle: Handler, limits: Partial<ConnectionLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    this.#handle = handle
    server.prependListener('connection', (socket: Socket) => {
      this.#accepted++
      if (this.#open.size >= this.#limits.connectionsMax) socket.destroy()
    })
    // With TLS, requests come on the inner socket.
    server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
      const openedMs = performance.now()
      this.#lastUseMs = openedMs
      this.#open.set(socket, {
        openedMs,
        current: null,
        waiting: [],
        onIdle: null,
        isOver: false,
        bytesSeen: socket.bytesRead,
      })
      socket.once('close', () => this.#open.delete(socket))
    })
    server.on('request', (request, response) => this.#take(request, response))
    // Any other expectation is ignored: Node's own 417 has no body and none of our headers.
    server.on('checkExpectation', (request, response) => this.#take(request, response))
    const timer = setInterval(() => this.#watchUntaken(), this.#limits.checkMs).unref()
    server.once('close', () => clearInterval(timer))
  }

  get count(): number {
    return this.#open.size
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket)
    if (connection === undefined) this.#handle(request, response)
    else if (connection.isOver) request.resume()
    else if (connection.current === null) this.#start(connection, request, response)
    else if (connection.waiting.length < this.#limits.waitingMax) connection.waiting.push([request, response])
    // Node keeps two objects per request until the connection ends, even for dropped ones: 64 kB of requests take 6 MB.
    // Nothing that waits has started.
    else request.socket.destroy()
  }

  #start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.current = [request, response]
    this.#lastUseMs = performance.now()
    if (this.#draining) response.shouldKeepAlive = false
    response.once('close', () => this.#finish(connection, request.socket, response))
    this.#handle(request, response)
  }

  #finish(connection: Connection, socket: Socket, response: ServerResponse): void {
    connection.bytesSeen = socket.bytesRead
    connection.isOver = socket.destroyed || !response.shouldKeepAlive
    const next = connection.isOver ? undefined : connection.waiting.shift()
    if (next === undefined) {
      connection.current = null
      connection.waiting = []
      if (connection.isOver) return
      connection.onIdle?.()
      // A long answer, such as a stream of changes, said before the server drained that the connection stays.
      if (this.#endsIdle) this.#endSoon(socket, FIRST_REQUEST_MS_MAX)
      return
    }
    // The time limit for unread answers was for the last one.
    socket.setTimeout(0)
    this.#start(connection, ...next)
  }

  /**
   * The connection can no longer be parsed; `broken` is the request whose body breaks off, if any. Calls `end` once
   * every earlier request has its answer, with whether another answer is due. Does not call it if the last of them ends
   * the connection.
   */
  breakOff(socket: Socket, broken: IncomingMessage | null, end: (isAnswerDue: boolean) => void): void {
    const connection = this.#open.get(socket)
    if (connection?.isOver) return
    const [request, response] = connection?.current ?? []
    const isUnanswered = request !== undefined && request === broken && !response?.headersSent
    if (connection === undefined || isUnanswered) end(true)
    // A body that breaks off after its answer gets no second one.
    else if (request === undefined) end(broken === null)
    else {
      connection.waiting = connection.waiting.filter(([waiting]) => waiting !== broken)
      connection.onIdle = () => end(request !== broken)
    }
  }

  /** Node counts only time in which nothing is read or written, then destroys the socket. */
  #watchUntaken(): void {
    for (const [socket, { current }] of this.#open)
      if (current !== null && socket.writableLength > 0 && !socket.timeout)
        socket.setTimeout(this.#limits.untakenMsMax)
  }

  /** From now on every answer closes its connection. */
  drain(): void {
    this.#draining = true
  }

  /**
   * Resolves once a turn of the event loop brought no new connection, so that closing resets none that wait to be
   * accepted. Gives up if they never stop coming.
   */
  async waitForAccepts(): Promise<void> {
    for (let turns = 0; turns < ACCEPT_TURNS_MAX; turns++) {
      const before = this.#accepted
      await nextTurn()
      await nextTurn()
      if (this.#accepted === before) return
    }
  }

  /** Resolves once there was no new connection or request for a moment, or no connection is left. */
  async waitForQuiet(msMax: number): Promise<void> {
    const endMs = performance.now() + msMax
    const beganMs = performance.now()
    for (;;) {
      const nowMs = performance.now()
      if (this.#open.size === 0 || nowMs >= endMs) return
      if (nowMs - Math.max(this.#lastUseMs, beganMs) >= QUIET_MS) return
      await new Promise(resolve => setTimeout(resolve, QUIET_CHECK_MS))
    }
  }

  /**
   * Closes unused connections, also those that become so later. A request may be on its way on a new connection, or on
   * one that has sent something: the first gets a moment, the second until the server is closed by force.
   */
  endIdle(): void {
    this.#endsIdle = true
    const nowMs = performance.now()
    for (const [socket, connection] of this.#open) {
      if (!isIdle(socket, connection)) continue
      const ageMs = nowMs - connection.openedMs
      if (ageMs >= FIRST_REQUEST_MS_MAX) socket.destroy()
      else this.#endSoon(socket, FIRST_REQUEST_MS_MAX - ageMs)
    }
  }

  #endSoon(socket: Socket, afterMs: number): void {
    setTimeout(() => this.#endUnlessUsed(socket), afterMs).unref()
  }

  #endUnlessUsed(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined && isIdle(socket, connection)) socket.destroy()
  }
}

const isIdle = (socket: Socket, { current, bytesSeen }: Connection): boolean =>
  current === null && socket.bytesRead <= bytesSeen
