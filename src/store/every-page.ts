import type { AnyRow } from '../world/table.ts'
import { describedTables, type StoredName } from './described-tables.ts'
import type { Snapshot } from './store.ts'

export interface TablePage {
  readonly table: StoredName
  readonly rows: readonly AnyRow[]
}

/** All that a snapshot shows, table by table, parents before children. */
export async function* everyPage(snapshot: Snapshot): AsyncGenerator<TablePage> {
  for (const { name: table } of describedTables)
    for await (const rows of snapshot.rows(table)) yield { table, rows }
}
