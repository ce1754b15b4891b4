import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuiltBerth, withoutOurVariables } from '../scripts/built-berth.ts'
import { Nova } from './nova-plugin/nova.ts'

const FAILURES_SHOWN = 4_000

/** The option `--stand` of scripts that need a stand. */
export const standOption = {
  type: 'string',
  default: fileURLToPath(new URL('../../shared/stands/nova', import.meta.url)),
} as const

interface Ended {
  readonly code: number
  readonly out: string
}

interface RunOptions {
  /** Prints the output as it comes. Default: true. */
  readonly isShown?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** Runs the scripts of the Nova stand: up.sh, ctl.sh, check.sh, down.sh. Each Stand has its own run directory. */
export class Stand {
  readonly runDirectory: string
  readonly #scripts: string
  #env: Readonly<Record<string, string>>
  #running: ChildProcess | null = null

  private constructor(scripts: string, runDirectory: string, env: Readonly<Record<string, string>>) {
    this.#scripts = resolve(scripts)
    this.runDirectory = runDirectory
    this.#env = env
    // A killed script makes the test end, which stops the rest by down.sh.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => this.#running?.kill())
  }

  /** `env` is for all scripts. Ends the process if there is no stand in the directory. */
  static async open(scripts: string, env: Readonly<Record<string, string>> = {}): Promise<Stand> {
    if (!existsSync(join(scripts, 'up.sh'))) {
      console.error(`there is no stand at ${scripts}: name its directory with --stand`)
      process.exit(2)
    }
    return new Stand(scripts, await mkdtemp(join(tmpdir(), 'nova-stand-')), env)
  }

  /** Adds environment variables for all later scripts. */
  export(env: Readonly<Record<string, string>>): void {
    this.#env = { ...this.#env, ...env }
  }

  /** Runs a program in the run directory. */
  async run(
    program: string,
    args: readonly string[],
    { isShown = true, env = {} }: RunOptions = {},
  ): Promise<Ended> {
    const child = spawn(program, args, {
      env: { ...withoutOurVariables(), ...this.#env, STAND_RUN: this.runDirectory, ...env },
      cwd: this.runDirectory,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#running = child
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (isShown) process.stdout.write(text)
    })
    const [code] = (await once(child, 'close')) as [number | null]
    return { code: code ?? 1, out }
  }

  runScript(name: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Ended> {
    return this.run(join(this.#scripts, name), args, options)
  }

  /** Starts Nova with this server as its Placement. */
  async start(
    berth: BuiltBerth,
    computes: number,
    placement = { url: `${berth.url}/placement`, token: berth.token },
  ): Promise<Nova> {
    const flags = ['--placement-url', placement.url, '--placement-token', placement.token]
    assert.equal((await this.runScript('up.sh', [...flags, '--computes', String(computes)])).code, 0)
    const { nova, hosts } = JSON.parse(await readFile(join(this.runDirectory, 'stand.json'), 'utf8'))
    return new Nova(nova, hosts, berth)
  }

  /** Writes a clouds.yaml with the Nova of the stand as cloud `stand`. Returns its path. */
  async writeCloudsYaml({ url }: Nova): Promise<string> {
    const path = join(this.runDirectory, 'clouds.yaml')
    const auth = `{token: 'admin:demo', endpoint: '${url}'}`
    const cloud = `{auth_type: admin_token, auth: ${auth}, compute_endpoint_override: '${url}'}`
    await writeFile(path, `clouds:\n  stand: ${cloud}\n`)
    return path
  }

  /** Runs the checks of the stand, all or some sections. Fails unless all pass. */
  async check(sections: readonly string[] = []): Promise<void> {
    const { code, out } = await this.runScript('check.sh', sections)
    const last = out.trimEnd().split('\n').at(-1) ?? ''
    assert.match(last, /^[1-9]\d* passed, 0 failed$/, out.slice(-FAILURES_SHOWN))
    assert.equal(code, 0)
  }

  /** Stops Nova and removes the run directory. With `logs`, keeps its logs in that directory. */
  async end(logs?: string): Promise<void> {
    const log = join(this.runDirectory, 'log')
    if (logs !== undefined && existsSync(log)) await cp(log, logs, { recursive: true })
    await this.runScript('down.sh')
    await rm(this.runDirectory, { recursive: true, force: true })
  }
}
