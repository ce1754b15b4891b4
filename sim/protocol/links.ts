import { describeHead } from '../../src/store/chain.ts'
import type { Link, Links } from '../../src/store/shared/link.ts'
import { type Snapshot, StoreUnavailable } from '../../src/store/store.ts'
import type { AnyRow } from '../../src/world/table.ts'
import type { TableName } from '../../src/world/tables.ts'
import type { Database } from './database.ts'
import type { Gate } from './gate.ts'
import { SimLink } from './link.ts'

/** How one process reaches the database. */
export class SimLinks implements Links {
  readonly #name: string
  readonly #gate: Gate
  readonly #database: Database
  readonly #open: SimLink[] = []
  #count = 0
  #deafen: (() => void) | null = null

  constructor(name: string, gate: Gate, database: Database) {
    this.#name = name
    this.#gate = gate
    this.#database = database
  }

  connect(): Promise<Link> {
    return this.#trip(() => {
      const link = new SimLink(`${this.#name}/${++this.#count}`, this.#gate, this.#database)
      this.#open.push(link)
      return link
    })
  }

  async snapshot(): Promise<Snapshot> {
    const { chance, say, sabotage } = this.#database.surroundings
    const { life, state } = await this.#trip(() => ({
      life: this.#database.life,
      state: this.#database.state,
    }))
    say?.(`${this.#name}: a snapshot of ${describeHead(state.head)}`)
    const pageMax = chance.pick([3, 10, 1_000])
    const rowsOf = (table: TableName): AnyRow[] => {
      const { rows } = sabotage.tornSnapshot ? this.#database.state : state
      return [...(rows.get(table)?.values() ?? [])]
    }
    const page = (table: TableName, at: number) =>
      this.#trip(() => {
        if (this.#database.life !== life) throw new StoreUnavailable('the snapshot is gone')
        return rowsOf(table).slice(at, at + pageMax)
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

  listen(wake: () => void): void {
    this.#deafen?.()
    this.#deafen = this.#database.listen(() => this.#gate.enter('database', wake))
  }

  async close(): Promise<void> {
    this.#deafen?.()
  }

  /** The process is no more. */
  abandon(): void {
    this.#deafen?.()
    for (const link of this.#open) link.abandon()
  }

  /** All connections of the process are cut at once. */
  cut(): void {
    for (const link of this.#open.splice(0)) link.cut()
  }

  /** To the server, which must be there, and back; what it is asked for is as of when it got the question. */
  #trip<T>(atServer: () => T): Promise<T> {
    const { schedule, chance, weather } = this.#database.surroundings
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const enter = (run: () => void) => this.#gate.enter('database', run)
    const delayMs = () => chance.delayMs(weather.networkMs)
    if (chance.happens(weather.connectFails)) {
      schedule.after(weather.timeouts.connectMs, () =>
        enter(() => reject(new StoreUnavailable('no answer in time'))),
      )
      return promise
    }
    schedule.after(delayMs(), () => {
      try {
        if (!this.#database.isUp) throw new StoreUnavailable('the database is not there')
        const value = atServer()
        schedule.after(delayMs(), () => enter(() => resolve(value)))
      } catch (error) {
        schedule.after(delayMs(), () => enter(() => reject(error)))
      }
    })
    return promise
  }
}
