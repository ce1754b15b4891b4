import type { IncomingMessage } from 'node:http'
import { RequestRefused } from '../api.ts'
import type { BodyMemory } from './body-memory.ts'
import { allowLongBody } from './client-error.ts'

/** The client disconnected before its request was complete, so there is no one to answer. */
export class RequestAborted extends Error {
  override name = 'RequestAborted'
}

export const NO_BODY: Buffer = Buffer.alloc(0)

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length']
  if (length !== undefined) return length !== '0'
  return request.headers['transfer-encoding'] !== undefined
}

/** Whose memory a body is counted against, and its maximum size. */
export interface BodyRules {
  readonly bytesMax: number
  readonly memory: BodyMemory
  readonly owner: string
}

/** Reads the whole body. Node reads and drops what a refused client still sends. */
export function readBody(request: IncomingMessage, rules: BodyRules): Promise<Buffer> {
  const { bytesMax } = rules
  // A Content-Length over the limit is refused before the first byte.
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (declared > bytesMax) return Promise.reject(tooLarge(bytesMax))
  // Disconnected during an earlier wait: no event will come.
  if (request.destroyed) return Promise.reject(gone())
  return new Promise((resolve, reject) => {
    const body = new GrowingBody(rules)
    const onData = (chunk: Buffer): void => {
      const bytes = body.length + chunk.length
      if (bytes > bytesMax) settle(() => reject(tooLarge(bytesMax)))
      // Most bodies come complete with their head, so they are never counted as unfinished.
      else if (!body.add(chunk, bytes === declared)) settle(() => reject(noRoom()))
    }
    const onEnd = (): void => settle(() => resolve(body.whole()))
    const onGone = (): void => settle(() => reject(gone()))
    const settle = (how: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      // A broken upload may still emit its error.
      request.on('error', ignore)
      how()
      body.release()
    }
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
  })
}

/**
 * Appends chunks into one buffer at once: for a client that sends single bytes, a list of chunks would take some
 * hundred bytes each. The buffer doubles, so that copying is linear, and its size is counted.
 */
class GrowingBody {
  readonly #rules: BodyRules
  #bytes: Buffer = NO_BODY
  #counted = 0
  length = 0

  constructor(rules: BodyRules) {
    this.#rules = rules
  }

  /** False if there is no memory left for it. */
  add(chunk: Buffer, isLast: boolean): boolean {
    const length = this.length + chunk.length
    if (this.length === 0) {
      if (!isLast && !this.#count(chunk.length)) return false
      this.#bytes = chunk
    } else {
      if (length > this.#bytes.length && !this.#grow(isLast ? length : length * 2)) return false
      chunk.copy(this.#bytes, this.length)
    }
    this.length = length
    return true
  }

  #grow(wanted: number): boolean {
    const room = Math.min(wanted, this.#rules.bytesMax)
    if (!this.#count(room)) return false
    const larger = Buffer.allocUnsafeSlow(room)
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
    return true
  }

  #count(room: number): boolean {
    const { memory, owner } = this.#rules
    if (!memory.take(owner, room - this.#counted)) return false
    this.#counted = room
    return true
  }

  whole(): Buffer {
    return this.#bytes.length === this.length ? this.#bytes : this.#bytes.subarray(0, this.length)
  }

  release(): void {
    if (this.#counted > 0) this.#rules.memory.giveBack(this.#rules.owner, this.#counted)
    this.#counted = 0
    this.#bytes = NO_BODY
  }
}

const ignore = (): void => {}

const gone = (): RequestAborted => new RequestAborted('the client closed the connection while sending')

function tooLarge(bytesMax: number): RequestRefused {
  return new RequestRefused(
    413,
    'request.too-large',
    `The body of a request may have at most ${bytesMax} bytes.`,
  )
}

function noRoom(): RequestRefused {
  return new RequestRefused(
    503,
    'request.no-room',
    'Too many request bodies are still being received; nothing was changed. Try again later.',
    { 'retry-after': '1' },
  )
}

/** A client that sends nothing of a raw body for this long is cut off. */
const IDLE_MS_MAX = 60_000

/** The body as a stream, no faster than it is read. What is left at the end is dropped. */
export async function* streamBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  if (!hasBody(request)) return
  const done = allowLongBody(request.socket)
  request.setTimeout(IDLE_MS_MAX, () => void request.destroy())
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array
  } catch (error) {
    throw new RequestAborted(`the client closed the connection while sending: ${(error as Error).message}`)
  } finally {
    done()
    // A client that is refused half way sees the answer only if the rest is read.
    request.resume()
  }
}
