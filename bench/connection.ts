/** HTTP with as little work as possible, so that a client on the same machine is not slower than the server. */
import { connect, type Socket } from 'node:net'

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly bodyBytes: number
  readonly body: string
}

interface Open {
  readonly keepsBody: boolean
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
  readonly chunks: Buffer[]
  bytes: number
  head: {
    readonly status: number
    readonly length: number
    readonly bodyEnd: number | 'chunked' | 'close'
    readonly closes: boolean
    readonly retryAfter: string | null
  } | null
}

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** One connection, one request at a time; reopened when the server closes it. */
export class Connection {
  readonly #host: string
  readonly #port: number
  readonly #prefix: string
  readonly #token: string
  #socket: Socket | null = null
  #open: Open | null = null

  constructor(url: string, token = 'admin') {
    this.#token = token
    const { hostname, port, pathname } = new URL(url)
    this.#host = hostname
    this.#port = Number(port)
    this.#prefix = pathname.replace(/\/$/, '')
  }

  /** Keeps the body only on request. */
  send(method: string, path: string, body: string | null = null, keepsBody = false): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#open = { keepsBody, resolve, reject, chunks: [], bytes: 0, head: null }
      this.#socket ??= this.#connected()
      const about =
        body === null
          ? ''
          : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
      this.#socket.write(
        `${method} ${this.#prefix}${path} HTTP/1.1\r\nHost: ${this.#host}:${this.#port}\r\nX-Auth-Token: ${this.#token}\r\n` +
          `OpenStack-API-Version: placement 1.39\r\nAccept: application/json\r\n${about}\r\n${body ?? ''}`,
      )
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  #connected(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true })
    socket.on('data', chunk => this.#take(chunk as Buffer))
    socket.on('error', error => this.#ended(socket, error))
    socket.on('close', () => this.#ended(socket, new Error('the connection was closed')))
    return socket
  }

  #take(chunk: Buffer): void {
    const open = this.#open
    if (open === null) return
    if (open.head === null || open.keepsBody || open.head.bodyEnd === 'chunked') open.chunks.push(chunk)
    open.bytes += chunk.length
    if (open.head === null) this.#readHead(open)
    const end = open.head?.bodyEnd
    if (typeof end === 'number' && open.bytes >= end) this.#answered(open)
    else if (end === 'chunked' && Buffer.concat(open.chunks.slice(-2)).subarray(-5).equals(LAST_CHUNK))
      this.#answered(open)
  }

  #readHead(open: Open): void {
    const all = Buffer.concat(open.chunks)
    const end = all.indexOf(HEAD_END)
    if (end < 0) return
    const text = all.toString('latin1', 0, end).toLowerCase()
    const status = Number(text.slice(9, 12))
    const length = end + HEAD_END.length
    const contentLength = /\r\ncontent-length: *(\d+)/.exec(text)?.[1]
    const bodyEnd =
      contentLength !== undefined
        ? length + Number(contentLength)
        : status === 204
          ? length
          : text.includes('\r\ntransfer-encoding: chunked')
            ? 'chunked'
            : 'close'
    const retryAfter = /\r\nretry-after: *(\d+)/.exec(text)?.[1] ?? null
    open.head = { status, length, bodyEnd, closes: text.includes('\r\nconnection: close'), retryAfter }
    open.chunks.splice(0, open.chunks.length, all)
  }

  #answered(open: Open): void {
    this.#open = null
    const { status, length, closes, retryAfter } = open.head as NonNullable<Open['head']>
    if (closes) this.close()
    const body = open.keepsBody ? Buffer.concat(open.chunks).subarray(length).toString() : ''
    open.resolve({ status, retryAfter, bodyBytes: open.bytes - length, body })
  }

  #ended(socket: Socket, error: Error): void {
    // An abandoned connection may close while the next one has a request in flight.
    if (this.#socket !== socket) return
    this.#socket = null
    const open = this.#open
    if (open === null) return
    if (open.head?.bodyEnd === 'close') this.#answered(open)
    else {
      this.#open = null
      open.reject(error)
    }
  }
}
