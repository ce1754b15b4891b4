import { assert } from '../kernel/assert.ts'
import type { Change } from './change.ts'
import type { World } from './world.ts'

/**
 * A private state, such as one loaded from the store for a replay or a simulation. Changes persist over turns of the
 * event loop. Never wrap the world that is served.
 */
export class WorldCopy {
  readonly world: World
  /** In order; those that were taken back are gone. */
  protected readonly made: Change[] = []

  constructor(world: World) {
    this.world = world
  }

  make(change: Change): void {
    this.world.apply(change)
    this.made.push(change)
  }

  /** The change must be the last one that was not undone. */
  takeBack(change: Change): void {
    assert(this.made.pop() === change, 'the last change is taken back')
    this.world.undo(change)
  }
}
