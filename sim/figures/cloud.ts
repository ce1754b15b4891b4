/** Servers on a durable database, and hosts to claim from. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../scripts/free-port.ts'
import { startPostgres } from '../../test/postgres.ts'
import { Server } from '../history/server.ts'
import { cpuSeconds, familyOf } from './machine.ts'

const HOSTS = 100
const HOST_TOTAL = 2_000_000_000

export const hostUuid = (number: number): string =>
  `00000000-0000-4000-8000-${String(1 + (number % HOSTS)).padStart(12, '0')}`
const consumerUuid = (number: number): string => `00000000-0000-4000-8001-${String(number).padStart(12, '0')}`

/** The database of a cloud. */
export interface CloudDatabase {
  /** The address for the server with this number; null is SQLite. */
  address(server: number): string | null
  /** Its processes, with their children. */
  pids(): readonly number[]
  remove(): Promise<void>
}

async function startDurablePostgres(): Promise<CloudDatabase> {
  const postgres = await startPostgres({ durable: true })
  const database = await postgres.newDatabase()
  const pidFile = join(postgres.dataDir, 'postmaster.pid')
  return {
    address: () => database,
    pids: () => familyOf(Number(readFileSync(pidFile, 'utf8').split('\n')[0])),
    remove: () => postgres.remove(),
  }
}

export class Cloud {
  readonly ports: readonly number[]
  readonly #database: CloudDatabase
  readonly #servers: readonly Server[]
  #consumers = 0

  private constructor(database: CloudDatabase, servers: readonly Server[], ports: readonly number[]) {
    this.#database = database
    this.#servers = servers
    this.ports = ports
  }

  static async start(
    count: number,
    reads: 'linearizable' | 'local' = 'linearizable',
    startDatabase: () => Promise<CloudDatabase> = startDurablePostgres,
  ): Promise<Cloud> {
    const database = await startDatabase()
    const ports = await Promise.all(Array.from({ length: count }, freePort))
    const servers = ports.map(
      (port, at) =>
        new Server({
          name: String(at),
          port,
          database: '',
          settings: { reads, database: database.address(at) },
        }),
    )
    for (const server of servers) await server.start()
    const cloud = new Cloud(database, servers, ports)
    for (let host = 0; host < HOSTS; host++) {
      const uuid = hostUuid(host)
      const { client } = servers[0] as Server
      await client.send('POST', '/resource_providers', { name: uuid, uuid })
      const body = { resource_class: 'VCPU', total: HOST_TOTAL }
      await client.send('POST', `/resource_providers/${uuid}/inventories`, body)
    }
    return cloud
  }

  /** A new claim: path and body. */
  newClaim(): { readonly consumer: string; readonly path: string; readonly body: string } {
    const number = ++this.#consumers
    const consumer = consumerUuid(number)
    const body = JSON.stringify({
      allocations: { [hostUuid(number)]: { resources: { VCPU: 1 } } },
      project_id: 'p',
      user_id: 'u',
      consumer_generation: null,
      consumer_type: 'INSTANCE',
    })
    return { consumer, path: `/allocations/${consumer}`, body }
  }

  /** CPU seconds so far: of all servers, and of the database. */
  cpu(): { readonly servers: number; readonly database: number } {
    const servers = this.#servers.reduce((sum, { pid }) => sum + cpuSeconds(pid ?? 0), 0)
    return { servers, database: this.#database.pids().reduce((sum, one) => sum + cpuSeconds(one), 0) }
  }

  async end(): Promise<void> {
    await Promise.all(this.#servers.map(server => server.remove()))
    await this.#database.remove()
  }
}
