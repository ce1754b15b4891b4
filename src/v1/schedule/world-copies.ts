import { Semaphore } from '../../kernel/semaphore.ts'
import { PastWorld } from '../../store/past-world.ts'
import type { Store } from '../../store/store.ts'
import { pauseInTurns } from '../api/in-turns.ts'
import { Problem } from '../api/problem.ts'

/** Who asks one what-if mostly asks another. */
const KEPT_MS = 5 * 60_000

/**
 * Lends a private copy of the whole state, to one caller at a time because it takes as much memory as the
 * state. Changes to the copy block no other request. It is kept for a while after its last use: to follow the
 * changes since then takes less time than to load everything.
 */
export class WorldCopyPool {
  readonly #store: () => Store
  readonly #permit = new Semaphore(1)
  #kept: { readonly copy: PastWorld; readonly store: Store; readonly timer: NodeJS.Timeout } | null = null

  constructor(store: () => Store) {
    this.#store = store
  }

  /** Answers 503 while another caller has the copy. */
  async lend<T>(work: (past: PastWorld) => Promise<T>): Promise<T> {
    return this.#permit.run(async () => {
      const store = this.#store()
      const copy = (await this.#takeKept(store)) ?? (await PastWorld.load(store))
      try {
        return await work(copy)
      } finally {
        this.#keep(copy, store)
      }
    }, makeBusy)
  }

  async #takeKept(store: Store): Promise<PastWorld | null> {
    const kept = this.#kept
    this.#kept = null
    if (kept === null) return null
    clearTimeout(kept.timer)
    return kept.store === store && (await kept.copy.refresh(pauseInTurns())) ? kept.copy : null
  }

  #keep(copy: PastWorld, store: Store): void {
    const timer = setTimeout(() => {
      this.#kept = null
    }, KEPT_MS)
    this.#kept = { copy, store, timer: timer.unref() }
  }
}

const makeBusy = (): Problem =>
  new Problem(
    503,
    'private-world.busy',
    'Another replay, simulation or what-if explanation is running: try again.',
  )
