import type { AnyRow } from '../world/table.ts'
import type { TableName } from '../world/tables.ts'
import { World } from '../world/world.ts'
import { type Head, type Store, StoreRefused } from './store.ts'
import { ReferenceCheck } from './verify/check-references.ts'

/** The whole state as it is stored, and the head it stands at. */
export async function loadWorld(store: Store): Promise<{ world: World; head: Head }> {
  const world = new World()
  const head = await store.load((table, rows) => loadRows(world, table, rows))
  world.revision = head.revision
  return { world, head }
}

/** The same for those who answer requests from it: throws StoreRefused, too, where a row refers to one that is not there. */
export async function loadSoundWorld(store: Store): Promise<{ world: World; head: Head }> {
  const world = new World()
  const check = new ReferenceCheck()
  const head = await store.load((table, rows) => {
    check.take(table, rows)
    loadRows(world, table, rows)
  })
  check.end()
  world.revision = head.revision
  return { world, head }
}

/** Throws StoreRefused where memory does not take rows, such as two with one key: only a damaged database has them. */
export function loadRows(world: World, table: TableName, rows: readonly AnyRow[]): void {
  try {
    world.loadAll(table, rows)
  } catch (reason) {
    const why = reason instanceof Error ? reason.message : String(reason)
    throw new StoreRefused(`the database is damaged: its table ${table}: ${why}`, { cause: reason })
  }
}
