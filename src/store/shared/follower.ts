import type { Clock } from '../../kernel/clock.ts'
import { isSameHead } from '../chain.ts'
import type { Head, Store } from '../store.ts'
import { StoreDiverged, StoreRefused, StoreUnavailable } from '../store.ts'

/** `linearizable`: a read sees everything acknowledged before it. `local`: it sees what memory has. */
type Reads = 'linearizable' | 'local'

export interface FollowerSettings {
  readonly reads: Reads
  /** How old memory may be for local reads; null is any age. */
  readonly staleMsMax: number | null
  /** How often to look while others write, and otherwise. */
  readonly pollMsBusy: number
  readonly pollMs: number
}

/** How long other processes count as writing after one of their changes was seen. */
const BUSY_MS = 1_000

/** The part of the sequencer that applies changes of other processes. */
interface Reachable {
  readonly head: Head
  catchUpTo(seen: Head, before: Head): Promise<void>
  giveUp(reason: unknown): Error
}

export interface FollowerObserver {
  /** A read of the head, with its duration and the number of revisions read after it. */
  looked?(ms: number, revisionsBehind: number): void
  failed?(): void
  /** The first check that failed after a successful one, or the reverse. */
  lost?(reason: unknown): void
  found?(): void
}

interface FollowerParts {
  readonly store: Pick<Store, 'head' | 'isShared'>
  readonly sequencer: Reachable
  readonly settings: FollowerSettings
  readonly clock: Clock
  readonly observer?: FollowerObserver
}

/**
 * Keeps memory close to a store that other processes write to, and says when it may be read. A check of the head serves
 * all requests that came before it started; those that come while it runs wait for the next. A store with one owner
 * needs none of this.
 */
export class Follower {
  readonly #parts: FollowerParts
  readonly #isShared: boolean
  #looking: Promise<void> | null = null
  #next: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #freshAtMs: number
  #newsAtMs = Number.NEGATIVE_INFINITY
  #trouble: string | null = null
  #isStopped = false

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#isShared = parts.store.isShared === true
    this.#freshAtMs = parts.clock.nowMs()
  }

  /** Checks periodically, more often while others write. */
  start(): void {
    if (this.#isShared && this.#timer === null) this.#schedulePoll()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #schedulePoll(): void {
    const { clock, settings } = this.#parts
    const isBusy = clock.nowMs() < this.#newsAtMs + BUSY_MS
    const poll = async () => {
      // A read may be looking already.
      await (this.#looking ?? this.look()).catch(() => undefined)
      if (!this.#isStopped) this.#schedulePoll()
    }
    this.#timer = setTimeout(poll, isBusy ? settings.pollMsBusy : settings.pollMs)
    this.#timer.unref()
  }

  /** Why memory cannot be brought up to date; null if it can. */
  get lastError(): string | null {
    return this.#trouble
  }

  /** Why reads are refused; null if they are not. */
  get unready(): string | null {
    const { reads, staleMsMax } = this.#parts.settings
    if (reads === 'linearizable') return this.#trouble
    return staleMsMax === null || this.staleMs <= staleMsMax ? null : this.#describeAge()
  }

  /** How old memory may be, in ms; 0 if no other process writes. */
  get staleMs(): number {
    return this.#isShared ? Math.max(0, this.#parts.clock.nowMs() - this.#freshAtMs) : 0
  }

  /** Resolves when memory may be read for a new request; null if it may at once. */
  waitUntilFresh(): Promise<void> | null {
    if (!this.#isShared) return null
    if (this.#parts.settings.reads === 'linearizable') return this.look()
    const why = this.unready
    return why === null ? null : Promise.reject(new StoreUnavailable(why))
  }

  #describeAge(): string {
    const why = this.#trouble ?? 'the head was last read too long ago'
    return `memory is ${this.staleMs} ms old, and more than ${this.#parts.settings.staleMsMax} ms are not served: ${why}`
  }

  /** Resolves when memory has all that was committed before this call. */
  look(): Promise<void> {
    if (this.#next !== null) return this.#next
    if (this.#looking === null) return this.#begin()
    this.#next = this.#looking.then(
      () => this.#begin(),
      () => this.#begin(),
    )
    return this.#next
  }

  #begin(): Promise<void> {
    this.#next = null
    const looking = this.#look().finally(() => {
      if (this.#looking === looking) this.#looking = null
    })
    this.#looking = looking
    return looking
  }

  async #look(): Promise<void> {
    const { sequencer, clock, observer } = this.#parts
    const beganMs = clock.nowMs()
    const { revision } = sequencer.head
    let revisionsBehind = 0
    try {
      const seen = await this.#lookOnce()
      revisionsBehind = Math.max(0, seen.revision - revision)
      // A write of ours may have brought in something older meanwhile, or something lost in a failover.
      const { head } = sequencer
      if (head.revision >= seen.revision && !isSameHead(head, seen)) await this.#lookOnce()
    } catch (failed) {
      // For example a schema that is too new: waiting does not help, another process may.
      const isFinal = failed instanceof StoreRefused || failed instanceof StoreDiverged
      const reason = isFinal ? sequencer.giveUp(failed) : failed
      // A check that was running when the store was closed does not count.
      if (this.#isStopped) throw reason
      observer?.failed?.()
      if (this.#trouble === null) observer?.lost?.(reason)
      this.#trouble = reason instanceof Error ? reason.message : String(reason)
      throw reason
    }
    this.#freshAtMs = beganMs
    if (revisionsBehind > 0) this.#newsAtMs = clock.nowMs()
    if (this.#trouble !== null) observer?.found?.()
    this.#trouble = null
    observer?.looked?.(clock.nowMs() - beganMs, revisionsBehind)
  }

  async #lookOnce(): Promise<Head> {
    const { store, sequencer } = this.#parts
    const before = sequencer.head
    const seen = await store.head()
    await sequencer.catchUpTo(seen, before)
    return seen
  }
}
