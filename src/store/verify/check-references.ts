import { Bitset } from '../../kernel/bitset.ts'
import type { AnyRow, Table } from '../../world/table.ts'
import { type TableName, tableByName } from '../../world/tables.ts'
import { StoreRefused } from '../store.ts'

/** Readers rely on every reference of these, so a dangling one fails requests about its neighbours too. */
const LEDGER: ReadonlySet<TableName> = new Set([
  'resource_providers',
  'inventories',
  'provider_traits',
  'provider_aggregates',
  'allocations',
])

interface Reference {
  readonly column: string
  readonly to: TableName
}

const tableOf = (name: TableName): Table => tableByName[name]

const listReferences = (name: TableName): Reference[] =>
  Object.entries(tableOf(name).columns).flatMap(([column, described]) =>
    'refersTo' in described ? [{ column, to: described.refersTo as TableName }] : [],
  )

const references = new Map([...LEDGER].map(name => [name, listReferences(name)]))
const referredTo: ReadonlySet<TableName> = new Set([...references.values()].flat().map(({ to }) => to))

/** Refuses rows with dangling references while a store is loaded: a manual change, or a damaged disk. */
export class ReferenceCheck {
  readonly #ids = new Map<TableName, IdSet>()
  /** Parents may come after their children. */
  #children: AnyRow[] = []

  take(table: TableName, rows: readonly AnyRow[]): void {
    if (referredTo.has(table)) {
      const ids = this.#getIds(table)
      for (const row of rows) ids.add(row.id as number)
    }
    if (table === 'resource_providers') this.#children.push(...rows.filter(row => row.parent_id !== null))
    else this.#check(table, rows)
  }

  end(): void {
    this.#check('resource_providers', this.#children)
    this.#children = []
  }

  #check(table: TableName, rows: readonly AnyRow[]): void {
    for (const { column, to } of references.get(table) ?? []) {
      const ids = this.#getIds(to)
      for (const row of rows)
        if (!ids.has(row[column] as number)) throw describeDangling(table, row, column, to)
    }
  }

  #getIds(table: TableName): IdSet {
    let ids = this.#ids.get(table)
    if (ids === undefined) {
      ids = new IdSet()
      this.#ids.set(table, ids)
    }
    return ids
  }
}

/** Ids are given out from 0 on, and a bit takes a hundredth of the time of an entry in a Set: there are millions. */
class IdSet {
  readonly #usual = new Bitset()
  /** Only a damaged database has them. */
  readonly #odd = new Set<number>()

  add(id: number): void {
    if (isUsual(id)) this.#usual.add(id)
    else this.#odd.add(id)
  }

  has(id: number): boolean {
    return isUsual(id) ? this.#usual.has(id) : this.#odd.has(id)
  }
}

const USUAL_MAX = 2 ** 28

const isUsual = (id: number): boolean => id >= 0 && id < USUAL_MAX && Number.isInteger(id)

function describeDangling(table: TableName, row: AnyRow, column: string, to: TableName): StoreRefused {
  const key = tableOf(table).key.map(name => `${name} ${row[name]}`)
  return new StoreRefused(
    `the database is damaged: the row of ${table} with ${key.join(', ')} has ${column} ${row[column]}, which is not in ${to}; ` +
      "'berth verify' lists all such rows. Mend them, or restore a backup",
  )
}
