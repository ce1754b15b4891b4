/** A real MariaDB for tests where Debian's mariadb-server is installed: a data directory in the temporary directory, nothing left behind. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createConnection } from 'mysql2/promise'
import { freePort } from '../scripts/free-port.ts'

const START_MS_MAX = 60_000
const PLACES = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin']

const findProgram = (name: string): string | null =>
  PLACES.map(directory => join(directory, name)).find(existsSync) ?? null

/** Whether there is a MariaDB to test with. */
export const hasMariadb: boolean =
  findProgram('mariadbd') !== null && findProgram('mariadb-install-db') !== null

/**
 * Whether unit tests run on a MariaDB. Only where BERTH_TEST_MARIADB=1 asks for it, as the stage mariadb does: they
 * take a minute, and `npm test` needs only npm.
 */
export const testsMariadb: boolean = process.env.BERTH_TEST_MARIADB === '1'
if (testsMariadb && !hasMariadb)
  throw new Error('BERTH_TEST_MARIADB=1 needs mariadb-server: it is not installed')

const shared = globalThis as unknown as { berthMariadb?: Promise<Mariadb> }

/** The one instance that all tests of a process share; ask it for a database of your own. */
export function sharedMariadb(): Promise<Mariadb> {
  shared.berthMariadb ??= startMariadb()
  return shared.berthMariadb
}

/** An instance of one's own, for tests that stop, kill or set it. End it with `remove`. */
export async function startMariadb(options: readonly string[] = []): Promise<Mariadb> {
  const directory = mkdtempSync(join(tmpdir(), 'berth-mariadb-'))
  // A directory of its own for temporary tables: a server that starts removes those that it finds, also another server's.
  mkdirSync(join(directory, 'tmp'))
  // MariaDB does not run as root: then it is its own user who runs it.
  if (process.getuid?.() === 0) spawnSync('/bin/chown', ['-R', 'mysql', directory])
  chmodSync(directory, 0o755)
  const made = spawnSync(
    findProgram('mariadb-install-db') as string,
    [
      '--no-defaults',
      ...asUser(),
      `--datadir=${directory}/data`,
      `--tmpdir=${directory}/tmp`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    { encoding: 'utf8' },
  )
  if (made.status !== 0)
    throw new Error(`mariadb-install-db failed: ${made.error ?? made.stderr + made.stdout}`)
  const mariadb = new Mariadb(directory, await freePort(), options)
  removeWithThisProcess(directory)
  await mariadb.start()
  return mariadb
}

/** Ends a server and removes its files when this process is gone, also by a signal: no handler of ours runs when vitest ends a worker. */
function removeWithThisProcess(directory: string): void {
  const script = 'cat >/dev/null; pid=$(cat "$0/pid" 2>/dev/null) && kill -9 "$pid"; rm -rf "$0"'
  const guard = spawn('/bin/sh', ['-c', script, directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.unref()
  ;(guard.stdin as Socket).unref()
}

const asUser = (): string[] => (process.getuid?.() === 0 ? ['--user=mysql'] : [])

class Mariadb {
  readonly port: number
  readonly #directory: string
  readonly #options: readonly string[]
  #process: ChildProcess | null = null
  #databases = 0

  constructor(directory: string, port: number, options: readonly string[]) {
    this.#directory = directory
    this.port = port
    this.#options = options
  }

  url(database = ''): string {
    return `mysql://berth:berth@127.0.0.1:${this.port}/${database}`
  }

  /** The address of a new, empty database. */
  async newDatabase(): Promise<string> {
    const name = `berth_${process.pid}_${++this.#databases}`
    await this.query(`CREATE DATABASE ${name}`)
    return this.url(name)
  }

  /** Asks as root over its own connection; several statements may be in one text. */
  async query(sql: string, database?: string): Promise<Record<string, unknown>[]> {
    const connection = await createConnection({
      socketPath: this.#socket,
      user: 'root',
      multipleStatements: true,
      ...(database === undefined ? {} : { database }),
    })
    try {
      const [rows] = await connection.query(sql)
      return rows as unknown as Record<string, unknown>[]
    } finally {
      await connection.end()
    }
  }

  /** Cuts all connections to a database, as a proxy or a restart does. */
  async killConnections(database: string): Promise<void> {
    const rows = await this.query(
      `SELECT id FROM information_schema.processlist WHERE db = '${database}' AND user = 'berth'`,
    )
    for (const { id } of rows) await this.query(`KILL ${id}`).catch(() => undefined)
  }

  async start(): Promise<void> {
    mkdirSync(this.#directory, { recursive: true })
    const log = openSync(this.#logFile, 'a')
    const child = spawn(
      findProgram('mariadbd') as string,
      [
        '--no-defaults',
        ...asUser(),
        `--datadir=${this.#directory}/data`,
        `--tmpdir=${this.#directory}/tmp`,
        `--socket=${this.#socket}`,
        `--pid-file=${this.#directory}/pid`,
        '--bind-address=127.0.0.1',
        `--port=${this.port}`,
        '--innodb-buffer-pool-size=64M',
        ...this.#options,
      ],
      { stdio: ['pipe', log, log] },
    )
    child.unref()
    this.#process = child
    await this.#waitUntilReady(child)
    await this.query(
      "CREATE USER IF NOT EXISTS berth@'%' IDENTIFIED BY 'berth'; GRANT ALL ON *.* TO berth@'%'",
    )
  }

  pids(): number[] {
    const pid = this.#process?.pid
    return pid === undefined ? [] : [pid]
  }

  /** As when its machine dies. */
  async kill9(): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    rmSync(join(this.#directory, 'pid'), { force: true })
  }

  /** Ends it for good. */
  async remove(): Promise<void> {
    await this.kill9()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  get #socket(): string {
    return join(this.#directory, 'socket')
  }

  get #logFile(): string {
    return join(this.#directory, 'server.log')
  }

  async #waitUntilReady(child: ChildProcess): Promise<void> {
    const deadline = Date.now() + START_MS_MAX
    while (child.exitCode === null && Date.now() < deadline) {
      if (
        await this.query('SELECT 1').then(
          () => true,
          () => false,
        )
      )
        return
      await sleep(50)
    }
    throw new Error(`MariaDB does not start:\n${readFileSync(this.#logFile, 'utf8')}`)
  }
}
