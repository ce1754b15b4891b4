import type { Clock } from '../../kernel/clock.ts'
import { sameHead } from '../chain.ts'
import type { Head, Store } from '../store.ts'
import { StoreDiverged, StoreRefused, StoreUnavailable } from '../store.ts'

/** `linearizable`: a read sees all that was acknowledged before it came. `local`: it sees what memory has. */
type Reads = 'linearizable' | 'local'

export interface FollowerSettings {
  readonly reads: Reads
  /** How old memory may be where reads are local; null is any age. */
  readonly staleMsMax: number | null
  readonly pollMs: number
}

/** The part of the sequencer that takes in what others did. */
interface Reachable {
  readonly head: Head
  reach(seen: Head, before: Head): Promise<void>
  giveUp(reason: unknown): Error
}

export interface FollowerObserver {
  /** A look at the head took so long, with all that had to be read after it. */
  looked?(ms: number): void
  failed?(): void
  /** The first look that failed after one that did not, or the other way round. */
  lost?(reason: unknown): void
  found?(): void
}

interface FollowerParts {
  readonly store: Pick<Store, 'head' | 'onOthers'>
  readonly sequencer: Reachable
  readonly settings: FollowerSettings
  readonly clock: Clock
  readonly observer?: FollowerObserver
}

/**
 * Keeps memory close to a store that others write to as well, and says when it may be read. A look at the head
 * serves all requests that came before it started; those that come while it runs wait for the next. A store
 * with one owner needs nothing of this.
 */
export class Follower {
  readonly #parts: FollowerParts
  readonly #isShared: boolean
  #looking: Promise<void> | null = null
  #next: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #freshAtMs: number
  #trouble: string | null = null
  #isStopped = false

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#isShared = parts.store.onOthers !== undefined
    this.#freshAtMs = parts.clock.nowMs()
  }

  /** Looks from now on at every wake-up, and every now and then without one. */
  start(): void {
    if (!this.#isShared || this.#timer !== null) return
    const look = () => void this.look().catch(() => undefined)
    this.#parts.store.onOthers?.(look)
    this.#timer = setInterval(look, this.#parts.settings.pollMs)
    this.#timer.unref()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Why memory cannot be brought up to date; null when it can. */
  get trouble(): string | null {
    return this.#trouble
  }

  /** Why reads are turned away; null when they are not. */
  get unready(): string | null {
    const { reads, staleMsMax } = this.#parts.settings
    if (reads === 'linearizable') return this.#trouble
    return staleMsMax === null || this.staleMs <= staleMsMax ? null : this.#tooOld()
  }

  /** How old memory may be, in ms; 0 where no other process writes. */
  get staleMs(): number {
    return this.#isShared ? Math.max(0, this.#parts.clock.nowMs() - this.#freshAtMs) : 0
  }

  /** Resolves once memory may be read for a request that just came; null if it may at once. */
  upToDate(): Promise<void> | null {
    if (!this.#isShared) return null
    if (this.#parts.settings.reads === 'linearizable') return this.look()
    const why = this.unready
    return why === null ? null : Promise.reject(new StoreUnavailable(why))
  }

  #tooOld(): string {
    const why = this.#trouble ?? 'the last look is too long ago'
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
    try {
      const seen = await this.#lookOnce()
      // What a write of ours brought in meanwhile may be older than what was seen, and gone with a failover.
      const { head } = sequencer
      if (head.revision >= seen.revision && !sameHead(head, seen)) await this.#lookOnce()
    } catch (failed) {
      // A schema that is too new, say: waiting does not help. Whoever waits may ask another process.
      const isFinal = failed instanceof StoreRefused || failed instanceof StoreDiverged
      const reason = isFinal ? sequencer.giveUp(failed) : failed
      // One that was under way when the store was closed tells nothing.
      if (this.#isStopped) throw reason
      observer?.failed?.()
      if (this.#trouble === null) observer?.lost?.(reason)
      this.#trouble = reason instanceof Error ? reason.message : String(reason)
      throw reason
    }
    this.#freshAtMs = beganMs
    if (this.#trouble !== null) observer?.found?.()
    this.#trouble = null
    observer?.looked?.(clock.nowMs() - beganMs)
  }

  async #lookOnce(): Promise<Head> {
    const { store, sequencer } = this.#parts
    const before = sequencer.head
    const seen = await store.head()
    await sequencer.reach(seen, before)
    return seen
  }
}
