import { Semaphore } from '../../kernel/semaphore.ts'
import { PastWorld } from '../../store/past-world.ts'
import type { Store } from '../../store/store.ts'
import { Problem } from '../api/problem.ts'

/**
 * Lends a private copy of the whole state, to one caller at a time because it takes as much memory as the
 * state. Changes to the copy block no other request.
 */
export class WorldCopyPool {
  readonly #store: () => Store
  readonly #permit = new Semaphore(1)

  constructor(store: () => Store) {
    this.#store = store
  }

  /** Answers 503 while another caller has the copy. */
  async lend<T>(work: (past: PastWorld) => Promise<T>): Promise<T> {
    return this.#permit.run(async () => work(await PastWorld.load(this.#store())), makeBusy)
  }
}

const makeBusy = (): Problem =>
  new Problem(
    503,
    'private-world.busy',
    'Another replay, simulation or what-if explanation is running: try again.',
  )
