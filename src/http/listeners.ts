import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, type ListenOptions, Server as NetServer, type Socket } from 'node:net'

/**
 * Sockets per address. Each turn of the event loop accepts one connection per socket, however many wait: with a single
 * one, new clients and health checks starve while a thousand busy connections make turns long.
 */
const SOCKETS_PER_ADDRESS = 16

/** The addresses of a server, each with several sockets where the system lets them share a port. */
export class Listeners {
  readonly #server: Server
  readonly #others: NetServer[] = []
  readonly #isTls: boolean

  constructor(server: Server, isTls: boolean) {
    this.#server = server
    this.#isTls = isTls
  }

  /**
   * `localhost` listens on both of its addresses, if there are two. `listenFirst` makes the server itself listen.
   * Rejects with EADDRINUSE if the port is in use, even by a process that would share it.
   */
  async open(
    { host, port }: { readonly host: string; readonly port: number },
    listenFirst: (options: ListenOptions) => Promise<unknown>,
  ): Promise<AddressInfo[]> {
    const found = await lookup(host, { all: true })
    const [first, second] = [
      found[0]?.address as string,
      host === 'localhost' ? found[1]?.address : undefined,
    ]
    if (port !== 0) await requireFree(first, port)
    let reusePort = true
    try {
      await listenFirst({ host: first, port, reusePort })
    } catch (error) {
      if (!isUnsupported(error)) throw error
      reusePort = false
      await listenFirst({ host: first, port })
    }
    const address = this.#server.address() as AddressInfo
    const addresses = [address]
    if (reusePort) await this.#share(first, address.port, SOCKETS_PER_ADDRESS - 1)
    if (second !== undefined && (await this.#openSecond(second, address.port, reusePort)))
      addresses.push({ ...(this.#others.at(-1)?.address() as AddressInfo) })
    return addresses
  }

  /** False if the machine lacks the address or its port is in use. */
  async #openSecond(host: string, port: number, reusePort: boolean): Promise<boolean> {
    try {
      await requireFree(host, port)
      if (reusePort) await this.#share(host, port, SOCKETS_PER_ADDRESS)
      else await this.#add({ host, port })
      return true
    } catch {
      return false
    }
  }

  async #share(host: string, port: number, sockets: number): Promise<void> {
    for (let nth = 0; nth < sockets; nth++) await this.#add({ host, port, reusePort: true })
  }

  /** As HTTP and TLS servers open their own. */
  async #add(options: ListenOptions): Promise<void> {
    const other = new NetServer({ allowHalfOpen: !this.#isTls, noDelay: true })
    other.on('connection', (socket: Socket) => this.#server.emit('connection', socket))
    await waitForListening(other, options)
    this.#others.push(other)
  }

  /** Refuses new connections and keeps open ones. Resolves when all of them have ended. */
  async close(): Promise<void> {
    // The method of HTTP servers would also end idle connections.
    const all = [this.#server, ...this.#others].filter(one => one.listening)
    await Promise.all(all.map(one => new Promise(resolve => NetServer.prototype.close.call(one, resolve))))
  }
}

async function waitForListening(server: NetServer, options: ListenOptions): Promise<void> {
  server.listen(options)
  await once(server, 'listening')
}

/** A port can be shared with another process of the same user. A socket that does not share it detects that. */
async function requireFree(host: string, port: number): Promise<void> {
  const probe = new NetServer()
  await waitForListening(probe, { host, port, exclusive: true })
  await new Promise(resolve => probe.close(resolve))
}

const isUnsupported = (error: unknown): boolean =>
  ['ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOPROTOOPT'].includes((error as NodeJS.ErrnoException).code ?? '')
