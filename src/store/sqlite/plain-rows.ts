import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AnyRow, Value } from '../../world/table.ts'
import { PlainRowTaken } from '../store.ts'
import { buildPlainQuery } from '../tables/plain-query.ts'
import {
  type AnyPlainQuery,
  type PlainName,
  type PlainTable,
  plainTableByName,
  plainTables,
} from '../tables/plain-tables.ts'
import type { EncodedPut } from './messages.ts'
import { dropOld, findRow, putRow, selectOldest } from './statements.ts'

/** Old rows dropped per write and table. */
const TRIMMED_PER_WRITE_MAX = 1000

interface Statements {
  readonly put: StatementSync
  readonly find: StatementSync
  readonly dropOld: StatementSync
  readonly oldest: StatementSync
}

/** The plain tables through one connection. */
export class PlainRows {
  readonly #db: DatabaseSync
  readonly #statements = new Map<PlainName, Statements>()
  /** By table, until when no row is too old: no other process writes to the file, so it need not be read earlier. */
  readonly #freshUntilMs = new Map<PlainName, number>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  put({ table, isNew, values }: EncodedPut, nowMs: number): void {
    const there = isNew ? this.find(table, extractKey(table, values)) : null
    if (there !== null && (there.at_ms as number) >= nowMs - plainTableByName[table].keepMsMax)
      throw new PlainRowTaken(`there is a row of ${table} with that key already`)
    this.#prepare(table).put.run(...values)
    const { keepMsMax, columnNames } = plainTableByName[table]
    const untilMs = (values[columnNames.indexOf('at_ms')] as number) + keepMsMax
    if (untilMs < (this.#freshUntilMs.get(table) ?? Number.NEGATIVE_INFINITY))
      this.#freshUntilMs.set(table, untilMs)
  }

  find(table: PlainName, key: readonly Value[]): AnyRow | null {
    const row = this.#prepare(table).find.get(...key)
    return row === undefined ? null : ({ ...row } as AnyRow)
  }

  select(table: PlainName, query: AnyPlainQuery, sinceMs: number): AnyRow[] {
    const { text, values } = buildPlainQuery(table, query, sinceMs, () => '?')
    return this.#db
      .prepare(text)
      .all(...values)
      .map(row => ({ ...row }) as AnyRow)
  }

  /** Whether a row is stored exactly as given. */
  holds({ table: name, values }: EncodedPut): boolean {
    const table = plainTableByName[name]
    const row = this.find(name, extractKey(name, values))
    return row !== null && table.columnNames.every((column, at) => row[column] === values[at])
  }

  trim(nowMs: number): void {
    for (const { name, keepMsMax } of plainTables as readonly PlainTable<PlainName>[]) {
      if (nowMs <= (this.#freshUntilMs.get(name) ?? Number.NEGATIVE_INFINITY)) continue
      const { dropOld, oldest } = this.#prepare(name)
      if (dropOld.run(nowMs - keepMsMax).changes !== 0) continue
      const { at_ms } = oldest.get() as { at_ms: number | null }
      this.#freshUntilMs.set(name, (at_ms ?? Number.POSITIVE_INFINITY) + keepMsMax)
    }
  }

  /** After a rollback. */
  forgetAges(): void {
    this.#freshUntilMs.clear()
  }

  #prepare(name: PlainName): Statements {
    let statements = this.#statements.get(name)
    if (statements === undefined) {
      const table = plainTableByName[name]
      statements = {
        put: this.#db.prepare(putRow(table)),
        find: this.#db.prepare(findRow(table)),
        dropOld: this.#db.prepare(dropOld(table, TRIMMED_PER_WRITE_MAX)),
        oldest: this.#db.prepare(selectOldest(table)),
      }
      this.#statements.set(name, statements)
    }
    return statements
  }
}

function extractKey(name: PlainName, values: readonly Value[]): Value[] {
  const table = plainTableByName[name]
  return table.key.map(column => values[table.columnNames.indexOf(column)] as Value)
}
