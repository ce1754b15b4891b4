import { assert } from '../../kernel/assert.ts'
import type { AnyRow, Value } from '../../world/table.ts'
import type { TableName } from '../../world/tables.ts'
import { computeHeads, describeHead, follows, isSameHead } from '../chain.ts'
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
import { computeKeptSince } from '../tables/plain-query.ts'
import type { PlainName, PlainQuery, PlainRow } from '../tables/plain-tables.ts'
import { type Link, LinkLost, type Links, TurnAborted } from './link.ts'

/** Time as the protocol needs it; simulations have their own. */
interface StoreClock {
  nowMs(): number
  sleep(ms: number): Promise<void>
}

export interface SharedStoreLimits extends Retention {
  /** How long one write is retried after lost connections. */
  readonly retryMsMax: number
  /** How long to look for the outcome of an unanswered COMMIT. */
  readonly settleMsMax: number
}

/** A turn that was aborted is retried sooner: some other write took effect. */
const PAUSE_MS = 100
/** For this long after a failed connection, further ones are refused without trying. */
const QUIET_MS = 250
const CHANGES_PER_PAGE = 1_000

/**
 * A store that other processes write to as well. One turn at the head: lock it, read what the others did, decide,
 * write, commit. An unanswered COMMIT is settled by another turn that looks for its batch and then commits a fence: with
 * the fence in place the batch is there, or never will be.
 */
export class SharedStore implements FillableStore {
  readonly isShared = true
  readonly #links: Links
  readonly #limits: SharedStoreLimits
  readonly #time: StoreClock
  #writer: Promise<Link> | null = null
  #reader: Promise<Link> | null = null
  #unreachable: { readonly sinceMs: number; readonly reason: StoreUnavailable } | null = null
  #writing = false
  #closed = false

  constructor(links: Links, limits: SharedStoreLimits, time: StoreClock) {
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
    if (row === null || (row.at_ms as number) < computeKeptSince(table, nowMs)) return null
    return row as PlainRow<N>
  }

  async plainRows<N extends PlainName>(
    table: N,
    query: PlainQuery<N>,
    nowMs: number,
  ): Promise<PlainRow<N>[]> {
    return (await this.#read(link =>
      link.plainRows(table, query, computeKeptSince(table, nowMs)),
    )) as PlainRow<N>[]
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
    const endMs = this.#time.nowMs() + this.#limits.retryMsMax
    let unsettled = null as Unsettled | null
    let abortsInRow = 0
    for (;;) {
      try {
        const link = await this.#getWriter()
        if (link.isOutranked === true) {
          this.#drop(link)
          continue
        }
        const { missed, nowMs } = await this.#beginTurn(link, from)
        if (unsettled !== null) {
          if (await this.#settle(link, missed, unsettled.batch))
            return computeHead(unsettled.base, unsettled.batch)
          unsettled = null
          if (this.#time.nowMs() < endMs) continue
          throw new StoreUnavailable('the connection to the database was lost during every commit')
        }
        const batch = await this.#decide(link, () => decide(missed, nowMs))
        const { revision, chain } = missed.at(-1) ?? from
        const base = { revision, chain }
        if (batch === null) return base
        try {
          await this.#onWriter(link, link.commit(base, batch, this.#limits))
          return computeHead(base, batch)
        } catch (reason) {
          if (reason instanceof LinkLost)
            unsettled = { batch, base, endMs: this.#time.nowMs() + this.#limits.settleMsMax }
          throw reason
        }
      } catch (reason) {
        const isLate = this.#closed || this.#time.nowMs() >= (unsettled?.endMs ?? endMs)
        this.#checkPatience(reason, unsettled !== null, isLate)
        abortsInRow = reason instanceof TurnAborted ? abortsInRow + 1 : 0
        await this.#time.sleep(abortsInRow > 0 ? Math.min(abortsInRow, PAUSE_MS) : PAUSE_MS)
      }
    }
  }

  /** Throws the final error of the write, unless it is to be retried. */
  #checkPatience(reason: unknown, isUnsettled: boolean, isLate: boolean): void {
    if (isUnsettled && (reason instanceof HistoryTrimmed || (isPassing(reason) && isLate)))
      throw new StoreUncertain(
        `the connection to the database was lost during a commit, so its outcome is unknown: ${getMessage(reason)}`,
      )
    if (!isPassing(reason)) throw reason
    // A database that refuses, or is not there, will not be better in a moment; but an open COMMIT must be settled.
    if (isLate || (reason instanceof StoreUnavailable && !isUnsettled))
      throw new StoreUnavailable(getMessage(reason), { cause: reason })
  }

  async #beginTurn(link: Link, from: Head) {
    const { head, history, nowMs } = await this.#onWriter(link, link.begin(from.revision))
    try {
      return { missed: await this.#readMissed(link, from, head, history), nowMs }
    } catch (reason) {
      // A node can take a transaction back between two reads, which then do not fit: only a fence shows that they were one.
      if (reason instanceof HistoryBroken) await this.#onWriter(link, link.fence())
      else if (!(reason instanceof LinkLost)) await this.#giveBack(link)
      throw reason
    }
  }

  /** All that was committed since, read under the lock; throws HistoryBroken if it does not follow. */
  async #readMissed(link: Link, from: Head, head: Head, first: History): Promise<readonly Committed[]> {
    const missed: Committed[] = []
    let last: Head = from
    for (
      let page = first;
      ;
      page = await this.#onWriter(link, link.changesAfter(last.revision, CHANGES_PER_PAGE))
    ) {
      // If memory is beyond the head, nothing needs to be kept.
      if (!page.kept && last.revision < head.revision)
        throw new HistoryTrimmed(`the change log no longer has what follows ${describeHead(last)}`)
      const changes = page.kept ? page.changes : []
      for (const change of changes) {
        if (!follows(change, last)) throw makeHistoryBroken(change, last)
        missed.push(change)
        last = change
      }
      if (isSameHead(last, head)) return missed
      if (changes.length === 0 || last.revision >= head.revision) throw makeHistoryBroken(head, last)
    }
  }

