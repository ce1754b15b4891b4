import { ChangeRefused } from '../world/change-refused.ts'
import type { AnyRow } from '../world/table.ts'
import type { TableName } from '../world/tables.ts'
import { World } from '../world/world.ts'
import { type Head, type Store, StoreRefused } from './store.ts'

/** The whole state as it is stored, and the head it stands at. */
export async function loadWorld(store: Store): Promise<{ world: World; head: Head }> {
  const world = new World()
  const head = await store.load((table, rows) => loadRows(world, table, rows))
  world.revision = head.revision
  return { world, head }
}

/** Throws StoreRefused where rows have the same key or unique value, which only a damaged database has. */
export function loadRows(world: World, table: TableName, rows: readonly AnyRow[]): void {
  try {
    world.loadAll(table, rows)
  } catch (reason) {
    if (!(reason instanceof ChangeRefused)) throw reason
    throw new StoreRefused(`the database is damaged: ${reason.message}`, { cause: reason })
  }
}
