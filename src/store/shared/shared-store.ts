import { assert } from '../../kernel/assert.ts'
import type { AnyRow, Value } from '../../world/table.ts'
import type { TableName } from '../../world/tables.ts'
import { describeHead, follows, headsAfter, sameHead } from '../chain.ts'
import {
  type Batch,
  type Committed,
  type Decide,
  type FillableStore,
  type Head,
  type History,
  HistoryBroken,
  type Retention,
  type Snapshot,
  StoreUnavailable,
  StoreUncertain,
} from '../store.ts'
import { loadFrom } from '../tables/every-page.ts'
import { keptSince } from '../tables/plain-query.ts'
import type { PlainName, PlainQuery, PlainRow } from '../tables/plain-tables.ts'
import { type Link, LinkLost, type Links, TurnAborted } from './link.ts'

/** Time as the protocol needs it; simulations have their own. */
interface Waiting {
  nowMs(): number
  sleep(ms: number): Promise<void>
}

export interface SharedStoreLimits extends Retention {
  /** How long one write may be tried again after lost connections. */
  readonly retryMsMax: number
  /** How long the outcome of a COMMIT that was not answered is looked for. */
  readonly settleMsMax: number
}

const PAUSE_MS = 100
/** After no connection could be had, so long the next ones are turned down without trying. */
const QUIET_MS = 250
const CHANGES_PER_PAGE = 1_000

/**
 * A store that other processes write to as well. One turn at the head: lock it, see what the others did, decide,
 * write, commit. Whoever holds the lock knows all that was committed, so a COMMIT that was never answered is
 * settled by taking the lock again: its batch is there then, or never will be.
 */
export class SharedStore implements FillableStore {
  readonly #links: Links
  readonly #limits: SharedStoreLimits
  readonly #time: Waiting
  #writer: Promise<Link> | null = null
  #reader: Promise<Link> | null = null
  #unreachable: { readonly sinceMs: number; readonly reason: StoreUnavailable } | null = null
  #writing = false
  #closed = false

  constructor(links: Links, limits: SharedStoreLimits, time: Waiting) {
    this.#links = links
    this.#limits = limits
    this.#time = time
  }

  async load(onRows: (table: TableName, rows: readonly AnyRow[]) => void): Promise<Head> {
    return loadFrom(await this.snapshot(), onRows)
  }

  snapshot(): Promise<Snapshot> {
    return this.#links.snapshot()
  }

  head(): Promise<Head> {
    return this.#read(link => link.head())
  }

  changesAfter(revision: number, limit: number): Promise<History> {
    return this.#read(link => link.changesAfter(revision, limit))
  }

  async plainRow<N extends PlainName>(
    table: N,
    key: readonly Value[],
    nowMs: number,
  ): Promise<PlainRow<N> | null> {
    const row = await this.#read(link => link.plainRow(table, key))
    if (row === null || (row.at_ms as number) < keptSince(table, nowMs)) return null
    return row as PlainRow<N>
  }

