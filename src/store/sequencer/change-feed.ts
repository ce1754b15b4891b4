import type { History, Store } from '../store.ts'
import type { Applied, SequencerObserver } from './observer.ts'

export interface FeedLimits {
  /** How many of the latest changes are kept in memory ... */
  readonly changesMax: number
  /** ... and how many row ops they may have together. */
  readonly opsMax: number
}

const LIMITS: FeedLimits = { changesMax: 4_096, opsMax: 50_000 }
const SHARE_KEPT = 0.75

/** The changes after a revision, oldest first; or that they were trimmed. */
type FeedPage =
  | { readonly kept: true; readonly changes: readonly Applied[] }
  | { readonly kept: false; readonly oldestKept: number }

/**
 * The changes in order, for any number of followers. Each reads what follows the last revision it has seen, at its own
 * pace: recent changes from memory, older ones from the store. Nothing is kept per follower, so a slow one costs
 * nothing. Revisions are contiguous, so none is skipped or sent twice.
 */
export class ChangeFeed {
  readonly #store: Pick<Store, 'changesAfter'>
  readonly #limits: FeedLimits
  /** The latest changes; their revisions are contiguous and end at `#revision`. */
  #recent: Applied[] = []
  #ops = 0
  #revision: number
  #lives = 1
  #closed = false
  readonly #waiting = new Set<() => void>()

  constructor(store: Pick<Store, 'changesAfter'>, revision: number, limits: Partial<FeedLimits> = {}) {
    this.#store = store
    this.#revision = revision
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Adds every change that the sequencer applies from now on. */
  subscribeTo(sequencer: { subscribe(observer: SequencerObserver): void }): void {
    sequencer.subscribe({
      applied: change => this.add(change),
      reloaded: head => this.restart(head.revision),
    })
  }

  /** The last change added. */
  get revision(): number {
    return this.#revision
  }

  /** Increases when changes do not follow from earlier ones: followers have to start again. */
  get lives(): number {
    return this.#lives
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** A change that is durable and in memory; called in order, without a gap. */
  add(change: Applied): void {
    this.#revision = change.revision
    this.#recent.push(change)
    this.#ops += change.change.ops.length
    this.#forgetSome()
    this.#wake()
  }

  /** Starts another history, or one with a gap. */
  restart(revision: number): void {
    this.#recent = []
    this.#ops = 0
    this.#revision = revision
    this.#lives++
    this.#wake()
  }

  /** Some changes after a revision; none if it is the last. */
  async readAfter(revision: number, limit: number): Promise<FeedPage> {
    const oldest = this.#revision - this.#recent.length + 1
    if (revision + 1 >= oldest) {
      const from = revision + 1 - oldest
      return { kept: true, changes: this.#recent.slice(from, from + limit) }
    }
    // The store may be ahead of memory; what readers cannot see yet is not sent yet.
    const last = this.#revision
    const page: History = await this.#store.changesAfter(revision, limit)
    return page.kept ? { kept: true, changes: page.changes.filter(one => one.revision <= last) } : page
  }

  /** Resolves when there is a change after a revision, when the feed closes, when aborted, or after a while. */
  waitForChange(revision: number, gone: AbortSignal, msMax: number): Promise<void> {
    if (this.#revision > revision || this.#closed || gone.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const settle = (): void => {
        this.#waiting.delete(settle)
        gone.removeEventListener('abort', settle)
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(settle, msMax)
      gone.addEventListener('abort', settle)
      this.#waiting.add(settle)
    })
  }

  /** Followers end when they have received everything. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** Many at once, so that it costs little per change. */
  #forgetSome(): void {
    const { changesMax, opsMax } = this.#limits
    if (this.#recent.length <= changesMax && this.#ops <= opsMax) return
    let drop = 0
    while (this.#recent.length - drop > changesMax * SHARE_KEPT || this.#ops > opsMax * SHARE_KEPT)
      this.#ops -= (this.#recent[drop++] as Applied).change.ops.length
    this.#recent = this.#recent.slice(drop)
  }

  #wake(): void {
    for (const settle of [...this.#waiting]) settle()
  }
}