  async #decide(link: Link, decide: () => Batch | null): Promise<Batch | null> {
    let batch: Batch | null = null
    try {
      batch = decide()
    } catch (reason) {
      await this.#giveBack(link)
      throw reason
    }
    // Only the answer of the database proves that no other process wrote until then.
    if (batch === null) await this.#onWriter(link, link.release())
    else assert(batch.changes.length > 0 || (batch.plain ?? []).length > 0, 'a batch has something to write')
    return batch
  }

  /** Whether a batch whose COMMIT was not answered is stored. If not, it never will be. Ends the turn. */
  async #settle(link: Link, missed: readonly Committed[], batch: Batch): Promise<boolean> {
    const isStored =
      batch.changes.length > 0
        ? missed.some(change => change.batchId === batch.id)
        : await this.#onWriter(link, link.holds(batch.plain ?? []))
    // A yes must be durable: a restarted primary shows what its standby may not have yet. A no must stay one: where
    // locks are local to a node, the COMMIT may still arrive at another.
    await this.#onWriter(link, link.fence())
    return isStored
  }

  async #giveBack(link: Link): Promise<void> {
    try {
      await this.#onWriter(link, link.rollback())
    } catch {
      // The database rolls back when the connection ends.
      this.#drop(link)
    }
  }

  #getWriter(): Promise<Link> {
    this.#writer ??= this.#connect(failed => {
      if (this.#writer === failed) this.#writer = null
    })
    return this.#writer
  }

  #getReader(): Promise<Link> {
    this.#reader ??= this.#connect(failed => {
      if (this.#reader === failed) this.#reader = null
    })
    return this.#reader
  }

  /** Changes nothing, so after a lost connection it is asked once more. */
  async #read<T>(ask: (link: Link) => Promise<T>): Promise<T> {
    const leave = (reader: Promise<Link>, link: Link) => {
      if (this.#reader === reader) this.#reader = null
      void link.close().catch(() => undefined)
    }
    for (let again = true; ; again = false) {
      let reader = this.#getReader()
      let link = await reader
      if (link.isOutranked === true) {
        leave(reader, link)
        reader = this.#getReader()
        link = await reader
      }
      try {
        return await ask(link)
      } catch (reason) {
        if (!(reason instanceof LinkLost)) throw reason
        leave(reader, link)
        if (!again || this.#closed) throw new StoreUnavailable(reason.message, { cause: reason })
      }
    }
  }

  #connect(onFailed: (failed: Promise<Link>) => void): Promise<Link> {
    const connecting = this.#openLink()
    connecting.catch(() => onFailed(connecting))
    return connecting
  }

  async #openLink(): Promise<Link> {
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

/** It may have been our history, which can no longer be checked. */
class HistoryTrimmed extends HistoryBroken {}

/** A batch whose COMMIT was not answered, its previous head, and until when to look for it. */
interface Unsettled {
  readonly batch: Batch
  readonly base: Head
  readonly endMs: number
}

/** With plain rows only, the head does not move. */
const computeHead = (base: Head, batch: Batch): Head =>
  computeHeads(base, batch.id, batch.changes.length).at(-1) ?? base

function makeHistoryBroken(found: Head, last: Head): HistoryBroken {
  return new HistoryBroken(
    `the database is at ${describeHead(found)}, which does not follow ${describeHead(last)}`,
  )
}

const getMessage = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason))

/** What may pass with time, or with another connection. */
const isPassing = (reason: unknown): boolean =>
  reason instanceof LinkLost || reason instanceof TurnAborted || reason instanceof StoreUnavailable