  async plainRows<N extends PlainName>(
    table: N,
    query: PlainQuery<N>,
    nowMs: number,
  ): Promise<PlainRow<N>[]> {
    return (await this.#read(link => link.plainRows(table, query, keptSince(table, nowMs)))) as PlainRow<N>[]
  }

  onOthers(wake: () => void): void {
    this.#links.listen(wake)
  }

  async fill(source: Snapshot, took: (rows: number) => void = () => {}): Promise<Head> {
    assert(this.#links.fill !== undefined, 'these links can fill')
    return this.#links.fill(source, took)
  }

  async write(from: Head, decide: Decide): Promise<Head> {
    assert(!this.#writing, 'one write at a time')
    this.#writing = true
    try {
      return await this.#write(from, decide)
    } finally {
      this.#writing = false
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const links = [this.#writer, this.#reader]
    this.#writer = this.#reader = null
    await Promise.allSettled(links.map(async link => (await link)?.close()))
    await this.#links.close()
  }

  async #write(from: Head, decide: Decide): Promise<Head> {
    let endMs = this.#time.nowMs() + this.#limits.retryMsMax
    let unsettled = null as Unsettled | null
    for (;;) {
      try {
        const link = await this.#writerLink()
        const { missed, nowMs } = await this.#beginTurn(link, from)
        if (unsettled !== null) {
          if (await this.#isStored(link, missed, unsettled.batch))
            return headAfter(unsettled.base, unsettled.batch)
          unsettled = null
        }
        const batch = await this.#decided(link, () => decide(missed, nowMs))
        const { revision, chain } = missed.at(-1) ?? from
        const base = { revision, chain }
        if (batch === null) return base
        try {
          await this.#onWriter(link, link.commit(base, batch, this.#limits))
          return headAfter(base, batch)
        } catch (reason) {
          if (reason instanceof LinkLost) {
            unsettled = { batch, base }
            endMs = this.#time.nowMs() + this.#limits.settleMsMax
          }
          throw reason
        }
      } catch (reason) {
        this.#checkPatience(reason, unsettled !== null, this.#closed || this.#time.nowMs() >= endMs)
        await this.#time.sleep(PAUSE_MS)
      }
    }
  }

  /** Throws what the write ends with, unless it is to be tried again. */
  #checkPatience(reason: unknown, isUnsettled: boolean, isLate: boolean): void {
    if (isUnsettled && (reason instanceof HistoryTrimmed || (isPassing(reason) && isLate)))
      throw new StoreUncertain(
        `the database went away during a commit and does not tell what became of it: ${messageOf(reason)}`,
      )
    if (!isPassing(reason)) throw reason
    // A database that says no, or is not there, will not be better in a moment; but what is open must be settled.
    if (isLate || (reason instanceof StoreUnavailable && !isUnsettled))
      throw new StoreUnavailable(messageOf(reason), { cause: reason })
  }

  async #beginTurn(link: Link, from: Head) {
    const { head, history, nowMs } = await this.#onWriter(link, link.begin(from.revision))
    try {
      return { missed: await this.#missed(link, from, head, history), nowMs }
    } catch (reason) {
      if (!(reason instanceof LinkLost)) await this.#giveBack(link)
      throw reason
    }
  }

  /** All that was committed since, read under the lock; throws HistoryBroken where it does not follow. */
  async #missed(link: Link, from: Head, head: Head, first: History): Promise<readonly Committed[]> {
    const missed: Committed[] = []
    let last: Head = from
    for (
      let page = first;
      ;
      page = await this.#onWriter(link, link.changesAfter(last.revision, CHANGES_PER_PAGE))
    ) {
      // Where memory is beyond the head there is nothing to be kept.
      if (!page.kept && last.revision < head.revision)
        throw new HistoryTrimmed(`what followed ${describeHead(last)} is no longer kept`)
      const changes = page.kept ? page.changes : []
      for (const change of changes) {
        if (!follows(change, last)) throw broken(change, last)
        missed.push(change)
        last = change
      }
      if (sameHead(last, head)) return missed
      if (changes.length === 0 || last.revision >= head.revision) throw broken(head, last)
    }
  }

  async #decided(link: Link, decide: () => Batch | null): Promise<Batch | null> {
    let batch: Batch | null = null
    try {
      batch = decide()
      batch?.rehearse?.()
    } catch (reason) {
      await this.#giveBack(link)
      throw reason
    }
    // Only the answer of the database proves that the lock was held until then and that no other process wrote.
    if (batch === null) await this.#onWriter(link, link.rollback())
    else assert(batch.changes.length > 0 || (batch.plain ?? []).length > 0, 'a batch has something to write')
    return batch
  }

  /** Under the lock: whether a batch is there whose COMMIT was not answered. If it is not, it never will be. */
  async #isStored(link: Link, missed: readonly Committed[], batch: Batch): Promise<boolean> {
    const isStored =
      batch.changes.length > 0
        ? missed.some(change => change.batchId === batch.id)
        : await this.#onWriter(link, link.holds(batch.plain ?? []))
    // A primary that was restarted shows what its standby may not have yet; what is acknowledged both must have.
    if (isStored) await this.#onWriter(link, link.confirm())
    return isStored
  }

  async #giveBack(link: Link): Promise<void> {
    try {
      await this.#onWriter(link, link.rollback())
    } catch {
      // The database takes back what is open when the connection ends.
      this.#drop(link)
    }
  }

  #writerLink(): Promise<Link> {
    this.#writer ??= this.#connect(failed => {
      if (this.#writer === failed) this.#writer = null
    })
    return this.#writer
  }

  #readerLink(): Promise<Link> {
    this.#reader ??= this.#connect(failed => {
      if (this.#reader === failed) this.#reader = null
    })
    return this.#reader
  }

  /** Nothing here changes anything, so what a lost connection was asked is asked once more. */
  async #read<T>(ask: (link: Link) => Promise<T>): Promise<T> {
    for (let again = true; ; again = false) {
      const reader = this.#readerLink()
      const link = await reader
      try {
        return await ask(link)
      } catch (reason) {
        if (!(reason instanceof LinkLost)) throw reason
        if (this.#reader === reader) this.#reader = null
        void link.close().catch(() => undefined)
        if (!again || this.#closed) throw new StoreUnavailable(reason.message, { cause: reason })
      }
    }
  }

  #connect(onFailed: (failed: Promise<Link>) => void): Promise<Link> {
    const connecting = this.#connected()
    connecting.catch(() => onFailed(connecting))
    return connecting
  }

  async #connected(): Promise<Link> {
    if (this.#closed) throw new StoreUnavailable('the store is closed')
    const down = this.#unreachable
    if (down !== null && this.#time.nowMs() < down.sinceMs + QUIET_MS) throw down.reason
    try {
      const link = await this.#links.connect()
      this.#unreachable = null
      return link
    } catch (reason) {
      if (reason instanceof StoreUnavailable) this.#unreachable = { sinceMs: this.#time.nowMs(), reason }
      throw reason
    }
  }

  async #onWriter<T>(link: Link, work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (reason) {
      if (reason instanceof LinkLost) this.#drop(link)
      throw reason
    }
  }

  #drop(link: Link): void {
    this.#writer = null
    void link.close().catch(() => undefined)
  }
}

/** It may have been our history, which cannot be checked any more. */
class HistoryTrimmed extends HistoryBroken {}

/** A batch whose COMMIT was not answered, and the head that it was to follow. */
interface Unsettled {
  readonly batch: Batch
  readonly base: Head
}

/** Where only plain rows are put, the head does not move. */
const headAfter = (base: Head, batch: Batch): Head =>
  headsAfter(base, batch.id, batch.changes.length).at(-1) ?? base

function broken(found: Head, last: Head): HistoryBroken {
  return new HistoryBroken(
    `the database is at ${describeHead(found)}, which does not follow ${describeHead(last)}`,
  )
}

const messageOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason))

/** What goes by with time, or with another connection. */
const isPassing = (reason: unknown): boolean =>
  reason instanceof LinkLost || reason instanceof TurnAborted || reason instanceof StoreUnavailable
