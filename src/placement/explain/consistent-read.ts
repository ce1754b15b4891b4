import type { World } from '../../world/world.ts'
import type { Pause } from './census.ts'

/** The world moved while it was being looked at: what was seen no longer fits together. */
class Moved extends Error {}

const TRIES_MAX = 5
/** A cloud of so many providers is looked at in one go, if it will not stand still otherwise. */
const PROVIDERS_AT_ONCE_MAX = 5_000

/**
 * Looks at a world that stands still. `turn` lets others work between two looks; should the world move meanwhile, all is
 * looked at again. Null if it moved every time before all was looked at.
 */
export async function standingStill<T>(
  world: World,
  turn: () => Promise<void>,
  look: (pause: Pause) => Promise<T>,
): Promise<T | null> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { revision, lives } = world
    const pause = async () => {
      await turn()
      if (world.revision !== revision || world.lives !== lives) throw new Moved()
    }
    try {
      return await look(pause)
    } catch (error) {
      if (!(error instanceof Moved)) throw error
    }
  }
  if (world.providers.size > PROVIDERS_AT_ONCE_MAX) return null
  return look(async () => undefined)
}
