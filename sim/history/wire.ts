/** A wire between a server and its database that can be cut just where it hurts. */
import { connect, createServer, type Server, type Socket } from 'node:net'

export const CUTS = [
  /** The COMMIT never arrives. */
  'before',
  /** The COMMIT arrives, its answer does not. */
  'after',
  /** The COMMIT is sent, and nobody is left to hear the answer. */
  'at-once',
  /** The COMMIT arrives when the one who sent it has long been cut off. */
  'late',
  /** The COMMIT arrives; then nothing passes any more, and nothing ends. */
  'silence',
  /** The answer takes its time. */
  'slow',
] as const

export type Cut = (typeof CUTS)[number]

const COMMIT = Buffer.from('COMMIT\0')
const LATE_MS = 600
const SLOW_MS = 250

export class Wire {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #nextCut: (() => Cut | null) | null = null
  readonly cuts = new Map<Cut, number>()

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(port: number): Promise<Wire> {
    const server = createServer({ noDelay: true })
    const wire = new Wire(server)
    server.on('connection', near => wire.#join(near, connect({ port, host: '127.0.0.1', noDelay: true })))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return wire
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** Asked at every COMMIT from now on. */
  set onCommit(nextCut: (() => Cut | null) | null) {
    this.#nextCut = nextCut
  }

  /** Ends all connections; new ones are taken. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.cutAll()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #join(near: Socket, far: Socket): void {
    const wire = { isDeaf: false, isLate: false }
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        if (!wire.isLate) other.destroy()
      })
    }
    near.on('data', chunk => {
      const cut = chunk.includes(COMMIT) ? (this.#nextCut?.() ?? null) : null
      if (cut === null) return void far.write(chunk)
      this.cuts.set(cut, (this.cuts.get(cut) ?? 0) + 1)
      if (cut === 'after' || cut === 'silence') wire.isDeaf = true
      this.#commit(cut, chunk, near, far, wire)
    })
    far.on('data', chunk => {
      if (!wire.isDeaf) near.write(chunk)
    })
  }

  #commit(cut: Cut, chunk: Buffer, near: Socket, far: Socket, wire: { isLate: boolean }): void {
    switch (cut) {
      case 'before':
        near.destroy()
        break
      case 'after':
        far.write(chunk)
        // The answer is the sign that it is done.
        far.once('data', () => near.destroy())
        break
      case 'at-once':
        far.write(chunk, () => far.destroy())
        break
      case 'late':
        wire.isLate = true
        near.destroy()
        setTimeout(() => far.end(chunk), LATE_MS)
        break
      case 'slow':
        far.pause()
        setTimeout(() => far.resume(), SLOW_MS)
        far.write(chunk)
        break
      case 'silence':
        far.write(chunk)
        break
      default:
        cut satisfies never
    }
  }
}
