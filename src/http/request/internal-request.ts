import { EventEmitter } from 'node:events'
import { type IncomingHttpHeaders, IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestFront } from '../mounted-services.ts'

/** A request that did not come over the network, or came earlier. */
interface InternalRequest {
  readonly method: string
  /** With the mount. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly requestId: string
  /** Where the request came from. */
  readonly caller: CallerAddress
}

export interface CallerAddress {
  readonly remoteAddress: string | undefined
  readonly localAddress: string | undefined
  readonly localPort: number | undefined
  readonly encrypted: boolean
}

export interface InternalAnswer {
  readonly status: number
  /** Names in lower case, in turn with their values. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

export const callerAddressOf = ({ socket }: IncomingMessage): CallerAddress => ({
  remoteAddress: socket.remoteAddress,
  localAddress: socket.localAddress,
  localPort: socket.localPort,
  encrypted: 'encrypted' in socket && socket.encrypted === true,
})

/** Passes a request to a handler, which checks it as every request: token, version, policy, body. */
export async function askHandler(
  handler: RequestFront,
  asked: InternalRequest,
  mount: string,
): Promise<InternalAnswer> {
  const response = new CapturedResponse()
  const serving = handler.serve(
    toIncoming(asked),
    response as unknown as ServerResponse,
    asked.requestId,
    asked.url.slice(mount.length),
  )
  const [answer] = await Promise.all([response.answer, serving])
  return answer
}

function toIncoming({ method, url, headers, body, caller }: InternalRequest): IncomingMessage {
  // Nothing is read from it: the body is there already.
  const request = new IncomingMessage({ ...caller, readable: false, destroyed: false } as unknown as Socket)
  request.method = method
  request.url = url
  request.httpVersion = '1.1'
  request.httpVersionMajor = 1
  request.httpVersionMinor = 1
  request.headers = headers
  if (body.length > 0) request.push(body)
  request.push(null)
  request.complete = true
  return request
}

/** Keeps what a handler sends. */
class CapturedResponse extends EventEmitter {
  readonly #ended = Promise.withResolvers<InternalAnswer>()
  readonly #pieces: Buffer[] = []
  #status = 0
  #headers: readonly string[] = []
  headersSent = false
  destroyed = false

  get answer(): Promise<InternalAnswer> {
    return this.#ended.promise
  }

  writeHead(status: number, headers: readonly string[]): this {
    this.headersSent = true
    this.#status = status
    this.#headers = headers
    return this
  }

  write(piece: string | Uint8Array): boolean {
    // A copy: handlers reuse their buffers once the answer is sent.
    this.#pieces.push(Buffer.from(piece as string))
    return true
  }

  end(piece?: string | Uint8Array): this {
    if (piece !== undefined) this.write(piece)
    this.#ended.resolve({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#pieces) })
    this.emit('close')
    return this
  }

  setTimeout(): this {
    return this
  }

  destroy(): this {
    this.destroyed = true
    this.#ended.reject(new Error('the handler gave no answer'))
    this.emit('close')
    return this
  }
}
