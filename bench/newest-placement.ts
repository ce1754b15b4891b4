/**
 * Upstream's newest Placement from a checkout, on Debian's libraries, uwsgi and the MariaDB of `RealPlacement`, tuned as
 * its documentation recommends for wide trees. It gets a copy of that one's database, upgraded by its own command.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './measure.ts'
import type { RealPlacement } from './real-placement.ts'

const PORT = 18_221
/** Debian's: its libraries are installed for no other. */
const PYTHON = '/usr/bin/python3'
const CANDIDATES_MAX = 1_000
const START_MS_MAX = 30_000
const STOP_MS_MAX = 10_000

export class NewestPlacement implements Target {
  readonly name = 'newest'
  readonly url = `http://127.0.0.1:${PORT}`
  readonly #checkout: string
  readonly #elder: RealPlacement
  readonly #directory: string

  /** `elder` has the cloud and its database server runs. */
  constructor(checkout: string, elder: RealPlacement) {
    this.#checkout = checkout
    this.#elder = elder
    this.#directory = join(elder.dataDirectory, 'newest')
  }

  /** What git calls the checkout, such as 15.0.0-7-g7ad9ef07. */
  static versionOf(checkout: string): string {
    return execFileSync('git', ['-C', checkout, 'describe', '--tags'], { encoding: 'utf8' }).trim()
  }

  async start(): Promise<void> {
    this.stop()
    rmSync(this.#directory, { recursive: true, force: true })
    mkdirSync(join(this.#directory, 'policy.d'), { recursive: true })
    const database = `${this.#elder.database}_newest`
    this.#elder.copyDatabase(database)
    writeFileSync(this.#file('placement.conf'), placementConf(this.#directory, database))
    writeFileSync(this.#file('uwsgi.ini'), uwsgiIni(this.#directory))
    this.#checkImport()
    execFileSync(
      PYTHON,
      ['-m', 'placement.cmd.manage', '--config-file', this.#file('placement.conf'), 'db', 'sync'],
      { cwd: this.#directory, env: this.#environment(), stdio: ['ignore', 'ignore', 'pipe'] },
    )
    // Also when the run is interrupted.
    process.once('exit', () => this.stop())
    spawn('uwsgi', ['--ini', this.#file('uwsgi.ini')], {
      cwd: this.#directory,
      env: this.#environment(),
      stdio: 'ignore',
      detached: true,
    }).unref()
    const endMs = performance.now() + START_MS_MAX
    while (!(await this.#answers())) {
      if (performance.now() > endMs)
        throw new Error(`Placement of ${this.#checkout} did not start:\n${this.#lastLog()}`)
      await sleep(200)
    }
  }

  pids(): readonly number[] {
    return [this.#pid() as number, this.#elder.databasePid()]
  }

  stop(): void {
    const pid = this.#pid()
    if (pid === null) return
    const endMs = performance.now() + STOP_MS_MAX
    kill(pid, 'SIGTERM')
    while (kill(pid, 0) && performance.now() < endMs) execFileSync('sleep', ['0.1'])
    kill(pid, 'SIGKILL')
    rmSync(this.#file('uwsgi.pid'), { force: true })
  }

  #file(name: string): string {
    return join(this.#directory, name)
  }

  #pid(): number | null {
    const file = this.#file('uwsgi.pid')
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null
  }

  #lastLog(): string {
    const file = this.#file('uwsgi.log')
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-20).join('\n') : ''
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      PYTHONPATH: this.#checkout,
      PYTHONWARNINGS: 'ignore',
      // A checkout is not installed, so its version is in no metadata.
      PBR_VERSION: NewestPlacement.versionOf(this.#checkout).replace(/-.*/, ''),
      OS_PLACEMENT_CONFIG_DIR: this.#directory,
    }
  }

  /** Debian's package of the same name must not be what is measured. */
  #checkImport(): void {
    const found = execFileSync(PYTHON, ['-c', 'import placement; print(placement.__file__)'], {
      env: this.#environment(),
      encoding: 'utf8',
    })
    if (!found.startsWith(this.#checkout)) throw new Error(`Python imports ${found.trim()}`)
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/`)).ok
    } catch {
      return false
    }
  }
}

const placementConf = (directory: string, database: string): string => `[DEFAULT]
debug = False
log_options = False
[api]
auth_strategy = noauth2
[placement]
randomize_allocation_candidates = False
max_allocation_candidates = ${CANDIDATES_MAX}
allocation_candidates_generation_strategy = breadth-first
[workarounds]
optimize_for_wide_provider_trees = True
[placement_database]
connection = mysql+pymysql://placement:placement@127.0.0.1:18290/${database}?charset=utf8
max_pool_size = 25
max_overflow = 100
[oslo_policy]
policy_dirs = ${join(directory, 'policy.d')}
`

/** As many processes and threads as 8.0, and the options of Debian's placement-api-uwsgi.ini. */
const uwsgiIni = (directory: string): string => `[uwsgi]
module = placement.wsgi.api:application
http-socket = 127.0.0.1:${PORT}
plugins = python3
processes = 2
threads = 8
master = true
thunder-lock = true
lazy-apps = true
need-app = true
enable-threads = true
die-on-term = true
listen = 100
buffer-size = 65535
socket-timeout = 60
rem-header = Content-Length
add-header = Connection: close
wsgi-manage-chunked-input = true
disable-logging = true
pidfile = ${join(directory, 'uwsgi.pid')}
logto = ${join(directory, 'uwsgi.log')}
`

/** False if there is no such process. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}
