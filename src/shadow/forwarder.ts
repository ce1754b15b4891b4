import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { type Answer, isWrite, type KeptRequest } from './exchange.ts'

/** Longer answers go to the client, but are not compared. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
const IDLE_MS_MAX = 4_000
const SOCKETS_MAX = 256
/** How many connections of a Placement that was just restarted may be found closed before a read ends. */
const TRIES_MAX = 32
/** Without a limit, a host that drops packets would keep a caller for minutes. */
const CONNECT_MS_MAX = 10_000

/** Hop-by-hop headers, which are not forwarded. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Placement gave no answer. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
  /** It certainly did not get the request. */
  readonly isUnsent: boolean
  readonly status: 502 | 503 | 504

  constructor(status: 502 | 503 | 504, isUnsent: boolean, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.status = status
    this.isUnsent = isUnsent
  }
}

interface Outgoing {
  readonly method: string
  readonly path: string
  /** Names and values alternate. */
  readonly headers: readonly string[]
  readonly body: Buffer | IncomingMessage
  readonly signal?: AbortSignal
}

/** Forwards requests unchanged to the Placement that is shadowed. */
export class Forwarder {
  /** Without a trailing slash. */
  readonly url: string
  readonly #timeoutMs: number
  readonly #connectMs: number
  readonly #isTls: boolean
  /** A reused connection may just be closing. Reads are sent again; writes are not, as their outcome would be unknown. */
  readonly #reads: HttpAgent | HttpsAgent
  readonly #writes: HttpAgent | HttpsAgent

  /** `authorities`: certificate authorities in PEM; null for those of Node. */
  constructor(url: string, timeoutMs: number, authorities: string | null = null) {
    this.url = url
    this.#timeoutMs = timeoutMs
    this.#connectMs = Math.min(timeoutMs, CONNECT_MS_MAX)
    this.#isTls = url.startsWith('https:')
    const Agent = this.#isTls ? HttpsAgent : HttpAgent
    const ca = authorities === null ? {} : { ca: authorities }
    this.#reads = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, timeout: IDLE_MS_MAX, ...ca })
    this.#writes = new Agent({ keepAlive: false, maxSockets: SOCKETS_MAX, ...ca })
  }

  close(): void {
    this.#reads.destroy()
    this.#writes.destroy()
  }

