import { parseRefusal } from './error-text.ts'
import { networkFailure, parseAnswer, Refused, Unreachable } from './failure.ts'

export interface Ask {
  /** What follows the `?`, encoded. */
  readonly query?: string
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it comes, of the content type in the headers. */
  readonly body?: AsyncIterable<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** The answer may take as long as it likes. */
  readonly patient?: boolean
}

interface HttpOptions {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string | null
  readonly patienceMs?: number
  /** Instead of Node's, which trusts Node's certificate authorities only. */
  readonly fetch?: typeof globalThis.fetch
}

const PATIENCE_MS = 120_000

/** One server: its address, the token, and every failure turned into one of two errors. */
export class HttpClient {
  readonly url: string
  readonly #token: string | null
  readonly #patienceMs: number
  readonly #fetch: typeof globalThis.fetch

  constructor({ url, token, patienceMs, fetch = globalThis.fetch }: HttpOptions) {
    this.url = url
    this.#token = token
    this.#patienceMs = patienceMs ?? PATIENCE_MS
    this.#fetch = fetch
  }

  /** An answer with a status below 300; throws Refused for any other, and Unreachable for none. */
  async send(method: string, path: string, ask: Ask = {}): Promise<Response> {
    const answer = await this.ask(method, path, ask)
    if (answer.status < 300) return answer
    const location = answer.headers.get('location')
    if (answer.status < 400 && location !== null)
      throw new Unreachable(this.url, `it sends its callers on to ${location}: use that address`)
    throw parseRefusal(answer.status, answer.headers.get('content-type'), await this.text(answer))
  }

  /** The answer, whatever its status. */
  async ask(method: string, path: string, { query, json, body, headers, signal, patient }: Ask = {}) {
    const sent: Record<string, string> = { accept: 'application/json', ...headers }
    if (this.#token !== null) sent['x-auth-token'] = this.#token
    if (json !== undefined) sent['content-type'] = 'application/json'
    const signals = [signal, patient === true ? undefined : AbortSignal.timeout(this.#patienceMs)]
    const url = `${this.url}${path}${query === undefined || query === '' ? '' : `?${query}`}`
    try {
      return await this.#fetch(url, {
        method,
        headers: sent,
        // A redirect could lead the token to another host.
        redirect: 'manual',
        signal: AbortSignal.any(signals.filter(one => one !== undefined)),
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        ...(body === undefined ? {} : { body, duplex: 'half' }),
      })
    } catch (error) {
      throw networkFailure(error, this.url) ?? error
    }
  }

  async json<T>(method: string, path: string, ask: Ask = {}): Promise<T> {
    const answer = await this.send(method, path, ask)
    return parseAnswer<T>(await this.text(answer), `the answer to ${method} ${path}`)
  }

  async text(answer: Response): Promise<string> {
    try {
      return await answer.text()
    } catch (error) {
      throw networkFailure(error, this.url) ?? error
    }
  }

  /** The body as it arrives. One that breaks off is Unreachable. */
  async *bytes(answer: Response): AsyncGenerator<Uint8Array> {
    try {
      if (answer.body !== null) for await (const chunk of answer.body) yield chunk as Uint8Array
    } catch (error) {
      throw networkFailure(error, this.url) ?? error
    }
  }
}

export function isRefused(error: unknown, status: number, code?: string): error is Refused {
  return error instanceof Refused && error.status === status && (code === undefined || error.code === code)
}
