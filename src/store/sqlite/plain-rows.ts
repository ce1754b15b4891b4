import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AnyRow, Table, Value } from '../../world/table.ts'
import { type PlainName, type PlainTable, plainTableByName, plainTables } from '../plain-tables.ts'
import type { EncodedPut } from './messages.ts'
import { dropOld, findRow, putRow } from './statements.ts'

/** With every write at most so many old rows of each table are dropped. */
const TRIMMED_PER_WRITE_MAX = 1000

interface Statements {
  readonly put: StatementSync
  readonly find: StatementSync
  readonly dropOld: StatementSync
}

/** The plain tables through one connection. */
export class PlainRows {
  readonly #db: DatabaseSync
  readonly #statements = new Map<PlainName, Statements>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  put([table, values]: EncodedPut): void {
    this.#of(table).put.run(...values)
  }

  find(table: PlainName, key: readonly Value[]): AnyRow | null {
    const row = this.#of(table).find.get(...key)
    return row === undefined ? null : ({ ...row } as AnyRow)
  }

  /** Whether a row is there just as it was to be put. */
  holds([name, values]: EncodedPut): boolean {
    const table = plainTableByName[name] as unknown as Table
    const value = (column: string) => values[table.columnNames.indexOf(column)] as Value
    const row = this.find(name, table.key.map(value))
    return row !== null && table.columnNames.every(column => row[column] === value(column))
  }

  trim(nowMs: number): void {
    for (const { name, keepMsMax } of plainTables as unknown as readonly PlainTable<PlainName>[])
      this.#of(name).dropOld.run(nowMs - keepMsMax)
  }

  #of(name: PlainName): Statements {
    let statements = this.#statements.get(name)
    if (statements === undefined) {
      const table = plainTableByName[name] as unknown as Table
      statements = {
        put: this.#db.prepare(putRow(table)),
        find: this.#db.prepare(findRow(table)),
        dropOld: this.#db.prepare(dropOld(table, TRIMMED_PER_WRITE_MAX)),
      }
      this.#statements.set(name, statements)
    }
    return statements
  }
}
