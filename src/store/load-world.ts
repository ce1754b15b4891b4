import { World } from '../world/world.ts'
import type { Head, Store } from './store.ts'

/** The whole state as it is stored, and the head it stands at. */
export async function loadWorld(store: Store): Promise<{ world: World; head: Head }> {
  const world = new World()
  const head = await store.load((table, rows) => world.loadAll(table, rows))
  world.revision = head.revision
  return { world, head }
}
