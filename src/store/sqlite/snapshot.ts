import type { DatabaseSync } from 'node:sqlite'
import type { Table, Value } from '../../world/table.ts'
import { type TableName, tableByName } from '../../world/tables.ts'
import type { Head } from '../store.ts'
import type { Page, PageRequest } from './messages.ts'
import { pageOfColumns } from './statements.ts'

/**
 * All rows as of one head, page by page, in a read transaction on a connection of its own: writes go on
 * meanwhile and do not show. SQLite makes JSON of whole columns, which costs half of fetching row by row.
 */
export class TableSnapshot {
  readonly head: Head
  readonly #db: DatabaseSync
  readonly #walks = new Map<number, Iterator<Page>>()

  constructor(db: DatabaseSync) {
    this.#db = db
    db.exec('BEGIN')
    this.head = { ...(db.prepare('SELECT revision, chain FROM head').get() as unknown as Head) }
  }

  next({ walk, table, rowsMax }: Omit<PageRequest, 'load'>): Page | null {
    let pages = this.#walks.get(walk)
    if (pages === undefined) {
      pages = pagesOf(this.#db, table, rowsMax)
      this.#walks.set(walk, pages)
    }
    const next = pages.next()
    return next.done === true ? null : next.value
  }

  close(): void {
    this.#db.close()
  }
}

function* pagesOf(db: DatabaseSync, name: TableName, rowsMax: number): Generator<Page> {
  const table = tableByName[name] as unknown as Table
  let after: Value[] = []
  for (;;) {
    const statement = db.prepare(pageOfColumns(table, after.length > 0, rowsMax))
    statement.setReturnArrays(true)
    const [rows, ...columns] = statement.get(...after) as unknown as [number, ...string[]]
    if (rows > 0) yield { table: name, rows, columns }
    if (rows < rowsMax) return
    after = table.key.map(column => lastOf(columns[table.columnNames.indexOf(column)] as string))
  }
}

const lastOf = (column: string) => (JSON.parse(column) as Value[]).at(-1) as Value
