/** A proxy between a server and its database that can cut connections at a COMMIT, delay them, or fall silent. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export const CUTS = [
  /** The COMMIT never arrives. */
  'before',
  /** The COMMIT arrives, its answer does not. */
  'after',
  /** The COMMIT is sent, and the process that awaits the answer is killed. */
  'at-once',
  /** The COMMIT arrives long after its sender was cut off. */
  'late',
  /** The COMMIT arrives; then nothing passes any more, and no connection ends. */
  'deaf',
  /** The answer is late. */
  'slow',
] as const

type Cut = (typeof CUTS)[number]

/** At the end of a text: of PostgreSQL with a zero, of MariaDB after other statements. */
const COMMITS = [Buffer.from('COMMIT\0'), Buffer.from(';COMMIT'), Buffer.from('\x03COMMIT')]
const LATE_MS = 600
const SLOW_MS = 250

/** One connection: what the server sends comes from `near` and goes to `far`. */
interface Connection {
  readonly near: Socket
  readonly far: Socket
  isDeaf: boolean
  /** The database shall receive what was sent, though the server is gone. */
  outlives: boolean
  /** Answers of the database in flight. */
  coming: Promise<void>
}

export class Wire {
  readonly cuts = new Map<Cut, number>()
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  #cutOf: (() => Cut | null) | null = null
  #delayMs: (() => number) | null = null
  #isSilent = false
  #isRefusing = false

  private constructor(server: Server) {
    this.#server = server
  }

  /** To the port on which the database listens. */
  static async start(port: number): Promise<Wire> {
    const server = createServer({ noDelay: true })
    const wire = new Wire(server)
    server.on('connection', near => {
      if (wire.#isRefusing) near.destroy()
      else wire.#join(near, connect({ port, host: '127.0.0.1', noDelay: true }))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return wire
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** Called at every COMMIT from now on. */
  cutAtCommit(cutOf: (() => Cut | null) | null): void {
    this.#cutOf = cutOf
  }

  /** Delays everything that the database sends from now on. */
  slowDown(delayMs: (() => number) | null): void {
    this.#delayMs = delayMs
  }

  /** Nothing passes, but no side disconnects; what is sent arrives when this is over. */
  fallSilent(): void {
    this.#isSilent = true
    for (const { near, far } of this.#connections) for (const socket of [near, far]) socket.pause()
  }

  speakAgain(): void {
    this.#isSilent = false
    for (const { near, far } of this.#connections) for (const socket of [near, far]) socket.resume()
  }

  /** Whether new connections end at once. */
  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing
  }

  /** Ends all connections; new ones are taken. */
  cutAll(): void {
    for (const { near, far } of this.#connections) for (const socket of [near, far]) socket.destroy()
  }

  async stop(): Promise<void> {
    this.cutAll()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #join(near: Socket, far: Socket): void {
    const connection = { near, far, isDeaf: false, outlives: false, coming: Promise.resolve() }
    this.#connections.add(connection)
    for (const socket of [near, far]) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#connections.delete(connection)
        if (!connection.outlives) for (const other of [near, far]) other.destroy()
      })
    }
    near.on('data', chunk => {
      const cut = COMMITS.some(text => chunk.includes(text)) ? (this.#cutOf?.() ?? null) : null
      if (cut === null) far.write(chunk)
      else this.#cut(cut, chunk, connection)
    })
    far.on('data', chunk => this.#bring(chunk, connection))
    if (this.#isSilent) for (const socket of [near, far]) socket.pause()
  }

  #bring(chunk: Buffer, connection: Connection): void {
    if (connection.isDeaf) return
    if (this.#delayMs === null) {
      connection.coming = connection.coming.then(() => void connection.near.write(chunk))
      return
    }
    const arrived = sleep(this.#delayMs())
    connection.coming = connection.coming.then(async () => {
      await arrived
      connection.near.write(chunk)
    })
  }

  #cut(cut: Cut, chunk: Buffer, connection: Connection): void {
    this.cuts.set(cut, (this.cuts.get(cut) ?? 0) + 1)
    const { near, far } = connection
    switch (cut) {
      case 'before':
        near.destroy()
        break
      case 'after':
        connection.isDeaf = true
        far.write(chunk)
        // The answer shows that it is done.
        far.once('data', () => near.destroy())
        break
      case 'at-once':
        far.write(chunk, () => far.destroy())
        break
      case 'late':
        connection.outlives = true
        near.destroy()
        setTimeout(() => far.end(chunk), LATE_MS)
        break
      case 'deaf':
        connection.isDeaf = true
        far.write(chunk)
        break
      case 'slow':
        far.pause()
        setTimeout(() => far.resume(), SLOW_MS)
        far.write(chunk)
        break
      default:
        cut satisfies never
    }
  }
}
