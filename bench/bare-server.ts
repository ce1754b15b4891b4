/** What Node's own HTTP server takes to answer nothing: less is not to be had. `node bench/bare-server.ts` is that server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Figures, measure, type Target } from './measure.ts'

const SELF = fileURLToPath(import.meta.url)

export class BareServer implements Target {
  readonly name = 'bare'
  url = ''
  #child: ChildProcess | null = null

  async start(): Promise<void> {
    const child = spawn(process.execPath, [SELF], { stdio: ['ignore', 'pipe', 'inherit'] })
    process.once('exit', () => child.kill('SIGKILL'))
    this.#child = child
    const [port] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
    this.url = `http://127.0.0.1:${String(port).trim()}`
  }

  pids(): readonly number[] {
    return this.#child?.pid === undefined ? [] : [this.#child.pid]
  }

  figures(forMs: number): Promise<Figures> {
    return measure(this, () => ({ method: 'GET', path: '/', body: null }), { clients: 1, forMs })
  }

  stop(): void {
    this.#child?.kill('SIGTERM')
  }
}

if (process.argv[1] === SELF) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '2' }).end('{}')
  })
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
}
