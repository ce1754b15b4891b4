import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AnyRow, Table, Value } from '../../world/table.ts'
import { plainQuestion } from '../plain-query.ts'
import {
  type AnyPlainQuery,
  type PlainName,
  type PlainTable,
  plainTableByName,
  plainTables,
} from '../plain-tables.ts'
import { PlainRowTaken } from '../store.ts'
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

  put([table, values, isNew]: EncodedPut, nowMs: number): void {
    const there = isNew ? this.find(table, keyOf(table, values)) : null
    if (there !== null && (there.at_ms as number) >= nowMs - plainTableByName[table].keepMsMax)
      throw new PlainRowTaken(`there is a row of ${table} with that key already`)
    this.#of(table).put.run(...values)
  }

  find(table: PlainName, key: readonly Value[]): AnyRow | null {
    const row = this.#of(table).find.get(...key)
    return row === undefined ? null : ({ ...row } as AnyRow)
  }

  select(table: PlainName, query: AnyPlainQuery, sinceMs: number): AnyRow[] {
    const { text, values } = plainQuestion(table, query, sinceMs, () => '?')
    return this.#db
      .prepare(text)
      .all(...values)
      .map(row => ({ ...row }) as AnyRow)
  }

  /** Whether a row is there just as it was to be put. */
  holds([name, values]: EncodedPut): boolean {
    const table = plainTableByName[name] as unknown as Table
    const row = this.find(name, keyOf(name, values))
    return row !== null && table.columnNames.every((column, at) => row[column] === values[at])
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

function keyOf(name: PlainName, values: readonly Value[]): Value[] {
  const table = plainTableByName[name] as unknown as Table
  return table.key.map(column => values[table.columnNames.indexOf(column)] as Value)
}
