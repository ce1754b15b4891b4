/** Debian's Placement and a built Berth, each on a port of its own, which can be killed and started again. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { withoutOurVariables } from '../../scripts/built-berth.ts'
import { freePort } from '../../scripts/free-port.ts'

const START_MS_MAX = 60_000

const BERTH: string = fileURLToPath(new URL('../../bin/berth', import.meta.url))
const PLACEMENT = fileURLToPath(new URL('../placement-ledger/serve-placement.py', import.meta.url))

const UWSGI = '/usr/bin/uwsgi'
/** Each process opens connections of its own, as Debian's placement-api does. */
const UWSGI_FLAGS = [
  ...['--plugin', 'python3', '--master', '--need-app', '--lazy-apps', '--processes', '2', '--threads', '4'],
  ...[
    '--enable-threads',
    '--buffer-size',
    '65535',
    '--listen',
    '100',
    '--disable-logging',
    '--logto',
    '/dev/null',
  ],
  ...['--rem-header', 'Content-Length', '--add-header', 'Connection: close'],
]

export class Program {
  readonly url: string
  readonly #command: readonly string[]
  readonly #directory: string
  #child: ChildProcess | null = null

  private constructor(port: number, command: readonly string[], directory: string) {
    this.url = `http://127.0.0.1:${port}`
    this.#command = command
    this.#directory = directory
  }

  /** In several processes, if there is a uWSGI and a database server for them. */
  static async placement(connection: string | null): Promise<Program> {
    const port = await freePort()
    const directory = await mkdtemp(join(tmpdir(), 'shadowed-'))
    const args = [directory, String(port), ...(connection === null ? [] : [connection])]
    const inOne = ['/usr/bin/python3', PLACEMENT, ...args]
    // Otherwise its processes would create the tables at once.
    if (connection !== null)
      await promisify(execFile)('/usr/bin/python3', [PLACEMENT, directory, 'sync', connection])
    const inSeveral = [UWSGI, ...UWSGI_FLAGS, '--http-socket', `127.0.0.1:${port}`, '--wsgi-file', PLACEMENT]
    const command =
      connection === null || !existsSync(UWSGI) ? inOne : [...inSeveral, '--pyargv', args.join(' ')]
    const program = new Program(port, command, directory)
    await program.start()
    return program
  }

  static async berth(...flags: readonly string[]): Promise<Program> {
    const port = await freePort()
    const directory = await mkdtemp(join(tmpdir(), 'shadowing-'))
    await mkdir(join(directory, 'berth-data'), { mode: 0o700 })
    const command = [
      BERTH,
      'serve',
      '--port',
      String(port),
      '--log-level',
      'error',
      '--auth',
      'noauth2',
      ...flags,
    ]
    const program = new Program(port, command, directory)
    await program.start()
    return program
  }

  get pid(): number {
    return this.#child?.pid as number
  }

  async start(): Promise<void> {
    const [program = '', ...args] = this.#command
    this.#child = spawn(program, args, {
      cwd: this.#directory,
      env: withoutOurVariables(),
      stdio: ['ignore', 'ignore', 'inherit'],
      // A group of its own, so that its processes end with it.
      detached: true,
    })
    for (const endMs = Date.now() + START_MS_MAX; Date.now() < endMs; await sleep(100))
      if (
        await fetch(this.url).then(
          answer => answer.body?.cancel().then(() => true) ?? true,
          () => false,
        )
      )
        return
    throw new Error(`${program} does not start`)
  }

  async kill9(): Promise<void> {
    const child = this.#child as ChildProcess
    const ended = once(child, 'exit')
    process.kill(-(child.pid as number), 'SIGKILL')
    await ended
  }

  /** Gives consumers again to allocations that have lost theirs. */
  async restoreConsumers(): Promise<void> {
    const conf = join(this.#directory, 'placement.conf')
    await promisify(execFile)('/usr/bin/placement-manage', [
      '--config-file',
      conf,
      'db',
      'online_data_migrations',
    ])
  }

  /** A Berth without anything in its store. */
  async restartEmpty(): Promise<void> {
    await this.kill9()
    await rm(join(this.#directory, 'berth-data'), { recursive: true, force: true })
    await mkdir(join(this.#directory, 'berth-data'), { mode: 0o700 })
    await this.start()
  }

  async remove(): Promise<void> {
    await this.kill9().catch(() => undefined)
    await rm(this.#directory, { recursive: true, force: true })
  }
}

/** Runs a command of `berth` and returns what it printed; the exit code first. */
export async function runBerth(url: string, ...args: readonly string[]): Promise<readonly [number, string]> {
  const env = {
    ...withoutOurVariables(),
    BERTH_URL: url,
    BERTH_TOKEN: 'admin',
    BERTH_PLACEMENT_TOKEN: 'admin',
  }
  try {
    const { stdout } = await promisify(execFile)(BERTH, args, { env, maxBuffer: 64 * 1024 * 1024 })
    return [0, stdout]
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return [code, `${stdout}${stderr}`]
  }
}
