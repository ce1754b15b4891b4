import type { AnyRow } from '../world/table.ts'
import type { TableName } from '../world/tables.ts'
import { World } from '../world/world.ts'
import { type Head, type Store, StoreRefused } from './store.ts'
import { ReferenceCheck } from './verify/check-references.ts'

/** The stored state, and its head. */
export async function loadWorld(store: Store): Promise<{ world: World; head: Head }> {
  const world = new World()
  const head = await store.load((table, rows) => loadRows(world, table, rows))
  world.revision = head.revision
  return { world, head }
}

/** For serving requests: also throws StoreRefused if a row refers to one that does not exist. */
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

/** Throws StoreRefused if memory does not accept rows, such as two with one key: only a damaged database has them. */
export function loadRows(world: World, table: TableName, rows: readonly AnyRow[]): void {
  try {
    world.loadAll(table, rows)
  } catch (reason) {
    const why = reason instanceof Error ? reason.message : String(reason)
    throw new StoreRefused(`the database is damaged: its table ${table}: ${why}`, { cause: reason })
  }
}
