import type { DatabaseSync } from 'node:sqlite'
import type { Table, Value } from '../../world/table.ts'
import { mirroredTables, type TableName } from '../../world/tables.ts'
import type { Head } from '../store.ts'
import type { Page } from './messages.ts'
import { pageOfColumns } from './statements.ts'

const ROWS_PER_PAGE = 10_000

/**
 * All rows as of one head, page by page, in a read transaction on a connection of its own: writes go on
 * meanwhile and do not show. SQLite makes JSON of whole columns, which costs half of fetching row by row.
 */
export class Snapshot {
  readonly head: Head
  readonly #db: DatabaseSync
  readonly #pages: Iterator<Page>

  constructor(db: DatabaseSync) {
    this.#db = db
    db.exec('BEGIN')
    this.head = { ...(db.prepare('SELECT revision, chain FROM head').get() as unknown as Head) }
    this.#pages = pages(db)
  }

  next(): Page | null {
    const next = this.#pages.next()
    return next.done === true ? null : next.value
  }

  close(): void {
    this.#db.close()
  }
}

function* pages(db: DatabaseSync): Generator<Page> {
  for (const table of mirroredTables as unknown as readonly Table<TableName>[]) {
    let after: Value[] = []
    for (;;) {
      const statement = db.prepare(pageOfColumns(table, after.length > 0, ROWS_PER_PAGE))
      statement.setReturnArrays(true)
      const [rows, ...columns] = statement.get(...after) as unknown as [number, ...string[]]
      if (rows > 0) yield { table: table.name, rows, columns }
      if (rows < ROWS_PER_PAGE) break
      after = table.key.map(name => lastOf(columns[table.columnNames.indexOf(name)] as string))
    }
  }
}

const lastOf = (column: string) => (JSON.parse(column) as Value[]).at(-1) as Value
