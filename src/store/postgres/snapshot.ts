import type { AnyRow, Column, Table, Value } from '../../world/table.ts'
import { LinkLost } from '../shared/link.ts'
import { ROWS_PER_PAGE, readPages } from '../shared/read-pages.ts'
import { type Head, type Snapshot, StoreUnavailable } from '../store.ts'
import { describeTable, type StoredName } from '../tables/described-tables.ts'
import { checkVersion, parseHead } from '../tables/stored-history.ts'
import { toReadError } from './failure.ts'
import { READ_HEAD } from './head-sql.ts'
import { rowsOrThrow, type Session } from './session.ts'
import { selectPage } from './statements.ts'
import { encodeValue, readText } from './values.ts'

/**
 * All rows as of one head, over its own session. PostgreSQL encodes whole columns as JSON, which is cheap to
 * parse.
 */
export class PostgresSnapshot implements Snapshot {
  readonly head: Head
  readonly #session: Session
  readonly #pageMsMax: number
  readonly #onClosed: () => void
  #closed: Promise<void> | null = null

  private constructor(session: Session, head: Head, pageMsMax: number, onClosed: () => void) {
    this.#session = session
    this.head = head
    this.#pageMsMax = pageMsMax
    this.#onClosed = onClosed
  }

  static async begin(
    session: Session,
    { pageMsMax, newestVersion }: { readonly pageMsMax: number; readonly newestVersion: number },
    onClosed: () => void,
  ): Promise<PostgresSnapshot> {
    const questions = [
      { text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' },
      { name: 'head', text: READ_HEAD },
    ]
    const answers = await session.ask(questions, pageMsMax)
    const rows = rowsOrThrow(answers, error => toUnavailable(session, error))[1] ?? []
    checkVersion(rows[0]?.[2] as number, newestVersion)
    return new PostgresSnapshot(session, parseHead(session.where, rows), pageMsMax, onClosed)
  }

  rows(name: StoredName, rowsMax = ROWS_PER_PAGE): AsyncGenerator<readonly AnyRow[]> {
    const table = describeTable(name)
    return readPages(name, rowsMax, (byLength, after) => this.#page(table, byLength, rowsMax, after))
  }

  close(): Promise<void> {
    this.#closed ??= this.#session.close().finally(this.#onClosed)
    return this.#closed
  }

  async #page(
    table: Table,
    byLength: boolean,
    rowsMax: number,
    after: AnyRow | null,
  ): Promise<readonly AnyRow[]> {
    const key = after === null ? [] : table.key.map(name => encodeValue(after[name] as Value))
    const question = {
      name: `page ${table.name}${after === null ? '' : ' after'}`,
      text: selectPage(table, after !== null, byLength),
      values: [rowsMax, ...key],
    }
    const answers = await this.#session.ask([question], this.#pageMsMax)
    const [row] = rowsOrThrow(answers, error => toUnavailable(this.#session, error))[0] ?? []
    const [count, ...columns] = row as [number, ...string[]]
    return count === 0 ? [] : parseRows(table, count, columns)
  }
}

/** A snapshot cannot be continued elsewhere: its reader has to start again. */
function toUnavailable(session: Session, error: Error): Error {
  const reason = toReadError(session.where, error)
  return reason instanceof LinkLost ? new StoreUnavailable(reason.message, { cause: reason }) : reason
}

function parseRows(table: Table, count: number, columns: readonly string[]): AnyRow[] {
  const values = table.columnNames.map((name, at) => {
    const column = JSON.parse(columns[at] as string) as Value[]
    const isText = (table.columns[name] as Column).type === 'text'
    return isText ? column.map(value => (value === null ? null : readText(value as string))) : column
  })
  return Array.from({ length: count }, (_, at) => {
    const row: Record<string, Value> = {}
    table.columnNames.forEach((name, column) => {
      row[name] = (values[column] as Value[])[at] as Value
    })
    return row
  })
}
