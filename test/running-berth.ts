/** A whole server in this process, on its own store, and a client for it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../src/config/keys.ts'
import { resolveConfig } from '../src/config/resolve.ts'
import { type RunningServer, startServer } from '../src/server/start.ts'
import { checkRoutes } from './checked-routes.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body, parsed; null when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  readonly json: any
}

export interface Ask {
  readonly minor?: number
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

export class Berth {
  readonly directory: string
  readonly server: RunningServer
  readonly logLines: readonly string[]
  /** Where Placement is, below the server's address. */
  readonly mount: string
  /** Requests and answers that are not as their routes declare them. */
  readonly #faults: readonly string[]

  private constructor(
    directory: string,
    server: RunningServer,
    logLines: string[],
    mount: string,
    faults: readonly string[],
  ) {
    this.#faults = faults
    this.directory = directory
    this.server = server
    this.logLines = logLines
    this.mount = mount
  }

  /** Where the work of the server is counted, its routes are not checked. */
  static async start(overrides: Partial<Config> = {}, checksRoutes = true): Promise<Berth> {
    const directory = overrides.data_dir ?? (await mkdtemp(join(tmpdir(), 'berth-')))
    const config = {
      ...ordinaryConfig(),
      port: 0,
      auth: 'noauth2',
      rbac: 'legacy',
      catalog_builtin: false,
      ...overrides,
      data_dir: directory,
    } as Config
    const logLines: string[] = []
    const server = await startServer(config, {
      version: 'test',
      log: text => logLines.push(...linesIn(text)),
    })
    const faults = checksRoutes ? checkRoutes(server.routes) : []
    return new Berth(directory, server, logLines, config.only === null ? '/placement' : '', faults)
  }

  async ask(method: string, path: string, { minor, body, raw, headers }: Ask = {}): Promise<Answer> {
    const sent: Record<string, string> = { 'x-auth-token': 'admin' }
    if (minor !== undefined) sent['openstack-api-version'] = `placement 1.${minor}`
    if (body !== undefined || raw !== undefined) sent['content-type'] = 'application/json'
    const answer = await fetch(`${this.server.url}${path.startsWith('/v1') ? '' : this.mount}${path}`, {
      method,
      headers: { ...sent, ...headers },
      body: raw ?? (body === undefined ? null : JSON.stringify(body)),
      redirect: 'manual',
    })
    const text = await answer.text()
    const isJson = text !== '' && /\bjson\b/.test(answer.headers.get('content-type') ?? '')
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : null }
  }

  /** Ends the server; the directory stays. */
  async stop(): Promise<void> {
    await this.server.drain()
    if (this.#faults.length > 0) throw new Error(`not as declared:\n${this.#faults.join('\n')}`)
  }

  async end(): Promise<void> {
    await this.stop()
    await rm(this.directory, { recursive: true, force: true })
  }
}

export function ordinaryConfig(): Config {
  const resolved = resolveConfig({ flags: {}, env: {}, file: null, terminal: false })
  if (!resolved.ok) throw new Error('the defaults are no configuration')
  return resolved.values
}

export const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** The log hands over several lines at once where they were written in one turn of the event loop. */
const linesIn = (text: string): string[] => text.split('\n').filter(line => line !== '')
