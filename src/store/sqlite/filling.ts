import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Value } from '../../world/table.ts'
import { GENESIS, isSameHead } from '../chain.ts'
import { type Head, StoreRefused, StoreUncertain } from '../store.ts'
import { describedTables, describeTable, type StoredName } from '../tables/described-tables.ts'
import { BUSY, FULL, findResultCode } from './failure.ts'
import { readHead } from './head-row.ts'
import { insertRow, selectAny } from './statements.ts'

/** One transaction, on its own connection, that fills an empty file. */
export class Filling {
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #inserts = new Map<StoredName, StatementSync>()

  constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
    try {
      db.exec('BEGIN IMMEDIATE')
      if (!isUntouched(db))
        throw new StoreRefused(`${file} is not empty: something was written to it already`)
    } catch (error) {
      db.close()
      throw error
    }
  }

  add(name: StoredName, rows: readonly (readonly Value[])[]): void {
    let insert = this.#inserts.get(name)
    if (insert === undefined) {
      insert = this.#db.prepare(insertRow(describeTable(name)))
      this.#inserts.set(name, insert)
    }
    for (const values of rows) insert.run(...values)
  }

  /** Returns when everything is durable. */
  end({ revision, chain }: Head): void {
    this.#db.prepare('UPDATE head SET revision = ?, chain = ?').run(revision, chain)
    try {
      this.#db.exec('COMMIT')
    } catch (error) {
      const code = findResultCode(error)
      if (code === FULL || code === BUSY) throw error
      // A whole commit record may be in the log, which a later recovery would apply.
      const why = error instanceof Error ? error.message : String(error)
      throw new StoreUncertain(`${this.#file} does not show whether it has a commit that failed (${why})`)
    }
    this.#db.close()
  }

  cancel(): void {
    if (this.#db.isOpen) this.#db.close()
  }
}

function isUntouched(db: DatabaseSync): boolean {
  const head = readHead(db)
  return (
    isSameHead(head, GENESIS) &&
    describedTables.every(table => db.prepare(selectAny(table)).get() === undefined)
  )
}
