import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

type Handler = (request: IncomingMessage, response: ServerResponse) => void
type Pair = readonly [request: IncomingMessage, response: ServerResponse]

export interface ConnectionLimits {
  /** Requests of one connection that wait for the answers before theirs. One more cuts the connection. */
  readonly waitingMax: number
  /** How long a client may leave an answer untaken. */
  readonly untakenMsMax: number
  /** How often it is looked who does. */
  readonly checkMs: number
}

const LIMITS: ConnectionLimits = { waitingMax: 100, untakenMsMax: 60_000, checkMs: 5_000 }

const FIRST_REQUEST_MS_MAX = 250
/** A client that uses its connection asks again sooner than this. */
const QUIET_MS = 100
const QUIET_CHECK_MS = 20
const ACCEPT_TURNS_MAX = 100

interface Connection {
  readonly openedMs: number
  /** Null while no request is under way. */
  current: Pair | null
  /** Those that wait for it. */
  waiting: Pair[]
  /** To be called when none is under way any more, and another answer can be given. */
  onIdle: (() => void) | null
  /** The last answer has left: a request that still comes must not be done. */
  isOver: boolean
  /** How much had been read from it when its last request ended. */
  bytesSeen: number
}

/**
 * Serves the requests of a connection one after the other, and knows which connections are in use.
 *
 * Node hands over every request of a read at once: a client that sends a thousand of them in 48 kB and never reads would have
 * a thousand answers held for it. Here the next one starts when the answer before it has left, so that one answer is held at
 * most, and nothing more is read meanwhile.
 *
 * Node ends connections that wait for their next request when a server closes, but not those that never sent one: a health
 * checker or a browser that connected ahead of need would hold up every stop.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #handle: Handler
  readonly #open = new Map<Socket, Connection>()
  #draining = false
  #lastUseMs = 0
  #accepted = 0

  /** Takes the place of the server's listeners for requests. */
  constructor(server: Server, isTls: boolean, handle: Handler, limits: Partial<ConnectionLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    this.#handle = handle
    server.on('connection', () => {
      this.#accepted++
    })
    // With TLS, requests come on the socket within the one that was connected first.
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
    // Whatever a client expects besides 100-continue, it gets the answer: Node's own 417 has no body and none of our headers.
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
    // Node keeps two objects for every request until the connection ends, also for one that is dropped: 64 kB of them take
    // 6 MB. Nothing that waits has been started.
    else request.socket.destroy()
  }

  #start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.current = [request, response]
    this.#lastUseMs = performance.now()
    if (this.#draining) response.shouldKeepAlive = false
    response.once('close', () => this.#ended(connection, request.socket, response))
    this.#handle(request, response)
  }

  #ended(connection: Connection, socket: Socket, response: ServerResponse): void {
    connection.bytesSeen = socket.bytesRead
    connection.isOver = socket.destroyed || !response.shouldKeepAlive
    const next = connection.isOver ? undefined : connection.waiting.shift()
    if (next === undefined) {
      connection.current = null
      connection.waiting = []
      if (!connection.isOver) connection.onIdle?.()
      return
    }
    // The limit on answers that nobody takes was for the last one.
    socket.setTimeout(0)
    this.#start(connection, ...next)
  }

  /**
   * What comes on a connection can no longer be read; `broken` is the request whose body breaks off, if one does. Calls `end`
   * once every request before it has its own answer, and tells whether another answer is due. Does not call it where the last
   * of them ends the connection.
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

  /** Node counts only time in which nothing is read or written, and then destroys the socket. */
  #watchUntaken(): void {
    for (const [socket, { current }] of this.#open)
      if (current !== null && socket.writableLength > 0 && !socket.timeout)
        socket.setTimeout(this.#limits.untakenMsMax)
  }

  /** From now on every answer is the last of its connection. */
  drain(): void {
    this.#draining = true
  }

  /**
   * Resolves once a turn of the event loop brought no new connection: of those that wait to be accepted nobody is left whom
   * closing would reset. Where they never stop coming, it gives up.
   */
  async allAccepted(): Promise<void> {
    for (let turns = 0; turns < ACCEPT_TURNS_MAX; turns++) {
      const before = this.#accepted
      await nextTurn()
      await nextTurn()
      if (this.#accepted === before) return
    }
  }

  /** Resolves once nobody has connected or asked for a moment, or nobody is connected: who was about to ask has asked. */
  async quiet(msMax: number): Promise<void> {
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
   * Ends the connections that nobody uses. The request of one that was opened just now, or has sent something, may be on its
   * way: the first gets a moment, the second until the server is closed by force.
   */
  endIdle(): void {
    const nowMs = performance.now()
    for (const [socket, connection] of this.#open) {
      if (!isIdle(socket, connection)) continue
      const ageMs = nowMs - connection.openedMs
      if (ageMs >= FIRST_REQUEST_MS_MAX) socket.destroy()
      else setTimeout(() => this.#endUnlessUsed(socket), FIRST_REQUEST_MS_MAX - ageMs).unref()
    }
  }

  #endUnlessUsed(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined && isIdle(socket, connection)) socket.destroy()
  }
}

const isIdle = (socket: Socket, { current, bytesSeen }: Connection): boolean =>
  current === null && socket.bytesRead <= bytesSeen
