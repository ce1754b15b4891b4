import type { Change } from './change.ts'
import type { World } from './world.ts'

/**
 * A state of its own that nobody else sees, such as one loaded from the store for a replay or a simulation. What is done to it
 * stays done, and it may be changed from one turn of the event loop to the next. Never wrap the world that is served.
 */
export class WorldCopy {
  readonly world: World

  constructor(world: World) {
    this.world = world
  }

  make(change: Change): void {
    this.world.apply(change)
  }

  /** The change must be the last one made that was not taken back yet. */
  takeBack(change: Change): void {
    this.world.undo(change)
  }
}
