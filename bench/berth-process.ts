/** The built Berth in its own process, which can be restarted on the same data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { withoutOurVariables } from '../scripts/built-berth.ts'
import { cpuSeconds } from '../sim/figures/machine.ts'
import type { Target } from './measure.ts'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** No server and no data directory outlives the run, even an interrupted one. */
const running = new Set<ChildProcess>()
const directories = new Set<string>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

export class BerthProcess implements Target {
  readonly name = 'berth'
  readonly directory: string
  #child: ChildProcess | null = null
  #origin = ''

  readonly #flags: readonly string[]
  readonly #main: string

  /** With settings in addition to those of every measurement, in a new directory or that of another. `main`: of another build. */
  constructor(flags: readonly string[] = [], directory?: string, main = MAIN) {
    this.#flags = flags
    this.#main = main
    this.directory = directory ?? mkdtempSync(join(tmpdir(), 'berth-bench-'))
    directories.add(this.directory)
  }

  /** The address of the Placement API. */
  get url(): string {
    return `${this.#origin}/placement`
  }

  get origin(): string {
    return this.#origin
  }

  pids(): readonly number[] {
    return this.#child?.pid === undefined ? [] : [this.#child.pid]
  }

  /** Returns how long it took to listen. */
  async start(
    nodeFlags: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly wallMs: number; readonly cpuMs: number }> {
    const beganMs = performance.now()
    const flags = ['--port', '0', '--auth', 'noauth2', '--rbac', 'secure', '--log-level', 'warn']
    const child = spawn(
      process.execPath,
      [
        ...nodeFlags,
        this.#main,
        'serve',
        '--data-dir',
        join(this.directory, 'data'),
        ...flags,
        ...this.#flags,
      ],
      {
        cwd: this.directory,
        env: { ...withoutOurVariables(), ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    running.add(child)
    child.once('exit', () => running.delete(child))
    this.#child = child
    const ended = once(child, 'exit').then(([code]) => `it ended with ${code}`)
    const lines = createInterface(child.stdout)
    const line = await Promise.race([once(lines, 'line').then(([first]) => String(first)), ended])
    const origin = / listens on (http:\S+)/.exec(line)?.[1]
    if (origin === undefined) throw new Error(`berth did not start: ${line}`)
    this.#origin = origin.replace('//localhost', '//127.0.0.1').replace(/\/$/, '')
    return { wallMs: performance.now() - beganMs, cpuMs: 1_000 * cpuSeconds(child.pid as number) }
  }

  /** Its resident memory. */
  residentBytes(): number {
    const status = readFileSync(`/proc/${this.#child?.pid}/status`, 'utf8')
    return 1_024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
  }

  async stop(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.directory, { recursive: true, force: true })
    directories.delete(this.directory)
  }
}
