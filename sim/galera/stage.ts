/** Three servers on a Galera cluster, each with a proxy to every node. */
import type { Random } from '../../src/kernel/random.ts'
import { Recorder } from '../history/recorder.ts'
import { Server } from '../history/server.ts'
import { ANSWER_MS, type AnyStage, formatNote, furnish, NAMES } from '../history/stage.ts'
import { Wire } from '../history/wire.ts'
import type { Cluster, Node } from './cluster.ts'

/** Servers on a busy machine are not taken for frozen ones; MariaDB counts in seconds. */
export const FROZEN_MS = 2_000

export class GaleraStage implements AnyStage {
  readonly random: Random
  readonly recorder = new Recorder()
  readonly servers: readonly Server[]
  readonly notes: string[] = []
  readonly lossMs = null
  readonly cluster: Cluster
  /** The proxies of each server, one to every node. */
  readonly wires: readonly (readonly Wire[])[]
  readonly #database: string

  private constructor(
    random: Random,
    cluster: Cluster,
    servers: readonly Server[],
    wires: readonly (readonly Wire[])[],
    database: string,
  ) {
    this.random = random
    this.cluster = cluster
    this.servers = servers
    this.wires = wires
    this.#database = database
  }

  /** With several writers, every server prefers another node. */
  static async set(cluster: Cluster, random: Random, writers: 'one' | 'several'): Promise<GaleraStage> {
    const database = await cluster.newDatabase()
    const { nodes } = cluster
    const wires = await Promise.all(NAMES.map(() => Promise.all(nodes.map(({ port }) => Wire.start(port)))))
    const servers = NAMES.map((name, at) => {
      const own = wires[at] as Wire[]
      const first = writers === 'one' ? 0 : at
      const hosts = nodes.map((_, nth) => `127.0.0.1:${own[(first + nth) % nodes.length]?.port}`)
      return new Server({
        name,
        // Not a port of the system's choice: somebody else could have it while a killed server is down.
        port: cluster.freeFrom + at,
        database: `mysql://berth:berth@${hosts.join(',')}/${database}`,
        settings: { 'database-timeout-ms': 3 * ANSWER_MS, 'database-frozen-ms': FROZEN_MS },
      })
    })
    const stage = new GaleraStage(random, cluster, servers, wires, database)
    try {
      await Promise.all(servers.map(server => server.start()))
      await furnish(servers)
      return stage
    } catch (error) {
      await stage.clear()
      throw error
    }
  }

  get url(): string {
    return `mysql://berth:berth@127.0.0.1:${this.cluster.nodes[0]?.port}/${this.#database}`
  }

  note(what: string): void {
    this.notes.push(formatNote(what))
  }

  any<T>(items: readonly T[]): T {
    return items[this.random.below(items.length)] as T
  }

  anyNode(): Node {
    return this.any(this.cluster.nodes)
  }

  /** A cluster never loses acknowledged writes. */
  openFormer(): Promise<string> {
    return Promise.reject(new Error('there is no former database'))
  }

  async clear(): Promise<void> {
    await Promise.all(this.servers.map(server => server.remove()))
    await Promise.all(this.wires.flat().map(wire => wire.stop()))
    // Many databases make every start slower.
    await this.cluster.dropDatabase(this.#database)
  }
}
