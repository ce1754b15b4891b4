import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AnyRow, Value } from '../../world/table.ts'
import { PlainRowTaken } from '../store.ts'
import { plainQuestion } from '../tables/plain-query.ts'
import {
  type AnyPlainQuery,
  type PlainName,
  type PlainTable,
  plainTableByName,
  plainTables,
} from '../tables/plain-tables.ts'
import type { EncodedPut } from './messages.ts'
import { dropOld, findRow, oldestAge, putRow } from './statements.ts'

/** With every write at most so many old rows of each table are dropped. */
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
  /** By table, until when no row is too old: no other process writes to the file, so there is no need to look earlier. */
  readonly #freshUntilMs = new Map<PlainName, number>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  put({ table, isNew, values }: EncodedPut, nowMs: number): void {
    const there = isNew ? this.find(table, keyOf(table, values)) : null
    if (there !== null && (there.at_ms as number) >= nowMs - plainTableByName[table].keepMsMax)
      throw new PlainRowTaken(`there is a row of ${table} with that key already`)
    this.#of(table).put.run(...values)
    const { keepMsMax, columnNames } = plainTableByName[table]
    const untilMs = (values[columnNames.indexOf('at_ms')] as number) + keepMsMax
    if (untilMs < (this.#freshUntilMs.get(table) ?? Number.NEGATIVE_INFINITY))
      this.#freshUntilMs.set(table, untilMs)
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
  holds({ table: name, values }: EncodedPut): boolean {
    const table = plainTableByName[name]
    const row = this.find(name, keyOf(name, values))
    return row !== null && table.columnNames.every((column, at) => row[column] === values[at])
  }

  trim(nowMs: number): void {
    for (const { name, keepMsMax } of plainTables as readonly PlainTable<PlainName>[]) {
      if (nowMs <= (this.#freshUntilMs.get(name) ?? Number.NEGATIVE_INFINITY)) continue
      const { dropOld, oldest } = this.#of(name)
      if (dropOld.run(nowMs - keepMsMax).changes !== 0) continue
      const { at_ms } = oldest.get() as { at_ms: number | null }
      this.#freshUntilMs.set(name, (at_ms ?? Number.POSITIVE_INFINITY) + keepMsMax)
    }
  }

  /** What was put and dropped was taken back. */
  forgetAges(): void {
    this.#freshUntilMs.clear()
  }

  #of(name: PlainName): Statements {
    let statements = this.#statements.get(name)
    if (statements === undefined) {
      const table = plainTableByName[name]
      statements = {
        put: this.#db.prepare(putRow(table)),
        find: this.#db.prepare(findRow(table)),
        dropOld: this.#db.prepare(dropOld(table, TRIMMED_PER_WRITE_MAX)),
        oldest: this.#db.prepare(oldestAge(table)),
      }
      this.#statements.set(name, statements)
    }
    return statements
  }
}

function keyOf(name: PlainName, values: readonly Value[]): Value[] {
  const table = plainTableByName[name]
  return table.key.map(column => values[table.columnNames.indexOf(column)] as Value)
}
