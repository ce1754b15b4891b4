import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

export interface ServerTrust {
  /** Certificate authorities in PEM; null: those of Node. */
  readonly authorities: string | null
  readonly isBlind: boolean
  /** The client certificate and its key, in PEM. */
  readonly client?: { readonly certificate: string; readonly key: string }
}

interface HttpQuestion {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly timeoutMs: number
  /** Default: four MiB. */
  readonly answerBytesMax?: number
  readonly signal?: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const SOCKETS_MAX = 64
const IDLE_MS_MAX = 4_000

/**
 * Supports a certificate authority of its own, unlike `fetch`. Never follows a redirect, so nothing is sent to another
 * host.
 */
export class HttpClient {
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX, timeout: IDLE_MS_MAX })
  readonly #https: HttpsAgent

  constructor({ authorities, isBlind, client }: ServerTrust) {
    this.#https = new HttpsAgent({
      keepAlive: true,
      maxSockets: SOCKETS_MAX,
      timeout: IDLE_MS_MAX,
      rejectUnauthorized: !isBlind,
      ...(authorities === null ? {} : { ca: authorities }),
      ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
    })
  }

  async send(question: HttpQuestion): Promise<HttpAnswer> {
    const timeout = AbortSignal.timeout(question.timeoutMs)
    const signal = question.signal === undefined ? timeout : AbortSignal.any([timeout, question.signal])
    try {
      return await this.#sendOnce(question, signal)
    } catch (error) {
      // The server closed an idle connection just as it was used again, and has read nothing.
      if (!(error instanceof StaleConnection)) throw error
      return await this.#sendOnce(question, signal)
    }
  }

  #sendOnce(question: HttpQuestion, signal: AbortSignal): Promise<HttpAnswer> {
    const { method, url, headers, body, answerBytesMax = ANSWER_BYTES_MAX } = question
    return new Promise((resolve, reject) => {
      const isTls = url.startsWith('https:')
      const agent = isTls ? this.#https : this.#http
      const request = (isTls ? httpsRequest : httpRequest)(url, { method, headers, agent, signal })
      request.once('error', error => reject(isStale(request, error) ? new StaleConnection() : error))
      request.once('response', response => readAnswer(response, answerBytesMax).then(resolve, reject))
      request.end(body ?? undefined)
    })
  }
}

class StaleConnection extends Error {}

const isStale = (request: ClientRequest, error: NodeJS.ErrnoException): boolean =>
  request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

async function readAnswer(response: IncomingMessage, bytesMax: number): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error(`the answer has more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers))
    headers.set(name, Array.isArray(value) ? value.join(', ') : (value ?? ''))
  return { status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString('utf8') }
}
