/** HTTP with as little work as possible: a client on the same machine must not be slower than the server. */
import { connect, type Socket } from 'node:net'

interface RawAnswer {
  readonly status: number
  readonly body: string
}

/** One connection, one request at a time. */
export class RawConnection {
  readonly #socket: Socket
  readonly #host: string
  #text = ''
  #resolve: ((answer: RawAnswer) => void) | null = null
  #reject: ((error: Error) => void) | null = null

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.setEncoding('latin1')
    this.#socket.on('data', chunk => this.#take(String(chunk)))
    this.#socket.on('error', error => this.#reject?.(error))
  }

  send(method: string, path: string, body = ''): Promise<RawAnswer> {
    const head =
      `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\nx-auth-token: admin\r\n` +
      'openstack-api-version: placement 1.38\r\n'
    const about =
      body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket.write(`${head}${about}\r\n${body}`)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(chunk: string): void {
    this.#text += chunk
    const end = this.#text.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#text.slice(0, end + 2))?.[1] ?? 0)
    if (this.#text.length < end + 4 + length) return
    const answer = {
      status: Number(this.#text.slice(9, 12)),
      body: this.#text.slice(end + 4, end + 4 + length),
    }
    this.#text = this.#text.slice(end + 4 + length)
    this.#resolve?.(answer)
  }
}
