/**
 * The least that an answer costs on this machine: a server that has it ready and only sends it. One is Node's own HTTP
 * server, the other a bare socket that reads only the wanted number of bytes. `node bench/bare-server.ts http` is the first.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Figures, measure, type Target } from './measure.ts'

const SELF = fileURLToPath(import.meta.url)

export class BareServer implements Target {
  readonly name: 'http' | 'socket'
  url = ''
  #child: ChildProcess | null = null

  constructor(name: 'http' | 'socket') {
    this.name = name
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [SELF, this.name], { stdio: ['ignore', 'pipe', 'inherit'] })
    process.once('exit', () => child.kill('SIGKILL'))
    this.#child = child
    const [port] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
    this.url = `http://127.0.0.1:${String(port).trim()}`
  }

  pids(): readonly number[] {
    return this.#child?.pid === undefined ? [] : [this.#child.pid]
  }

  /** Measures answers of so many bytes. */
  figures(bytes: number, forMs: number): Promise<Figures> {
    return measure(this, () => ({ method: 'GET', path: `/${Math.round(bytes)}`, body: null }), {
      clients: 1,
      forMs,
    })
  }

  stop(): void {
    this.#child?.kill('SIGTERM')
  }
}

/** Mostly the same as the last one. */
function readyAnswers(make: (bytes: number) => Buffer): (bytes: number) => Buffer {
  let ready = make(0)
  let size = 0
  return bytes => {
    if (bytes !== size) {
      ready = make(bytes)
      size = bytes
    }
    return ready
  }
}

function httpServer() {
  const answers = readyAnswers(bytes => Buffer.alloc(bytes, 'x'))
  return createHttpServer((request, response) => {
    const body = answers(Number(request.url?.slice(1)))
    response.writeHead(200, ['content-type', 'application/json', 'content-length', String(body.length)])
    response.end(body)
  })
}

function socketServer() {
  const answers = readyAnswers(bytes =>
    Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`,
    ),
  )
  return createSocketServer({ noDelay: true }, socket => {
    socket.on('data', asked => socket.write(answers(Number.parseInt(asked.toString('latin1', 5, 15), 10))))
    socket.on('error', () => socket.destroy())
  })
}

if (process.argv[1] === SELF) {
  const server = process.argv[2] === 'socket' ? socketServer() : httpServer()
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
}
