/** A separate Berth process that can be killed, frozen and restarted at the same address. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HttpClient } from './client.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const MUTATE = fileURLToPath(new URL('mutate.ts', import.meta.url))
const START_MS_MAX = 60_000
const START_TRIES = 3
const LOG_LINES_MAX = 200

/** No server may outlive this process, frozen or not. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

interface ServerRequest {
  readonly name: string
  readonly port: number
  readonly database: string
  /** By flag, without the dashes; null omits a flag. */
  readonly settings: Readonly<Record<string, string | number | null>>
  /** A defect to plant. */
  readonly mutation?: string | undefined
}

export class Server {
  readonly name: string
  readonly client: HttpClient
  readonly url: string
  readonly #request: ServerRequest
  readonly #directory = mkdtempSync(join(tmpdir(), 'berth-sim-'))
  readonly #log: string[] = []
  #child: ChildProcess | null = null
  #ended: string | null = null

  constructor(request: ServerRequest) {
    this.name = request.name
    this.#request = request
    this.url = `http://127.0.0.1:${request.port}`
    this.client = new HttpClient(this.url)
  }

  /** How it ended unexpectedly; null if it did not. */
  get endedByItself(): string | null {
    return this.#ended
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** The last lines it wrote. */
  log(lines = LOG_LINES_MAX): string {
    return this.#log.slice(-lines).join('\n')
  }

  /** On a busy machine the database may not answer in the short time that these servers wait: then once more. */
  async start(): Promise<void> {
    for (let tries = 1; !(await this.#startOnce()); tries++) {
      if (tries === START_TRIES) throw new Error(`server ${this.name} does not start:\n${this.log()}`)
      await this.kill()
      this.#ended = null
    }
  }

  async #startOnce(): Promise<boolean> {
    const { mutation } = this.#request
    const mutate = mutation === undefined ? [] : ['--import', MUTATE]
    const child = spawn(process.execPath, [...mutate, MAIN, 'serve', ...this.#flags()], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(mutation !== undefined && { BERTH_SIM_MUTATION: mutation }) },
    })
    this.#child = child
    running.add(child)
    child.once('exit', () => running.delete(child))
    const listening = new Promise<boolean>(resolve => {
      const take = (chunk: Buffer) => {
        const text = String(chunk)
        this.#log.push(...text.trimEnd().split('\n'))
        this.#log.splice(0, this.#log.length - LOG_LINES_MAX)
        if (text.includes('listens on')) resolve(true)
      }
      child.stdout.on('data', take)
      child.stderr.on('data', take)
      child.once('exit', (code, signal) => {
        if (this.#child === child) this.#ended = `it ended with ${signal ?? code}`
        resolve(false)
      })
      setTimeout(() => resolve(false), START_MS_MAX).unref()
    })
    return listening
  }

  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  /** Ends it. */
  async remove(): Promise<void> {
    await this.kill()
    this.client.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #flags(): string[] {
    const { port, database, settings } = this.#request
    const all = {
      only: 'placement',
      port,
      auth: 'noauth2',
      rbac: 'open',
      'log-format': 'text',
      'log-level': 'warn',
      database,
      'data-dir': this.#directory,
      ...settings,
    }
    return Object.entries(all).flatMap(([name, value]) =>
      value === null ? [] : [`--${name}`, String(value)],
    )
  }
}
