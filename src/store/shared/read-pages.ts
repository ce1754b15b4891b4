import type { AnyRow } from '../../world/table.ts'
import { tableByName } from '../../world/tables.ts'
import type { StoredName } from '../tables/described-tables.ts'

export const ROWS_PER_PAGE = 10_000

/** Reads a page of the rows that follow `after`; if `byLength`, a page ends early where its rows are long. */
type ReadPage = (byLength: boolean, after: AnyRow | null) => Promise<readonly AnyRow[]>

/** All rows of a table. The database reads the next page while this one is processed. */
export async function* readPages(
  name: StoredName,
  rowsMax: number,
  readPage: ReadPage,
): AsyncGenerator<readonly AnyRow[]> {
  const byLength = !Object.hasOwn(tableByName, name)
  let coming: Promise<readonly AnyRow[]> | null = readPage(byLength, null)
  while (coming !== null) {
    const rows: readonly AnyRow[] = await coming
    const last = rows.at(-1)
    const isLast = last === undefined || (rows.length < rowsMax && !byLength)
    coming = isLast ? null : readPage(byLength, last)
    // The failure of a page that is no longer awaited does not matter.
    coming?.catch(() => undefined)
    if (rows.length > 0) yield rows
  }
}
