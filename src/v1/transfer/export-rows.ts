import { emptyRecord } from '../../kernel/records.ts'
import type { Snapshot } from '../../store/store.ts'
import { exportedColumns, type RowLine, type RowTable, rowTables } from '../../transfer/exported-tables.ts'
import { isUnderWay } from '../../transfer/import-rows.ts'
import { findNameColumn } from '../../world/naming.ts'
import type { AnyRow, Table, Value } from '../../world/table.ts'
import { type Row, type TableName, tableByName } from '../../world/tables.ts'
import type { VisibleTables } from '../fleet/feed-rights.ts'
import { GroupedRows } from '../fleet/grouped-rows.ts'

/** Small pages, because parsing a page blocks other requests. */
export const ROWS_PER_PAGE = 2_000

/** The part of an export's last line that concerns rows. */
interface RowsEnd {
  readonly rows: Readonly<Record<string, number>>
  /** Tables that the caller may not read. */
  readonly left_out: readonly string[]
  /** The number of rows that are secret or have no meaning on another server. */
  readonly not_exported: Readonly<Record<string, number>>
  /** Shares with work in progress, which is not exported. */
  readonly shares_under_way: readonly string[]
}

const UNDER_WAY_MAX = 100

/** Row numbers with their names. */
export type NameOf = ReadonlyMap<number, string>

export async function readNames(snapshot: Snapshot, table: TableName): Promise<NameOf> {
  const names = new Map<number, string>()
  const column = findNameColumn(table)
  for await (const rows of snapshot.rows(table, ROWS_PER_PAGE))
    for (const row of rows) names.set(row.id as number, row[column] as string)
  return names
}

/** The rows of all tables that the caller may read, each as a line with names for numbers. */
export class RowsExport {
  readonly #snapshot: Snapshot
  readonly #tables: readonly RowTable[]
  readonly #sight: VisibleTables
  readonly #names = new Map<TableName, NameOf>()
  readonly #rows: Record<string, number> = {}
  readonly #underWay: string[] = []
  #passwords = 0

  constructor(snapshot: Snapshot, sight: VisibleTables, providers: NameOf) {
    this.#snapshot = snapshot
    this.#sight = sight
    this.#tables = rowTables.filter(table => sight.shows(table))
    this.#names.set('resource_providers', providers)
  }

  async *readLines(): AsyncGenerator<RowLine> {
    for (const table of this.#tables) {
      this.#rows[table] = 0
      // There are too many consumers for memory; both tables are read in order of consumer numbers.
      const consumers = new GroupedRows<Row<'consumers'>>(
        this.#snapshot.rows('consumers', ROWS_PER_PAGE),
        'id',
      )
      for await (const row of this.#readRows(table)) {
        this.#rows[table]++
        this.#note(table, row)
        yield { table, row: await this.#named(table, row, consumers) }
      }
    }
  }

  async end(): Promise<RowsEnd> {
    return {
      rows: this.#rows,
      left_out: rowTables.filter(table => !this.#tables.includes(table)),
      not_exported: {
        ...(this.#tables.includes('users') ? { passwords: this.#passwords } : {}),
        ...(await this.#countRows(['application_credentials', 'static_tokens', 'share_steps'])),
      },
      shares_under_way: this.#underWay,
    }
  }

  async *#readRows(table: RowTable): AsyncGenerator<AnyRow> {
    const pages = this.#snapshot.rows(table, ROWS_PER_PAGE)
    if (!isKeyedByProvider(table)) {
      for await (const rows of pages) yield* rows
      return
    }
    // An import numbers providers anew, parents first. Sorting by number would give equal clouds different
    // lines.
    const all: AnyRow[] = []
    for await (const rows of pages) all.push(...rows)
    const names = this.#names.get('resource_providers') as NameOf
    yield* all.sort((a, b) => compareKeys(tableByName[table], a, b, names))
  }

  #note(table: RowTable, row: AnyRow): void {
    if (table === 'users' && row.password_hash !== null) this.#passwords++
    if (table !== 'shares' || this.#underWay.length >= UNDER_WAY_MAX) return
    if (isUnderWay(row as Row<'shares'>)) this.#underWay.push(row.uuid as string)
  }

  async #named(
    table: RowTable,
    row: AnyRow,
    consumers: GroupedRows<Row<'consumers'>>,
  ): Promise<RowLine['row']> {
    const named: Record<string, Value> = emptyRecord()
    for (const { column, as, refersTo } of exportedColumns[table]) {
      const value = row[column] as Value
      if (refersTo === null || value === null) named[as] = value
      else if (refersTo === 'consumers')
        named[as] = (await consumers.take(value as number))[0]?.uuid as string
      else named[as] = (await this.#getNames(refersTo)).get(value as number) as string
    }
    return named
  }

  async #getNames(table: TableName): Promise<NameOf> {
    const known = this.#names.get(table)
    if (known !== undefined) return known
    const names = await readNames(this.#snapshot, table)
    this.#names.set(table, names)
    return names
  }

  async #countRows(tables: readonly TableName[]): Promise<Record<string, number>> {
    const counts: Record<string, number> = emptyRecord()
    for (const table of tables) {
      if (!this.#sight.shows(table)) continue
      let count = 0
      for await (const rows of this.#snapshot.rows(table, ROWS_PER_PAGE)) count += rows.length
      counts[table] = count
    }
    return counts
  }
}

const isProvider = ({ columns }: Table, column: string): boolean => {
  const described = columns[column]
  return described !== undefined && 'refersTo' in described && described.refersTo === 'resource_providers'
}

const isKeyedByProvider = (table: RowTable): boolean =>
  tableByName[table].key.some(column => isProvider(tableByName[table], column))

function compareKeys(table: Table, a: AnyRow, b: AnyRow, providers: NameOf): number {
  for (const column of table.key) {
    const keyOf = (row: AnyRow) =>
      isProvider(table, column) ? (providers.get(row[column] as number) as string) : (row[column] as number)
    const [one, other] = [keyOf(a), keyOf(b)]
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}
