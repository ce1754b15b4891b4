/** Three servers on one PostgreSQL, with everything that scenarios need. */
import { freePorts } from '../../scripts/free-port.ts'
import type { Random } from '../../src/kernel/random.ts'
import type { Head } from '../../src/store/store.ts'
import { type Postgres, startPostgres } from '../../test/postgres.ts'
import type { Books } from './books.ts'
import { CLASS } from './client.ts'
import { storedBooks, storedHead, withDatabase } from './database.ts'
import { mutations } from './mutations.ts'
import { Recorder } from './recorder.ts'
import { Server } from './server.ts'
import { providers, TOTAL } from './traffic.ts'
import { Wire } from './wire.ts'

export const NAMES = ['a', 'b', 'c']
/** Short, so that waits are short. */
export const ANSWER_MS = 1_000
export const FROZEN_MS = 600

export interface StageRequest {
  readonly random: Random
  /** Whether PostgreSQL survives being killed. */
  readonly durable: boolean
  readonly standby: boolean
  /** Whether each server has its own proxy that can be cut. */
  readonly wired: boolean
  readonly mutation?: string | undefined
}

/** A provider with room for all probes. */
export const PROBED = '00000000-0000-4000-8000-000000000099'
const PROBED_TOTAL = 1_000_000

/** What a run needs: servers on one database, and a record of the faults. */
export interface AnyStage {
  readonly random: Random
  readonly recorder: Recorder
  readonly servers: readonly Server[]
  readonly notes: string[]
  readonly lossMs: readonly [fromMs: number, toMs: number] | null
  /** The address of the current database. */
  readonly url: string
  note(what: string): void
  /** After a loss, the earlier database, which no server uses any more. */
  openFormer(): Promise<string>
  clear(): Promise<void>
}

/** The stored state. */
export function look({ url }: AnyStage): Promise<{ readonly head: Head; readonly books: Books }> {
  return withDatabase(url, async ask => ({ head: await storedHead(ask), books: await storedBooks(ask) }))
}

export const formatNote = (what: string): string => `${performance.now().toFixed(0).padStart(7)} ms  ${what}`

export class Stage implements AnyStage {
  readonly random: Random
  readonly recorder = new Recorder()
  readonly servers: readonly Server[]
  readonly primary: Postgres
  readonly standby: Postgres | null
  readonly wires: readonly Wire[]
  /** The faults so far, for the report. */
  readonly notes: string[] = []
  /** Between these times the standby took over without some acknowledged writes. */
  lossMs: readonly [fromMs: number, toMs: number] | null = null
  /** The address of the current database. */
  current: Postgres
  readonly #database: string

  private constructor(
    random: Random,
    [primary, standby]: readonly [Postgres, Postgres | null],
    wires: readonly Wire[],
    servers: readonly Server[],
    database: string,
  ) {
    this.random = random
    this.primary = primary
    this.standby = standby
    this.current = primary
    this.wires = wires
    this.servers = servers
    this.#database = database
  }

  static async set({ random, durable, standby, wired, mutation }: StageRequest): Promise<Stage> {
    const primary = await startPostgres({ durable })
    const url = new URL(await primary.newDatabase())
    const database = url.pathname.slice(1)
    const second = standby ? await primary.standby() : null
    const wires = wired ? await Promise.all(NAMES.map(() => Wire.start(primary.port))) : []
    const ports = await freePorts(NAMES.length)
    const servers = NAMES.map((name, at) => {
      const hosts = [wires[at]?.port ?? primary.port, ...(second === null ? [] : [second.port])]
      return new Server({
        name,
        port: ports[at] as number,
        mutation,
        database: `postgres://postgres@${hosts.map(port => `127.0.0.1:${port}`).join(',')}/${database}`,
        settings: { 'database-timeout-ms': ANSWER_MS, 'database-frozen-ms': FROZEN_MS },
      })
    })
    const stage = new Stage(random, [primary, second], wires, servers, database)
    try {
      const { sql, startsInTurn } = mutations[mutation ?? ''] ?? {}
      if (startsInTurn === true) for (const server of servers) await server.start()
      else await Promise.all(servers.map(server => server.start()))
      await furnish(servers)
      if (sql !== undefined) await primary.query(sql, database)
      return stage
    } catch (error) {
      await stage.clear()
      throw error
    }
  }

  get url(): string {
    return this.current.url(this.#database)
  }

  async openFormer(): Promise<string> {
    // No server may find the old one when it is back.
    await this.stopServers()
    await this.primary.start()
    return this.primary.url(this.#database)
  }

  look() {
    return look(this)
  }

  note(what: string): void {
    this.notes.push(formatNote(what))
  }

  any<T>(items: readonly T[]): T {
    return items[this.random.below(items.length)] as T
  }

  async stopServers(): Promise<void> {
    await Promise.all(this.servers.map(server => server.remove()))
  }

  async clear(): Promise<void> {
    await this.stopServers()
    await Promise.all(this.wires.map(wire => wire.stop()))
    await Promise.all([this.primary.remove(), this.standby?.remove()])
  }
}

/** The cloud that traffic needs. */
export async function furnish(servers: readonly Server[]): Promise<void> {
  const [{ client }] = servers as [Server]
  const wanted = [...providers.map(uuid => [uuid, TOTAL] as const), [PROBED, PROBED_TOTAL] as const]
  for (const [uuid, total] of wanted) {
    await client.send('POST', '/resource_providers', { name: uuid, uuid })
    const body = { resource_class: CLASS, total, max_unit: PROBED_TOTAL - 1 }
    const { status, text } = await client.send('POST', `/resource_providers/${uuid}/inventories`, body)
    if (status !== 201) throw new Error(`the cloud cannot be set up: ${status} ${text}`)
  }
}
