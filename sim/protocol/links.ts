import { describeHead } from '../../src/store/chain.ts'
import type { Link, Links } from '../../src/store/shared/link.ts'
import { type Snapshot, StoreUnavailable } from '../../src/store/store.ts'
import type { AnyRow } from '../../src/world/table.ts'
import type { TableName } from '../../src/world/tables.ts'
import type { Database, Server } from './database.ts'
import type { Gate } from './gate.ts'
import { SimLink } from './link.ts'
import type { State } from './state.ts'

/** How one process reaches the database. */
export class SimLinks implements Links {
  readonly #name: string
  readonly #gate: Gate
  readonly #database: Database
  readonly #open: SimLink[] = []
  readonly #preference: number
  #count = 0

  constructor(name: string, gate: Gate, database: Database) {
    this.#name = name
    this.#gate = gate
    this.#database = database
    this.#preference = database.surroundings.chance.whole(0, 99)
  }

  connect(): Promise<Link> {
    return this.#trip(this.#pickServer(), (server, answer) => {
      const link = new SimLink(`${this.#name}/${++this.#count}`, this.#gate, this.#database, server)
      this.#open.push(link)
      answer(link)
    })
  }

  async snapshot(): Promise<Snapshot> {
    const { chance, say, sabotage } = this.#database.surroundings
    const server = this.#pickServer()
    const { life, state } = await this.#trip<{ life: number; state: State }>(server, (_, answer) =>
      server.catchUp(() => answer({ life: server.life, state: server.state })),
    )
    say?.(`${this.#name}: a snapshot of ${describeHead(state.head)}`)
    const pageMax = chance.pick([3, 10, 1_000])
    const rowsOf = (table: TableName): AnyRow[] => {
      const { rows } = sabotage.tornSnapshot ? server.state : state
      return [...(rows.get(table)?.values() ?? [])]
    }
    const page = (table: TableName, at: number) =>
      this.#trip<AnyRow[]>(server, (_, answer) => {
        if (server.life !== life) throw new StoreUnavailable('the snapshot is gone')
        answer(rowsOf(table).slice(at, at + pageMax))
      })
    return {
      head: state.head,
      async *rows(table: TableName) {
        const count = rowsOf(table).length
        for (let at = 0; at < count; at += pageMax) yield await page(table, at)
      },
      close: async () => {},
    }
  }

  async close(): Promise<void> {}

  /** The process has died. */
  abandon(): void {
    for (const link of this.#open) link.abandon()
  }

  /** All connections of the process are cut at once. */
  cut(): void {
    for (const link of this.#open.splice(0)) link.cut()
  }

  #pickServer(): Server {
    return this.#database.pickServer(this.#preference)
  }

  /** To the server, which must be up, and back; the answer is as of the arrival of the request. */
  #trip<T>(server: Server, atServer: (server: Server, answer: (value: T) => void) => void): Promise<T> {
    const { schedule, chance, weather } = this.#database.surroundings
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const enter = (run: () => void) => this.#gate.enter('database', run)
    const delayMs = () => chance.delayMs(weather.networkMs)
    const settle = (deed: () => void) => {
      patience.cancel()
      deed()
    }
    if (chance.happens(weather.connectFails)) {
      schedule.after(weather.timeouts.connectMs, () =>
        enter(() => reject(new StoreUnavailable('no answer in time'))),
      )
      return promise
    }
    // A server that is frozen, or goes away while it is catching up, does not answer.
    const patience = this.#gate.after(3 * weather.timeouts.connectMs, () =>
      reject(new StoreUnavailable('no answer in time')),
    )
    server.after(delayMs(), () => {
      try {
        if (!server.isUp) throw new StoreUnavailable('the database is not there')
        atServer(server, value => schedule.after(delayMs(), () => enter(() => settle(() => resolve(value)))))
      } catch (error) {
        schedule.after(delayMs(), () => enter(() => settle(() => reject(error))))
      }
    })
    return promise
  }
}
