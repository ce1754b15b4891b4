import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { assert } from '../../kernel/assert.ts'
import type { EncodedOp } from '../../world/change.ts'
import type { Table, Value } from '../../world/table.ts'
import { type TableName, tableByName } from '../../world/tables.ts'
import { StoreDiverged } from '../store.ts'
import { deleteRow, insertRows, updateRow } from './statements.ts'

/** Rows per INSERT: one statement for many costs far less than many statements. */
const INSERTED_AT_ONCE = [64, 16, 4, 1]

/** Writes row ops through one connection; statements are prepared on first use. */
export class RowWriter {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /**
   * In order, but inserts wait for others of their table until a row of it is changed or deleted: tables do not depend
   * on each other.
   */
  write(ops: readonly EncodedOp[]): void {
    const added = new Map<TableName, Value[][]>()
    for (const op of ops) {
      const [name, before, after] = op
      const waiting = added.get(name)
      if (before !== null || after === null) {
        if (waiting !== undefined) this.#insert(name, waiting)
        added.delete(name)
        this.#change(op)
      } else if (waiting === undefined) added.set(name, [after])
      else waiting.push(after)
    }
    for (const [name, rows] of added) this.#insert(name, rows)
  }

  #insert(name: TableName, rows: readonly Value[][]): void {
    const table = tableByName[name]
    let from = 0
    for (const many of INSERTED_AT_ONCE) {
      if (rows.length - from < many) continue
      const statement = this.#prepare(name, `insert ${many}`, () => insertRows(table, many))
      while (rows.length - from >= many) {
        const values: Value[] = []
        for (const end = from + many; from < end; from++) values.push(...(rows[from] as Value[]))
        statement.run(...values)
      }
    }
  }

  #change([name, before, after]: EncodedOp): void {
    const table = tableByName[name]
    assert(before !== null, 'new rows were put in before')
    if (after !== null) this.#update(name, table, before, after)
    else
      this.#runOnOne(
        name,
        this.#prepare(name, 'delete', () => deleteRow(table)),
        before,
      )
  }

  #update(name: TableName, table: Table, before: Value[], after: Value[]): void {
    const columns = table.columnNames.filter((_, at) => before[at] !== after[at])
    if (columns.length === 0) return
    const moved = columns.find(column => table.key.includes(column))
    if (moved !== undefined) throw new StoreDiverged(`an update of ${name} would change its key ${moved}`)
    const statement = this.#prepare(name, `update ${columns.join(' ')}`, () => updateRow(table, columns))
    this.#runOnOne(name, statement, [...after.filter((value, at) => before[at] !== value), ...before])
  }

  /** The row must exist exactly as in the before-image. */
  #runOnOne(name: TableName, statement: StatementSync, values: Value[]): void {
    const { changes } = statement.run(...values)
    if (changes !== 1) throw new StoreDiverged(`a row of ${name} is not stored as memory has it`)
  }

  #prepare(name: TableName, kind: string, sql: () => string): StatementSync {
    const key = `${name} ${kind}`
    let statement = this.#statements.get(key)
    if (statement === undefined) {
      statement = this.#db.prepare(sql())
      this.#statements.set(key, statement)
    }
    return statement
  }
}
