import { Semaphore } from '../../kernel/semaphore.ts'
import type { Link, Links } from '../shared/link.ts'
import { answerLimit, type Timeouts } from '../shared/timeouts.ts'
import { type Head, type Snapshot, StoreUnavailable } from '../store.ts'
import { connect, findBefore, type HostFailures, type Server } from './connect.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { FailBack } from './fail-back.ts'
import { fill } from './fill.ts'
import { MysqlLink } from './link.ts'
import { MysqlSnapshot } from './snapshot.ts'

/** For writes and for reads of the head; all others are for snapshots. */
const CONNECTIONS_ALWAYS = 2
/** A reader of a snapshot may be slow, but not slower than this. */
const SNAPSHOT_IDLE_MS_MAX = 10 * 60 * 1000
const PAGE_MS_MIN = 30_000

export interface LinksLimits extends Timeouts {
  readonly connectionsMax: number
  /** How often to look whether a host that the address prefers is back. */
  readonly failBackMs: number
}

/** Connections to one database, on whichever server or node accepts writes. */
export class MysqlLinks implements Links {
  readonly #options: ConnectionOptions
  readonly #timeouts: Timeouts
  readonly #newestVersion: number
  /** For loads and exports. */
  readonly #permits: Semaphore
  readonly #permitCount: number
  readonly #snapshots = new Set<Snapshot>()
  readonly #failed: HostFailures = new Map()
  readonly #failBack: FailBack
  #closed = false

  constructor(options: ConnectionOptions, limits: LinksLimits, newestVersion: number) {
    this.#options = options
    this.#timeouts = limits
    this.#newestVersion = newestVersion
    this.#permitCount = Math.max(1, limits.connectionsMax - CONNECTIONS_ALWAYS)
    this.#permits = new Semaphore(this.#permitCount)
    this.#failBack = new FailBack({
      findBefore: rank => findBefore(rank, options, limits, this.#failed),
      nowMs: () => performance.now(),
      everyMs: limits.failBackMs,
    })
  }

  async connect(): Promise<Link> {
    const server = await this.#connect(this.#timeouts)
    this.#failBack.connected(server.rank)
    const isOutranked = () => this.#failBack.isOutranked(server.rank)
    return new MysqlLink(server, this.#timeouts, this.#newestVersion, isOutranked)
  }

  async snapshot(): Promise<Snapshot> {
    this.#checkOpen()
    const giveBack = await this.#permits.acquire(this.#timeouts.answerMsMax)
    if (giveBack === null)
      throw new StoreUnavailable(`all ${this.#permitCount} connections for loads and exports are in use`)
    try {
      this.#checkOpen()
      return await this.#beginSnapshot(await this.#connect(this.#unhurried), giveBack)
    } catch (reason) {
      giveBack()
      throw reason
    }
  }

  fill(source: Snapshot, took: (rows: number) => void): Promise<Head> {
    const timeouts = this.#unhurried
    const means = {
      connect: () => this.#connect(timeouts),
      answerMsMax: answerLimit(timeouts),
      newestVersion: this.#newestVersion,
    }
    return fill(means, source, took)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled([...this.#snapshots].map(one => one.close()))
  }

  #connect(timeouts: Timeouts): Promise<Server> {
    return connect(this.#options, timeouts, this.#failed)
  }

  async #beginSnapshot(server: Server, giveBack: () => void): Promise<Snapshot> {
    try {
      const limits = { pageMsMax: answerLimit(this.#unhurried), newestVersion: this.#newestVersion }
      const snapshot: Snapshot = await MysqlSnapshot.begin(server, limits, () => {
        this.#snapshots.delete(snapshot)
        giveBack()
      })
      this.#snapshots.add(snapshot)
      this.#checkOpen()
      return snapshot
    } catch (reason) {
      await server.session.close()
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
