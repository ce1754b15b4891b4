/**
 * A proxy that gives every transaction another connection to the server, as ProxySQL may: nothing that a session sets
 * outside of one lasts. It can log in again for its client only because the user has no password.
 */
import { connect, createServer, type Socket } from 'node:net'

const CONNECTIONS_PER_CLIENT = 3
const IN_TRANSACTION = 0x0001
const MORE_RESULTS = 0x0008

/** Cuts a stream into packets: three bytes of length, one of sequence, and the body. */
class Packets {
  #rest: Buffer = Buffer.alloc(0)

  take(chunk: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const packets: Buffer[] = []
    while (this.#rest.length >= 4) {
      const length = 4 + this.#rest.readUIntLE(0, 3)
      if (this.#rest.length < length) break
      packets.push(this.#rest.subarray(0, length))
      this.#rest = this.#rest.subarray(length)
    }
    return packets
  }
}

/** Follows an answer to its end. Column definitions are counted; an EOF or OK has the status of the server. */
class AnswerParser {
  status = 0
  #state: 'header' | 'columns' | 'rows' = 'header'
  #columnsLeft = 0

  /** Whether this packet ends the answer. */
  isEnd(packet: Buffer): boolean {
    const body = packet.subarray(4)
    const kind = body[0] as number
    if (kind === 0xff) return this.#end()
    if (this.#state === 'header' && kind !== 0x00) {
      this.#columnsLeft = kind
      this.#state = 'columns'
      return false
    }
    // The EOF after the columns is counted as one more.
    if (this.#state === 'columns') {
      if (--this.#columnsLeft < 0) this.#state = 'rows'
      return false
    }
    const isEof = this.#state === 'rows' && kind === 0xfe && body.length < 9
    if (this.#state === 'rows' && !isEof) return false
    this.status = isEof ? body.readUInt16LE(3) : readStatusOfOk(body)
    this.#state = 'header'
    return (this.status & MORE_RESULTS) === 0
  }

  #end(): boolean {
    this.#state = 'header'
    return true
  }
}

/** Behind two numbers of variable length: the rows affected, and the last id. */
function readStatusOfOk(body: Buffer): number {
  const skip = (at: number) => at + ({ 252: 3, 253: 4, 254: 9 }[body[at] as number] ?? 1)
  return body.readUInt16LE(skip(skip(1)))
}

interface Backend {
  readonly socket: Socket
  readonly packets: Packets
  /** The greeting and the OK of a login are not for the client. */
  hidden: number
}

class Client {
  readonly #near: Socket
  readonly #port: number
  readonly #backends: Backend[] = []
  readonly #answer = new AnswerParser()
  #login: Buffer | null = null
  #current = 0
  #isAuthenticated = false
  switches = 0

  constructor(near: Socket, port: number) {
    this.#near = near
    this.#port = port
    const packets = new Packets()
    near.on('data', chunk => {
      for (const packet of packets.take(chunk)) this.#send(packet)
    })
    near.on('error', () => undefined)
    near.on('close', () => {
      for (const { socket } of this.#backends) socket.destroy()
    })
    this.#open(0)
  }

  #open(hidden: number): Backend {
    const backend = {
      socket: connect({ port: this.#port, host: '127.0.0.1' }),
      packets: new Packets(),
      hidden,
    }
    backend.socket.on('data', chunk => {
      for (const packet of backend.packets.take(chunk)) this.#receive(backend, packet)
    })
    backend.socket.on('error', () => undefined)
    backend.socket.on('close', () => this.#near.destroy())
    this.#backends.push(backend)
    return backend
  }

  /** A command outside of a transaction goes to the next connection. */
  #send(packet: Buffer): void {
    if (this.#login === null) this.#login = packet
    else if (packet[3] === 0 && (this.#answer.status & IN_TRANSACTION) === 0) {
      this.#current = (this.#current + 1) % CONNECTIONS_PER_CLIENT
      this.switches++
      while (this.#backends.length <= this.#current) this.#open(2).socket.write(this.#login)
    }
    this.#backends[this.#current]?.socket.write(packet)
  }

  #receive(backend: Backend, packet: Buffer): void {
    if (backend.hidden > 0) {
      backend.hidden--
      return
    }
    if (!this.#isAuthenticated) this.#isAuthenticated = this.#login !== null
    else if (backend === this.#backends[this.#current]) this.#answer.isEnd(packet)
    this.#near.write(packet)
  }
}

export async function startMultiplexingProxy(port: number) {
  const clients: Client[] = []
  const server = createServer(near => void clients.push(new Client(near, port)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    countSwitches: () => clients.reduce((sum, client) => sum + client.switches, 0),
    stop: () => void server.close(),
  }
}
