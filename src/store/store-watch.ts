import { describeSilence, type Store, StoreDiverged, StoreRefused } from './store.ts'

const LOOK_MS = 1_000
/** A store that owes an answer for longer is reported as not answering. */
const OWED_MS_MAX = 2_000

interface StoreWatchObserver {
  /** Memory and files differ. */
  diverged(reason: unknown): void
  /** The first check that found it silent, or no longer so. */
  silent?(reason: string): void
  answered?(): void
}

/** Watches a store in files of this process: whether it answers, and whether its files are still there. */
export class StoreWatch {
  readonly #store: Pick<Store, 'check' | 'owedMs'>
  readonly #observer: StoreWatchObserver
  #wasSilent = false
  #timer: NodeJS.Timeout | null = null
  #isChecking = false

  constructor(store: Pick<Store, 'check' | 'owedMs'>, observer: StoreWatchObserver) {
    this.#store = store
    this.#observer = observer
  }

  start(): void {
    if (this.#store.check === undefined || this.#timer !== null) return
    this.#timer = setInterval(() => void this.look(), LOOK_MS)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Why requests should go elsewhere; null while the store answers. */
  get unready(): string | null {
    const owedMs = this.#store.owedMs?.() ?? 0
    return owedMs > OWED_MS_MAX ? describeSilence(owedMs) : null
  }

  async look(): Promise<void> {
    const why = this.unready
    if (why !== null && !this.#wasSilent) this.#observer.silent?.(why)
    if (why === null && this.#wasSilent) this.#observer.answered?.()
    this.#wasSilent = why !== null
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      await this.#store.check?.()
    } catch (reason) {
      if (reason instanceof StoreDiverged || reason instanceof StoreRefused) this.#observer.diverged(reason)
    } finally {
      this.#isChecking = false
    }
  }
}
