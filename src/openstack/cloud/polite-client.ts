import { setTimeout as sleep } from 'node:timers/promises'
import { networkFailure } from '../../client/failure.ts'
import { type HttpAnswer, HttpClient, type ServerTrust } from '../../http/outgoing/http-client.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { CloudFailure } from './cloud-failure.ts'

interface CloudQuestion {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly json?: unknown
  /** For messages. */
  readonly service: string
}

export interface PoliteOptions {
  /** Requests under way at a time, to all services of the cloud together. */
  readonly atOnceMax?: number
  /** Ends waits and requests. */
  readonly signal?: AbortSignal
  /** A number from 0 to 1: spreads retries. */
  readonly chance?: () => number
  /** The wait before the first retry; doubled for each further one. */
  readonly retryMs?: number
}

/** Counts of all requests so far, which show how slow a cloud is. */
export interface CloudLoad {
  readonly requests: number
  readonly retries: number
  /** The sum over all answers. */
  readonly answerMs: number
}

const AT_ONCE_MAX = 4
const TRIES_MAX = 5
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000
const ANSWER_BYTES_MAX = 64 * 1024 * 1024
const TURN_MS_MAX = 3_600_000
/** Overloaded, or unavailable for a moment. Nova answers 413 where others answer 429. */
const AGAIN = new Set([413, 429, 502, 503, 504])
/** The failures after which a retry may succeed. */
const PASSING = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ABORT_ERR', 'EAI_AGAIN', 'ECONNREFUSED'])

/** Sends reads, few at a time, and retries after a pause if the cloud is busy. */
export class PoliteClient {
  readonly #http: HttpClient
  readonly #timeoutMs: number
  readonly #options: PoliteOptions
  readonly #turns: Semaphore
  #load = { requests: 0, retries: 0, answerMs: 0 }

  constructor(trust: ServerTrust, timeoutMs: number, options: PoliteOptions = {}) {
    this.#http = new HttpClient(trust)
    this.#timeoutMs = timeoutMs
    this.#options = options
    this.#turns = new Semaphore(options.atOnceMax ?? AT_ONCE_MAX)
  }

  get load(): CloudLoad {
    return this.#load
  }

  /** The answer, whatever its status. Throws CloudFailure if there is none. */
  async send(question: CloudQuestion): Promise<HttpAnswer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#sendInTurn(question)
      if (answer instanceof CloudFailure) {
        if (tries >= TRIES_MAX) throw answer
      } else if (!AGAIN.has(answer.status) || tries >= TRIES_MAX) return answer
      this.#load.retries++
      await this.#pause(tries, answer instanceof CloudFailure ? null : answer.headers.get('retry-after'))
    }
  }

  /** Returns a temporary failure; throws any other. */
  async #sendInTurn(question: CloudQuestion): Promise<HttpAnswer | CloudFailure> {
    const release = await this.#turns.acquire(TURN_MS_MAX)
    if (release === null)
      throw new CloudFailure(
        `${question.service}: other requests took all slots for ${TURN_MS_MAX} ms; try again`,
      )
    const startMs = performance.now()
    try {
      this.#options.signal?.throwIfAborted()
      this.#load.requests++
      return await this.#sendOnce(question)
    } catch (error) {
      if (this.#options.signal?.aborted === true) throw this.#options.signal.reason
      const code = (error as NodeJS.ErrnoException).code ?? ''
      const why = code === 'ABORT_ERR' ? 'no answer in time' : networkFailure(error, question.url)?.message
      const failure = new CloudFailure(
        `${question.service} at ${question.url}: ${why ?? (error as Error).message}`,
        null,
        { cause: error },
      )
      if (PASSING.has(code)) return failure
      throw failure
    } finally {
      this.#load.answerMs += performance.now() - startMs
      release()
    }
  }

  #sendOnce({ method, url, headers, json }: CloudQuestion): Promise<HttpAnswer> {
    const body = json === undefined ? null : JSON.stringify(json)
    const { signal } = this.#options
    return this.#http.send({
      method,
      url,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(body === null
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      },
      body,
      timeoutMs: this.#timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      ...(signal === undefined ? {} : { signal }),
    })
  }

  async #pause(tries: number, retryAfter: string | null): Promise<void> {
    const { chance = Math.random, retryMs = RETRY_MS, signal } = this.#options
    const named = Number(retryAfter ?? Number.NaN) * 1_000
    const ms = named >= 0 ? named : retryMs * 2 ** (tries - 1) * (1 + chance() / 2)
    await sleep(Math.min(ms, RETRY_MS_MAX), undefined, signal === undefined ? {} : { signal })
  }
}
