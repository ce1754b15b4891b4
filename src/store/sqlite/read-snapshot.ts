import type { AnyRow, Value } from '../../world/table.ts'
import type { Head, Snapshot } from '../store.ts'
import { describeTable, type StoredName } from '../tables/described-tables.ts'
import type { Page } from './messages.ts'
import type { SqliteThread } from './thread.ts'

const ROWS_PER_PAGE = 10_000

/** A snapshot in the worker, as the main thread sees it. */
export class ReadSnapshot implements Snapshot {
  readonly head: Head
  readonly #thread: SqliteThread
  readonly #load: number
  #walks = 0

  private constructor(thread: SqliteThread, load: number, head: Head) {
    this.#thread = thread
    this.#load = load
    this.head = head
  }

  static async begin(thread: SqliteThread): Promise<ReadSnapshot> {
    const { load, head } = await thread.call('load-begin', null)
    return new ReadSnapshot(thread, load, head)
  }

  async *rows(table: StoredName, rowsMax = ROWS_PER_PAGE): AsyncGenerator<readonly AnyRow[]> {
    const request = { load: this.#load, walk: ++this.#walks, table, rowsMax }
    // The worker reads the next page while this thread processes the last one.
    let coming = this.#thread.call('load-next', request)
    for (;;) {
      const page = await coming
      if (page === null) return
      coming = this.#thread.call('load-next', request)
      // The failure of a page that is no longer awaited does not matter.
      coming.catch(() => undefined)
      yield parseRows(page)
    }
  }

  async close(): Promise<void> {
    await this.#thread.call('load-end', { load: this.#load })
  }
}

function parseRows({ table, rows: length, columns }: Page): AnyRow[] {
  const values = columns.map(column => JSON.parse(column) as Value[])
  const blank = makeBlank(table)
  const names = Object.keys(blank)
  const rows: AnyRow[] = []
  for (let at = 0; at < length; at++) {
    // A copy has all members at once; adding them one by one would change its shape with each.
    const row = { ...blank }
    for (let column = 0; column < names.length; column++)
      row[names[column] as string] = (values[column] as Value[])[at] as Value
    rows.push(row)
  }
  return rows
}

/** A row of nulls, with the columns in order. */
const makeBlank = (table: StoredName): Record<string, Value> =>
  Object.fromEntries(describeTable(table).columnNames.map(name => [name, null]))
