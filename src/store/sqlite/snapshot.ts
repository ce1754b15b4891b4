import type { DatabaseSync } from 'node:sqlite'
import type { Table, Value } from '../../world/table.ts'
import { tableByName } from '../../world/tables.ts'
import { type Head, StoreUnavailable } from '../store.ts'
import { describeTable, type StoredName } from '../tables/described-tables.ts'
import { readHead } from './head-row.ts'
import type { Page, PageRequest } from './messages.ts'
import { selectAll, selectPage } from './statements.ts'

/** Changes and answers may be of any length: a page of them ends when its texts are this long. */
const PAGE_LENGTH_MAX = 8_000_000

/**
 * All rows as of one head, page by page, in a read transaction on its own connection: later writes do not show. SQLite
 * encodes whole columns as JSON, which costs half of fetching row by row.
 */
class TableSnapshot {
  readonly head: Head
  readonly #db: DatabaseSync
  readonly #walks = new Map<number, Iterator<Page>>()

  constructor(db: DatabaseSync) {
    this.#db = db
    db.exec('BEGIN')
    this.head = readHead(db)
  }

  next({ walk, table, rowsMax }: Omit<PageRequest, 'load'>): Page | null {
    let pages = this.#walks.get(walk)
    if (pages === undefined) {
      pages = isMirrored(table)
        ? readPages(this.#db, table, rowsMax)
        : readPagesByLength(this.#db, table, rowsMax)
      this.#walks.set(walk, pages)
    }
    const next = pages.next()
    return next.done === true ? null : next.value
  }

  close(): void {
    this.#db.close()
  }
}

/** The snapshots that are being read, by number. */
export class OpenSnapshots {
  readonly #file: string
  readonly #open = new Map<number, TableSnapshot>()
  #last = 0

  constructor(file: string) {
    this.#file = file
  }

  open(db: DatabaseSync): { load: number; head: Head } {
    const snapshot = new TableSnapshot(db)
    this.#open.set(++this.#last, snapshot)
    return { load: this.#last, head: snapshot.head }
  }

  next(request: PageRequest): Page | null {
    const snapshot = this.#open.get(request.load)
    if (snapshot === undefined) throw new StoreUnavailable(`reading ${this.#file} was interrupted`)
    return snapshot.next(request)
  }

  close(load: number): void {
    this.#open.get(load)?.close()
    this.#open.delete(load)
  }

  closeAll(): void {
    for (const load of [...this.#open.keys()]) this.close(load)
  }
}

const isMirrored = (name: StoredName) => Object.hasOwn(tableByName, name)

function* readPages(db: DatabaseSync, name: StoredName, rowsMax: number): Generator<Page> {
  const table = describeTable(name)
  let after: Value[] = []
  for (;;) {
    const statement = db.prepare(selectPage(table, after.length > 0, rowsMax))
    statement.setReturnArrays(true)
    const [rows, ...columns] = statement.get(...after) as unknown as [number, ...string[]]
    if (rows > 0) yield { table: name, rows, columns }
    if (rows < rowsMax) return
    after = table.key.map(column => parseLast(columns[table.columnNames.indexOf(column)] as string))
  }
}

function* readPagesByLength(db: DatabaseSync, name: StoredName, rowsMax: number): Generator<Page> {
  const table = describeTable(name)
  const statement = db.prepare(selectAll(table))
  statement.setReturnArrays(true)
  let rows: Value[][] = []
  let length = 0
  for (const row of statement.iterate() as Iterable<unknown>) {
    rows.push(row as Value[])
    for (const value of row as Value[]) if (typeof value === 'string') length += value.length
    if (rows.length < rowsMax && length < PAGE_LENGTH_MAX) continue
    yield makePage(table, rows)
    rows = []
    length = 0
  }
  if (rows.length > 0) yield makePage(table, rows)
}

function makePage(table: Table<StoredName>, rows: readonly Value[][]): Page {
  const columns = table.columnNames.map((_, at) => JSON.stringify(rows.map(row => row[at])))
  return { table: table.name, rows: rows.length, columns }
}

const parseLast = (column: string) => (JSON.parse(column) as Value[]).at(-1) as Value
