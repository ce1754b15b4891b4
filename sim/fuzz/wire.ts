/** Sends bytes and reads answers without an HTTP library, so that nothing corrects what is sent. */
import { connect, type Socket } from 'node:net'

export interface WireAnswer {
  readonly status: number
  /** Names in lower case; of repeated ones the last. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
  /** It continued after its head and was not read: an endless feed. */
  readonly isEndless: boolean
}

export interface Outcome {
  readonly answers: readonly WireAnswer[]
  readonly end: 'answered' | 'closed' | 'silent' | 'unreadable'
}

export interface Sending {
  /** What is sent, piece by piece, with a pause before each but the first. */
  readonly pieces: readonly Buffer[]
  readonly pauseMs: number
  /** The methods of the requests whose answers are awaited. */
  readonly methods: readonly string[]
  /** Wait for the connection to end instead, having closed our side. */
  readonly untilClose: boolean
  /** Cut the connection after the last piece, and wait for nothing. */
  readonly abort: boolean
}

/** Longer than anything takes that the server has promised to answer. */
const SILENCE_MS_MAX = 30_000
const BODY_BYTES_MAX = 64 * 1024 * 1024

/** A keep-alive connection, reopened when it was closed. */
export class Wire {
  readonly #port: number
  readonly #host: string
  #socket: Socket | null = null
  #last = 'nothing'

  constructor({ hostname, port }: URL) {
    this.#host = hostname
    this.#port = Number(port)
  }

  get isOpen(): boolean {
    return this.#socket !== null
  }

  /** What was sent earlier on this connection, for reports. */
  get last(): string {
    return this.#socket === null ? 'a new connection' : this.#last
  }

  set last(name: string) {
    this.#last = name
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  async send(sending: Sending): Promise<Outcome> {
    const isReused = this.#socket !== null
    const outcome = await this.#sendOnce(sending)
    // The server may have closed an idle connection just when it was used again.
    const wasStale = isReused && outcome.end === 'closed' && outcome.answers.length === 0
    return wasStale && !sending.abort && !sending.untilClose ? this.#sendOnce(sending) : outcome
  }

  #sendOnce(sending: Sending): Promise<Outcome> {
    const socket = this.#socket ?? connect({ host: this.#host, port: this.#port, noDelay: true })
    this.#socket = socket
    return new Promise(resolve => {
      const reader = new AnswerReader(sending.methods)
      let isWritten = false
      let isDone = false
      const done = (end: Outcome['end']) => {
        if (isDone) return
        isDone = true
        clearTimeout(timer)
        socket.removeAllListeners()
        socket.on('error', () => {})
        // An answer may come before its request is whole: what is left of it must not get between the next ones.
        const isWhole = isWritten && !sending.untilClose && !sending.abort
        if (end !== 'answered' || !isWhole || !reader.mayGoOn || socket.destroyed) {
          socket.destroy()
          this.#socket = null
        }
        resolve({ answers: reader.answers, end })
      }
      const timer = setTimeout(() => done('silent'), SILENCE_MS_MAX)
      socket.on('error', () => done('closed'))
      socket.on('close', () => {
        reader.finish()
        // No answer announced the end, and some are missing.
        done(reader.isDone || sending.untilClose ? 'answered' : 'closed')
      })
      socket.on('data', bytes => {
        if (!reader.take(bytes)) done('unreadable')
        else if (!sending.untilClose && reader.isDone) done('answered')
      })
      void writePieces(socket, sending).then(() => {
        isWritten = true
        if (sending.abort) done('closed')
        else if (sending.untilClose) socket.end()
      })
    })
  }
}

async function writePieces(socket: Socket, { pieces, pauseMs }: Sending): Promise<void> {
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) await new Promise(resolve => setTimeout(resolve, pauseMs))
    if (!socket.writable && !socket.connecting) return
    socket.write(piece)
  }
}

/** An answer whose head was read. */
interface OpenAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** Ends only with the connection. */
  readonly untilClose: boolean
}

class AnswerReader {
  readonly answers: WireAnswer[] = []
  readonly #methods: readonly string[]
  #bytes: Buffer = Buffer.alloc(0)
  /** Received bytes that are not parsed yet. */
  #more: Buffer[] = []
  #bytesNeeded = 0
  /** Of a body in chunks. */
  #parts: Buffer[] = []
  #open: OpenAnswer | null = null

