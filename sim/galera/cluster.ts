/** A real Galera cluster on this machine: nodes of Debian's mariadb-server and galera-4 in a temporary directory. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createConnection } from 'mysql2/promise'

const PROVIDER = '/usr/lib/galera/libgalera_smm.so'
const START_MS_MAX = 120_000
/** The cluster evicts a silent node after a second or two, so that faults pass quickly. */
const TIMEOUTS =
  'evs.keepalive_period=PT0.3S;evs.inactive_check_period=PT0.3S;evs.suspect_timeout=PT1S;evs.inactive_timeout=PT3S;evs.install_timeout=PT3S'

export const hasGalera: boolean = existsSync(PROVIDER) && existsSync('/usr/sbin/mariadbd')

const PORTS_PER_NODE = 10

/** Four ports for each node: clients, the group, and two for state transfers. */
const portsOf = (base: number, at: number) => {
  const first = base + PORTS_PER_NODE * at
  return { client: first, group: first + 1, ist: first + 2, sst: first + 3 }
}

/** None shall outlive the one who started it. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export class Node {
  readonly name: string
  readonly port: number
  readonly #directory: string
  readonly #base: number
  readonly #at: number
  readonly #size: number
  #process: ChildProcess | null = null

  constructor(directory: string, base: number, at: number, size: number) {
    this.name = `node ${at + 1}`
    this.#directory = join(directory, `n${at + 1}`)
    this.#base = base
    this.#at = at
    this.#size = size
    this.port = portsOf(base, at).client
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** The data directory of a new node. */
  install(): void {
    mkdirSync(join(this.#directory, 'tmp'), { recursive: true })
    spawnSync('/bin/chown', ['-R', 'mysql', this.#directory])
    const made = spawnSync(
      'mariadb-install-db',
      [
        '--no-defaults',
        '--user=mysql',
        `--datadir=${this.#data}`,
        `--tmpdir=${join(this.#directory, 'tmp')}`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
      ],
      { encoding: 'utf8' },
    )
    if (made.status !== 0) throw new Error(`mariadb-install-db failed: ${made.stdout}${made.stderr}`)
  }

  /** Starts it, and waits until it is synced. */
  async start(isFirst = false): Promise<void> {
    const log = openSync(join(this.#directory, 'log'), 'a')
    const child = spawn(
      '/usr/sbin/mariadbd',
      [...this.#options(), ...(isFirst ? ['--wsrep-new-cluster'] : [])],
      {
        stdio: ['ignore', log, log],
      },
    )
    child.unref()
    this.#process = child
    running.add(child)
    child.once('exit', () => running.delete(child))
    const deadline = Date.now() + START_MS_MAX
    while (Date.now() < deadline && child.exitCode === null) {
      if (await this.isSynced()) return
      await sleep(100)
    }
    throw new Error(
      `${this.name} does not start:\n${readFileSync(join(this.#directory, 'log'), 'utf8').slice(-3_000)}`,
    )
  }

  async isSynced(): Promise<boolean> {
    try {
      const [row] = await this.query("SHOW STATUS LIKE 'wsrep_local_state_comment'")
      return row?.Value === 'Synced'
    } catch {
      return false
    }
  }

  async query(sql: string): Promise<Record<string, unknown>[]> {
    const connection = await createConnection({
      socketPath: join(this.#directory, 'socket'),
      user: 'root',
      multipleStatements: true,
      connectTimeout: 2_000,
    })
    try {
      return (await connection.query(sql))[0] as unknown as Record<string, unknown>[]
    } finally {
      connection.destroy()
    }
  }

  async kill(): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  freeze(): void {
    this.#process?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#process?.kill('SIGCONT')
  }

  /** Cuts it off from the other nodes; clients still reach it. */
  async isolate(isIsolated: boolean): Promise<void> {
    await this.query(`SET GLOBAL wsrep_provider_options = 'gmcast.isolate=${isIsolated ? 1 : 0}'`)
  }

  get #data(): string {
    return join(this.#directory, 'data')
  }

  #options(): string[] {
    const { client, group, ist, sst } = portsOf(this.#base, this.#at)
    const all = Array.from({ length: this.#size }, (_, at) => `127.0.0.1:${portsOf(this.#base, at).group}`)
    return [
      '--no-defaults',
      '--user=mysql',
      `--datadir=${this.#data}`,
      `--socket=${this.#directory}/socket`,
      `--pid-file=${this.#directory}/pid`,
      `--tmpdir=${this.#directory}/tmp`,
      '--bind-address=127.0.0.1',
      `--port=${client}`,
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      '--innodb-buffer-pool-size=64M',
      '--wsrep-on=ON',
      `--wsrep-provider=${PROVIDER}`,
      `--wsrep-cluster-address=gcomm://${all.join(',')}`,
      '--wsrep-cluster-name=berth',
      `--wsrep-node-address=127.0.0.1:${group}`,
      `--wsrep-node-name=n${this.#at + 1}`,
      `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${ist};gcache.size=64M;${TIMEOUTS}`,
      '--wsrep-sst-method=rsync',
      `--wsrep-sst-receive-address=127.0.0.1:${sst}`,
    ]
  }
}

export class Cluster {
  readonly nodes: readonly Node[]
  /** This port and those after it are not used by the nodes. */
  readonly freeFrom: number
  readonly #directory: string
  #databases = 0

  private constructor(directory: string, nodes: readonly Node[], freeFrom: number) {
    this.#directory = directory
    this.nodes = nodes
    this.freeFrom = freeFrom
  }

  /** Takes some ports from `base` on. */
  static async start(base: number, size = 3): Promise<Cluster> {
    const directory = mkdtempSync(join(tmpdir(), 'berth-galera-'))
    chmodSync(directory, 0o755)
    const nodes = Array.from({ length: size }, (_, at) => new Node(directory, base, at, size))
    const cluster = new Cluster(directory, nodes, base + PORTS_PER_NODE * size)
    try {
      for (const node of nodes) node.install()
      for (const [at, node] of nodes.entries()) await node.start(at === 0)
      await nodes[0]?.query("CREATE USER berth@'%' IDENTIFIED BY 'berth'; GRANT ALL ON *.* TO berth@'%'")
      return cluster
    } catch (error) {
      await cluster.remove()
      throw error
    }
  }

  async newDatabase(): Promise<string> {
    const name = `berth_${++this.#databases}`
    await this.#change(`CREATE DATABASE IF NOT EXISTS ${name}`)
    return name
  }

  dropDatabase(name: string): Promise<void> {
    return this.#change(`DROP DATABASE IF EXISTS ${name}`)
  }

  /** On a busy machine nodes lose each other also by themselves. */
  async #change(sql: string): Promise<void> {
    const deadline = Date.now() + START_MS_MAX
    for (;;) {
      await this.waitUntilWhole()
      try {
        await this.nodes[0]?.query(sql)
        return
      } catch (error) {
        if (Date.now() > deadline) throw error
      }
    }
  }

  /** All nodes are up and in sync. */
  async waitUntilWhole(): Promise<void> {
    const deadline = Date.now() + START_MS_MAX
    for (;;) {
      const states = await Promise.all(this.nodes.map(node => node.isSynced()))
      if (states.every(Boolean)) return
      if (Date.now() > deadline) throw new Error('the cluster does not come together again')
      await sleep(100)
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map(node => node.kill()))
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
