import { Semaphore } from '../../kernel/semaphore.ts'
import { type Head, type Snapshot, StoreUnavailable } from '../store.ts'
import { NoConnection } from './connecting.ts'
import type { Link, Links } from './link.ts'
import { answerLimit, type Timeouts } from './timeouts.ts'

/** For writes and for reads of the head; all others are for snapshots. */
const CONNECTIONS_ALWAYS = 2
/** A reader of a snapshot may be slow, but not slower than this. */
const SNAPSHOT_IDLE_MS_MAX = 10 * 60 * 1000
const PAGE_MS_MIN = 30_000

export interface LinksLimits extends Timeouts {
  readonly connectionsMax: number
}

const DEFAULTS: LinksLimits = { connectionsMax: 8, answerMsMax: 10_000, frozenMsMax: 5_000 }

export function fillLimits(given: Partial<LinksLimits>): LinksLimits {
  const { connectionsMax, answerMsMax, frozenMsMax } = { ...DEFAULTS, ...given }
  return { connectionsMax, answerMsMax, frozenMsMax }
}

/** What an engine does with a connection of its own kind. */
export interface Connector<Connection> {
  connect(timeouts: Timeouts): Promise<Connection>
  disconnect(connection: Connection): Promise<void>
  link(connection: Connection, timeouts: Timeouts): Link
  snapshot(connection: Connection, pageMsMax: number, onClosed: () => void): Promise<Snapshot>
  fill(
    connect: () => Promise<Connection>,
    answerMsMax: number,
    source: Snapshot,
    took: (rows: number) => void,
  ): Promise<Head>
}

/** For the start: a lasting failure is a reason not to start. */
export async function connectOrRefuse<Connection>(
  connector: Pick<Connector<Connection>, 'connect'>,
  timeouts: Timeouts,
): Promise<Connection> {
  try {
    return await connector.connect(timeouts)
  } catch (reason) {
    throw reason instanceof NoConnection ? reason.asRefusal() : reason
  }
}

/** Connections of one process to one database, on any server of it that accepts writes. */
export class PooledLinks<Connection> implements Links {
  readonly #connector: Connector<Connection>
  readonly #timeouts: Timeouts
  /** For loads and exports. */
  readonly #permits: Semaphore
  readonly #permitCount: number
  readonly #snapshots = new Set<Snapshot>()
  #closed = false

  constructor(connector: Connector<Connection>, limits: LinksLimits) {
    this.#connector = connector
    this.#timeouts = limits
    this.#permitCount = Math.max(1, limits.connectionsMax - CONNECTIONS_ALWAYS)
    this.#permits = new Semaphore(this.#permitCount)
  }

  async connect(): Promise<Link> {
    return this.#connector.link(await this.#connector.connect(this.#timeouts), this.#timeouts)
  }

  async snapshot(): Promise<Snapshot> {
    this.#checkOpen()
    const giveBack = await this.#permits.acquire(this.#timeouts.answerMsMax)
    if (giveBack === null)
      throw new StoreUnavailable(`all ${this.#permitCount} connections for loads and exports are in use`)
    try {
      this.#checkOpen()
      return await this.#beginSnapshot(await this.#connector.connect(this.#unhurried), giveBack)
    } catch (reason) {
      giveBack()
      throw reason
    }
  }

  fill(source: Snapshot, took: (rows: number) => void): Promise<Head> {
    const timeouts = this.#unhurried
    return this.#connector.fill(() => this.#connector.connect(timeouts), answerLimit(timeouts), source, took)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled([...this.#snapshots].map(one => one.close()))
  }

  async #beginSnapshot(connection: Connection, giveBack: () => void): Promise<Snapshot> {
    try {
      const pageMsMax = answerLimit(this.#unhurried)
      const snapshot: Snapshot = await this.#connector.snapshot(connection, pageMsMax, () => {
        this.#snapshots.delete(snapshot)
        giveBack()
      })
      this.#snapshots.add(snapshot)
      this.#checkOpen()
      return snapshot
    } catch (reason) {
      await this.#connector.disconnect(connection)
      throw reason
    }
  }

  /** For whole pages, and for readers that wait between them. */
  get #unhurried(): Timeouts {
    const answerMsMax = Math.max(this.#timeouts.answerMsMax, PAGE_MS_MIN)
    return { answerMsMax, frozenMsMax: SNAPSHOT_IDLE_MS_MAX }
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreUnavailable('the store is closed')
  }
}
