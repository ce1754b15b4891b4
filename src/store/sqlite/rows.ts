import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EncodedOp } from '../../world/change.ts'
import type { Table, Value } from '../../world/table.ts'
import { type TableName, tableByName } from '../../world/tables.ts'
import { StoreDiverged } from '../store.ts'
import { deleteRow, insertRow, updateRow } from './statements.ts'

/** Writes row ops through one connection; each statement is prepared when first needed. */
export class RowWriter {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  write([name, before, after]: EncodedOp): void {
    const table = tableByName[name] as unknown as Table
    if (before === null) this.#prepared(name, 'insert', () => insertRow(table)).run(...(after as Value[]))
    else if (after === null)
      this.#one(
        name,
        this.#prepared(name, 'delete', () => deleteRow(table)),
        before,
      )
    else this.#update(name, table, before, after)
  }

  #update(name: TableName, table: Table, before: Value[], after: Value[]): void {
    const columns = table.columnNames.filter((_, at) => before[at] !== after[at])
    if (columns.length === 0) return
    const moved = columns.find(column => table.key.includes(column))
    if (moved !== undefined) throw new StoreDiverged(`an update of ${name} would change its key ${moved}`)
    const statement = this.#prepared(name, `update ${columns.join(' ')}`, () => updateRow(table, columns))
    this.#one(name, statement, [...after.filter((value, at) => before[at] !== value), ...before])
  }

  /** The row must be there, exactly as the before-image says. */
  #one(name: TableName, statement: StatementSync, values: Value[]): void {
    const { changes } = statement.run(...values)
    if (changes !== 1) throw new StoreDiverged(`a row of ${name} is not stored as memory has it`)
  }

  #prepared(name: TableName, kind: string, sql: () => string): StatementSync {
    const key = `${name} ${kind}`
    let statement = this.#statements.get(key)
    if (statement === undefined) {
      statement = this.#db.prepare(sql())
      this.#statements.set(key, statement)
    }
    return statement
  }
}
