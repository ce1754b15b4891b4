/** The server under test in its own process, its log and its end. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../src/config/keys.ts'
import { verifyOffline } from '../../src/server/start.ts'
import type { VerifyReport } from '../../src/store/verify/verify-world.ts'
import { ordinaryConfig } from '../../test/running-berth.ts'
import type { Message, Usage } from './child.ts'

const START_MS_MAX = 60_000
const ANSWER_MS_MAX = 60_000
const STOP_MS_MAX = 60_000
const LINES_MAX = 200

export class FuzzedServer {
  readonly directory: string
  readonly url: URL
  readonly #child: ChildProcess
  readonly #errors: string[] = []
  readonly #warnings = new Map<string, number>()
  #isStopping = false
  #ended: string | null = null

  private constructor(directory: string, url: URL, child: ChildProcess) {
    this.directory = directory
    this.url = url
    this.#child = child
    let rest = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() as string
      for (const line of lines) this.#takeLine(line)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#addError(`stderr: ${text.trim()}`))
    child.once('exit', (code, signal) => {
      this.#ended = `code ${code}, signal ${signal}`
      if (!this.#isStopping) this.#addError(`the process ended: ${this.#ended}`)
    })
  }

  static async start(): Promise<FuzzedServer> {
    const directory = mkdtempSync(join(tmpdir(), 'berth-fuzz-'))
    const child = fork(new URL('child.ts', import.meta.url).pathname, [directory], {
      execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    process.once('exit', () => child.kill('SIGKILL'))
    let said = ''
    const listen = (text: unknown) => {
      said += String(text)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    const signal = AbortSignal.timeout(START_MS_MAX)
    const [ready] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(() => {
        throw new Error(`the server did not start:\n${said}`)
      }),
    ])
    child.stdout?.off('data', listen)
    child.stderr?.off('data', listen)
    return new FuzzedServer(directory, new URL(ready.url), child)
  }

  /** Lines of the log that report an error, what came on stderr, and the end of the process. */
  get errors(): readonly string[] {
    return this.#errors
  }

  /** Messages of warnings and how many there were. */
  get warnings(): ReadonlyMap<string, number> {
    return this.#warnings
  }

  get hasEnded(): boolean {
    return this.#ended !== null
  }

  secret(name: string): string {
    return readFileSync(join(this.directory, 'data', name), 'utf8').trim()
  }

  async measure({ collect }: { readonly collect: boolean }): Promise<Usage> {
    const answer = once(this.#child, 'message', { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    this.#child.send({ kind: 'measure', collect } satisfies Message)
    return (await answer)[0]
  }

  /** Stops it as an operator would, then checks its data. Null: it did not stop by itself. */
  async stop(): Promise<VerifyReport | null> {
    if (this.hasEnded) return null
    this.#isStopping = true
    const ended = once(this.#child, 'exit', { signal: AbortSignal.timeout(STOP_MS_MAX) })
    this.#child.send({ kind: 'stop' } satisfies Message)
    const [code] = await ended.catch(() => [null])
    if (code !== 0) {
      this.#child.kill('SIGKILL')
      return null
    }
    return verifyOffline({ ...ordinaryConfig(), data_dir: join(this.directory, 'data') } as Config)
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }

  #takeLine(line: string): void {
    if (line === '') return
    try {
      const { level, msg } = JSON.parse(line)
      if (level === 'warn') this.#warnings.set(msg, (this.#warnings.get(msg) ?? 0) + 1)
      else if (level === 'error') this.#addError(line)
    } catch {
      this.#addError(`not a line of the log: ${line}`)
    }
  }

  #addError(text: string): void {
    if (this.#errors.length < LINES_MAX) this.#errors.push(text)
  }
}
