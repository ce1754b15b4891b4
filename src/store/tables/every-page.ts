import type { AnyRow } from '../../world/table.ts'
import { mirroredTables } from '../../world/tables.ts'
import type { Head, Snapshot, Store } from '../store.ts'
import { describedTables, type StoredName } from './described-tables.ts'

export interface TablePage {
  readonly table: StoredName
  readonly rows: readonly AnyRow[]
}

/** Everything in a snapshot, table by table, parents before children. */
export async function* readEveryPage(snapshot: Snapshot): AsyncGenerator<TablePage> {
  for (const { name: table } of describedTables)
    for await (const rows of snapshot.rows(table)) yield { table, rows }
}

/** Passes on the mirrored rows of a snapshot, and closes it. */
export async function loadFrom(
  snapshot: Snapshot,
  onRows: Parameters<Store['load']>[0],
  rowsPerPageMax?: number,
): Promise<Head> {
  try {
    for (const { name } of mirroredTables)
      for await (const rows of snapshot.rows(name, rowsPerPageMax)) onRows(name, rows)
    return snapshot.head
  } finally {
    await snapshot.close()
  }
}
