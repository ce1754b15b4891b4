import type { Change } from './change.ts'
import type { World } from './world.ts'

/**
 * A private state, such as one loaded from the store for a replay or a simulation. Changes persist over turns of the
 * event loop. Never wrap the world that is served.
 */
export class WorldCopy {
  readonly world: World

  constructor(world: World) {
    this.world = world
  }

  make(change: Change): void {
    this.world.apply(change)
  }

  /** The change must be the last one that was not undone. */
  takeBack(change: Change): void {
    this.world.undo(change)
  }
}