  constructor(methods: readonly string[]) {
    this.#methods = methods
  }

  get isDone(): boolean {
    const last = this.answers.at(-1)
    if (last === undefined) return false
    return this.answers.length >= this.#methods.length || last.isEndless || !keepsAlive(last)
  }

  get mayGoOn(): boolean {
    const last = this.answers.at(-1)
    return last !== undefined && keepsAlive(last) && !last.isEndless && this.#bytes.length === 0
  }

  /** False: this is no answer. */
  take(bytes: Buffer): boolean {
    this.#more.push(bytes)
    const length = this.#more.reduce((sum, one) => sum + one.length, this.#bytes.length)
    if (length < this.#bytesNeeded) return true
    this.#bytes = Buffer.concat([this.#bytes, ...this.#more.splice(0)])
    this.#bytesNeeded = 0
    for (;;) {
      const taken = this.#takeOne()
      if (taken !== 'answer') return taken === 'more'
      if (this.#bytes.length === 0) return true
    }
  }

  /** The connection has ended, and with it an answer that had no other end. */
  finish(): void {
    if (this.#open?.untilClose === true) this.#add(this.#bytes, Buffer.alloc(0))
  }

  #takeOne(): 'answer' | 'more' | 'unreadable' {
    if (this.#open === null && !this.#takeHead())
      return this.#bytes.length > 1_000_000 ? 'unreadable' : 'more'
    const { status, headers } = this.#open as OpenAnswer
    if (status === 0 || this.#bytes.length > BODY_BYTES_MAX) return 'unreadable'
    if (status < 200) {
      this.#open = null
      return 'answer'
    }
    const isBare = this.#methods[this.answers.length] === 'HEAD' || status === 204 || status === 304
    if (isBare) return this.#add(Buffer.alloc(0), this.#bytes)
    const length = headers.get('content-length')
    if (length !== undefined) {
      const bytes = Number(length)
      this.#bytesNeeded = Math.min(bytes, BODY_BYTES_MAX)
      return this.#bytes.length < bytes
        ? 'more'
        : this.#add(this.#bytes.subarray(0, bytes), this.#bytes.subarray(bytes))
    }
    if (headers.get('transfer-encoding') === 'chunked') return this.#takeChunks(headers)
    this.#open = { ...(this.#open as OpenAnswer), untilClose: true }
    return 'more'
  }

  #takeHead(): boolean {
    const end = this.#bytes.indexOf('\r\n\r\n')
    if (end < 0) return false
    const [first = '', ...lines] = this.#bytes.subarray(0, end).toString('latin1').split('\r\n')
    const headers = new Map<string, string>()
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
    const status = first.startsWith('HTTP/1.1 ') ? Number(first.slice(9, 12)) || 0 : 0
    this.#open = { status, headers, untilClose: false }
    this.#bytes = this.#bytes.subarray(end + 4)
    return true
  }

  #takeChunks(headers: ReadonlyMap<string, string>): 'answer' | 'more' | 'unreadable' {
    if (/event-stream/.test(headers.get('content-type') ?? ''))
      return this.#add(Buffer.alloc(0), Buffer.alloc(0), true)
    for (;;) {
      const line = this.#bytes.indexOf('\r\n')
      if (line < 0) return 'more'
      const size = Number.parseInt(this.#bytes.subarray(0, line).toString('latin1'), 16)
      if (Number.isNaN(size)) return 'unreadable'
      const end = line + 4 + size
      if (this.#bytes.length < end) {
        this.#bytesNeeded = Math.min(end, BODY_BYTES_MAX)
        return 'more'
      }
      if (size === 0) return this.#add(Buffer.concat(this.#parts), this.#bytes.subarray(end))
      this.#parts.push(this.#bytes.subarray(line + 2, line + 2 + size))
      this.#bytes = this.#bytes.subarray(end)
    }
  }

  #add(body: Buffer, rest: Buffer, isEndless = false): 'answer' {
    const { status, headers } = this.#open as OpenAnswer
    this.answers.push({ status, headers, body, isEndless })
    this.#open = null
    this.#bytes = rest
    this.#bytesNeeded = 0
    this.#parts = []
    return 'answer'
  }
}

const keepsAlive = ({ headers }: WireAnswer): boolean => headers.get('connection')?.toLowerCase() !== 'close'