  /** Sends a kept request and reads the whole answer. */
  async ask(request: KeptRequest, headers: readonly string[] = request.rawHeaders): Promise<Answer> {
    const { method, path, body } = request
    return readAnswer(await this.#send({ method, path, headers, body }))
  }

  /** Forwards a read and streams its answer to the client. Resolves with the answer. */
  async passRead(request: KeptRequest, response: ServerResponse): Promise<Answer> {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const { method, path, rawHeaders: headers, body } = request
    return passOn(await this.#send({ method, path, headers, body, signal: gone.signal }), response)
  }

  /** Streams a request that is too long to be kept. */
  async passStream(request: IncomingMessage, path: string, response: ServerResponse): Promise<Answer> {
    const { method = '', rawHeaders: headers } = request
    return passOn(await this.#send({ method, path, headers, body: request }), response)
  }

  async #send(outgoing: Outgoing): Promise<IncomingMessage> {
    for (let tries = 1; ; tries++)
      try {
        return await this.#sendOnce(outgoing)
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error
        if (tries === TRIES_MAX) throw new NoAnswer(502, false, error)
      }
  }

  #sendOnce({ method, path, headers, body, signal }: Outgoing): Promise<IncomingMessage> {
    const mayRepeat = !isWrite(method)
    return new Promise((resolve, reject) => {
      const sent = (this.#isTls ? httpsRequest : httpRequest)(`${this.url}${path}`, {
        method,
        headers: passableHeaders(headers, method),
        agent: mayRepeat ? this.#reads : this.#writes,
        ...(signal === undefined ? {} : { signal }),
      })
      const connection = this.#watchConnection(sent)
      sent.once('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        reject(mayRepeat && isStale ? new StaleConnection() : toNoAnswer(error, connection.isOpen))
      })
      sent.once('response', resolve)
      if (body instanceof Buffer) sent.end(body)
      else pipeline(body, sent).catch(error => sent.destroy(error as Error))
    })
  }

  /** Ends a request without a connection or an answer in time. */
  #watchConnection(sent: ClientRequest): { readonly isOpen: boolean } {
    const connection = { isOpen: false }
    const giveUp = (what: string, ms: number) => () => sent.destroy(new Timeout(`no ${what} within ${ms} ms`))
    let timer = setTimeout(giveUp('free connection', this.#timeoutMs), this.#timeoutMs)
    const stop = () => clearTimeout(timer)
    const opened = () => {
      stop()
      connection.isOpen = true
      sent.setTimeout(this.#timeoutMs, giveUp('answer', this.#timeoutMs))
    }
    sent.once('close', stop)
    sent.once('socket', socket => {
      stop()
      if (sent.reusedSocket) return opened()
      timer = setTimeout(giveUp('connection', this.#connectMs), this.#connectMs)
      socket.once(this.#isTls ? 'secureConnect' : 'connect', opened)
    })
    return connection
  }
}

class StaleConnection extends Error {
  override message = 'Placement closed the connection'
}
class Timeout extends Error {}

/** Node sends nothing before the connection is open and its TLS handshake is done. */
function toNoAnswer(error: Error, wasOpen: boolean): NoAnswer {
  if (!wasOpen) return new NoAnswer(503, true, error)
  return new NoAnswer(error instanceof Timeout ? 504 : 502, false, error)
}

/** The headers as received, without the hop-by-hop ones. */
function passableHeaders(raw: readonly string[], method: string): string[] {
  const kept: string[] = []
  let hasLength = false
  let isChunked = false
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase()
    hasLength ||= name === 'content-length'
    isChunked ||= name === 'transfer-encoding'
    if (!OF_CONNECTION.has(name)) kept.push(raw[at] as string, raw[at + 1] as string)
  }
  // Node would send an empty body in chunks, which not every server reads.
  if (!hasLength && !isChunked && isWrite(method) && method !== 'DELETE') kept.push('Content-Length', '0')
  return kept
}

const toAnswer = (message: IncomingMessage, kept: KeptBytes): Answer => ({
  status: message.statusCode ?? 0,
  headers: flattenHeaders(message),
  rawHeaders: message.rawHeaders,
  body: kept.whole,
})

function flattenHeaders(message: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}

async function readAnswer(message: IncomingMessage): Promise<Answer> {
  const kept = new KeptBytes()
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) kept.add(chunk)
  } catch (error) {
    throw new NoAnswer(502, false, error)
  }
  return toAnswer(message, kept)
}

async function passOn(message: IncomingMessage, response: ServerResponse): Promise<Answer> {
  const kept = new KeptBytes()
  writeHead(message.statusCode ?? 502, message.rawHeaders, response)
  message.on('data', (chunk: Buffer) => kept.add(chunk))
  try {
    await pipeline(message, response)
  } catch (error) {
    throw new NoAnswer(502, false, error)
  }
  return toAnswer(message, kept)
}

/** Writes status and headers of Placement's answer. */
export function writeHead(status: number, rawHeaders: readonly string[], response: ServerResponse): void {
  const headers: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!OF_CONNECTION.has((rawHeaders[at] as string).toLowerCase()))
      headers.push(rawHeaders[at] as string, rawHeaders[at + 1] as string)
  response.sendDate = false
  response.writeHead(status, headers)
}

/** Collects what is received, up to a limit. */
class KeptBytes {
  #chunks: Buffer[] = []
  #bytes = 0

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > ANSWER_BYTES_MAX) this.#chunks = []
    else this.#chunks.push(chunk)
  }

  get whole(): Buffer | null {
    return this.#bytes > ANSWER_BYTES_MAX ? null : Buffer.concat(this.#chunks)
  }
}
