import type { World } from '../../world/world.ts'
import type { Pause } from './census.ts'

/** The world changed during the read, so that its parts no longer fit together. */
class WorldChanged extends Error {}

const TRIES_MAX = 5
/** If the world changed during every try, up to this many providers are read without a pause. */
export const PROVIDERS_AT_ONCE_MAX = 5_000

/**
 * Reads a world that does not change meanwhile. `turn` lets other work run between two parts of the read; if the world
 * changes, the read starts again. Null if the world changed during every try.
 */
export async function readConsistently<T>(
  world: World,
  turn: () => Promise<void>,
  read: (pause: Pause) => Promise<T>,
  providersAtOnceMax: number = PROVIDERS_AT_ONCE_MAX,
): Promise<T | null> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { revision, lives } = world
    const pause = async () => {
      await turn()
      if (world.revision !== revision || world.lives !== lives) throw new WorldChanged()
    }
    try {
      return await read(pause)
    } catch (error) {
      if (!(error instanceof WorldChanged)) throw error
    }
  }
  if (world.providers.size > providersAtOnceMax) return null
  return read(async () => undefined)
}
