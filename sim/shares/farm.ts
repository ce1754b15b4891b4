/** Several servers on one PostgreSQL and one file system with share back ends, and questions to them. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/free-port.ts'
import { type Postgres, startPostgres } from '../../test/postgres.ts'
import { Server } from '../history/server.ts'

interface FarmOptions {
  readonly backends: number
  readonly servers: number
  readonly leaseMs: number
  readonly delayS: number
}

interface Said {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  readonly json: any
}

const ANSWER_MS_MAX = 8_000
const POOL = 'p'

export class Farm {
  readonly servers: readonly Server[]
  readonly #postgres: Postgres
  readonly #directory: string
  readonly #options: FarmOptions

  private constructor(
    postgres: Postgres,
    directory: string,
    servers: readonly Server[],
    options: FarmOptions,
  ) {
    this.#postgres = postgres
    this.#directory = directory
    this.servers = servers
    this.#options = options
  }

  static async start(options: FarmOptions): Promise<Farm> {
    const postgres = await startPostgres()
    const database = await postgres.newDatabase()
    const directory = mkdtempSync(join(tmpdir(), 'berth-farm-'))
    const backends = Array.from({ length: options.backends }, (_, at) => {
      const root = join(directory, 'disks', `b${at}`)
      mkdirSync(root, { recursive: true })
      const pools = [{ name: POOL, total_gb: 1000 }]
      return { name: `b${at}`, driver: 'directory', root, delay_s: options.delayS, pools }
    })
    const file = { host: 'farm', default_share_type: 'default', share_types: [{ name: 'default' }], backends }
    const servers: Server[] = []
    for (let at = 0; at < options.servers; at++) {
      const data = join(directory, `data-${at}`)
      mkdirSync(data)
      writeFileSync(join(data, 'backends.json'), JSON.stringify(file))
      const settings = { only: 'share', 'data-dir': data, 'share-lease-ms': options.leaseMs }
      servers.push(new Server({ name: String(at), port: await freePort(), database, settings }))
    }
    const farm = new Farm(postgres, directory, servers, options)
    for (const server of servers) await server.start()
    return farm
  }

  /** Null if the outcome is unknown: no answer, or one that says so. */
  async ask(server: Server, method: string, path: string, body?: unknown): Promise<Said | null> {
    try {
      const answer = await fetch(`${server.url}${path.startsWith('/v1') ? '' : '/v2'}${path}`, {
        method,
        headers: {
          'x-auth-token': 'admin:ops',
          'x-openstack-manila-api-version': '2.72',
          'x-openstack-manila-api-experimental': 'True',
          'content-type': 'application/json',
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      })
      const text = await answer.text()
      if (answer.status >= 500) return null
      return { status: answer.status, json: text === '' ? null : JSON.parse(text) }
    } catch {
      return null
    }
  }

  /** By back end: the directories of shares on the file system. */
  onDisk(): Map<string, string[]> {
    const found = new Map<string, string[]>()
    for (let at = 0; at < this.#options.backends; at++) {
      const root = join(this.#directory, 'disks', `b${at}`)
      const names = readdirSync(root).includes(POOL) ? readdirSync(join(root, POOL)) : []
      found.set(`farm@b${at}#${POOL}`, names.filter(name => name !== '.snapshots').sort())
    }
    return found
  }

  /** By back end: `SHARE CLIENT` for each client in its exports file. */
  exported(): Map<string, string[]> {
    const found = new Map<string, string[]>()
    for (let at = 0; at < this.#options.backends; at++) {
      const file = join(this.#directory, 'disks', `b${at}`, '.berth', 'exports')
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
      const pairs = lines.flatMap(line => {
        const [path = '', ...clients] = line.startsWith('/') ? line.split(' ') : []
        return clients.map(client => `${path.split('/').at(-1)} ${client.split('(')[0]}`)
      })
      found.set(`farm@b${at}#${POOL}`, pairs.sort())
    }
    return found
  }

  /** What is in the staging directories of the newest epochs: nothing, once all work is done. */
  inStaging(): string[] {
    return Array.from({ length: this.#options.backends }, (_, at) => {
      const books = join(this.#directory, 'disks', `b${at}`, '.berth')
      // A back end that was never used has none.
      if (!existsSync(books)) return []
      const all = readdirSync(books, { recursive: true, withFileTypes: true })
      return all
        .filter(({ name }) => !/^(epoch-|[0-9a-f-]{36}$|exports$|\.berth-exports$)/.test(name))
        .map(({ name }) => `b${at}: ${name}`)
    }).flat()
  }

  async end(): Promise<void> {
    for (const server of this.servers) server.thaw()
    await Promise.all(this.servers.map(server => server.remove()))
    await this.#postgres.remove()
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
