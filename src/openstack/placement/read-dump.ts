import { splitCopyLine, TupleReader } from './dump-values.ts'
import type { OnRows } from './read-database.ts'
import {
  type Cell,
  chooseColumns,
  type PlacementRow,
  type PlacementRows,
  type PlacementTable,
  placementTableNames,
  placementTables,
  SourceRefused,
} from './tables.ts'

/** One INSERT of mysqldump holds as much as a packet of the server may. */
const STATEMENT_CHARS_MAX = 1024 * 1024 * 1024

/** The rows of a file of mysqldump or pg_dump, line by line. Of several databases, one must be a Placement's. */
export async function readDump(lines: AsyncIterable<string>, onRows: OnRows): Promise<PlacementRows> {
  const dump = new DumpReader(onRows)
  for await (const line of lines) dump.readLine(line)
  return dump.end()
}

const isPlacementTable = (name: string): name is PlacementTable => Object.hasOwn(placementTables, name)

const USE = /^(?:USE|\\connect(?: -reuse-previous=on)?) [`"']?([^`"';]+)/
const CREATE = /^CREATE TABLE (?:IF NOT EXISTS )?(?:[`"]?\w+[`"]?\.)?[`"]?(\w+)[`"]? \(/
const COLUMN = /^\s+[`"]?(\w+)[`"]? [a-z]/
const COPY = /^COPY (?:"?\w+"?\.)?"?(\w+)"? \(([^)]*)\) FROM stdin;/
const INSERT =
  /^(?:INSERT|REPLACE) +(?:IGNORE +)?INTO (?:[`"]?\w+[`"]?\.)?[`"]?(\w+)[`"]? ?(?:\(([^)]*)\) )?(?:VALUES(?:\s|$))?/
const BEGINS = /^-- (?:(?:MySQL|MariaDB) dump \d|PostgreSQL database dump$)/
const ENDS = /^-- (?:Dump completed|PostgreSQL database dump complete)/

type State =
  | { readonly kind: 'between' }
  | { readonly kind: 'create'; readonly table: string }
  | { readonly kind: 'copy'; readonly table: string; readonly columns: readonly string[] }
  | {
      readonly kind: 'insert'
      readonly table: string
      readonly columns: readonly string[]
      readonly lines: string[]
      chars: number
    }

const BETWEEN: State = { kind: 'between' }

/** The tables of one database. */
class DumpedDatabase {
  readonly columns = new Map<string, string[]>()
  readonly rows = new Map<PlacementTable, PlacementRow[]>()

  /** Throws if it is not a Placement's. */
  end(): PlacementRows {
    const found = {} as Record<PlacementTable, readonly PlacementRow[]>
    for (const table of placementTableNames) {
      const columns = this.columns.get(table)
      chooseColumns(table, columns === undefined ? undefined : new Set(columns))
      found[table] = this.rows.get(table) ?? []
    }
    return found
  }
}

class DumpReader {
  readonly #onRows: OnRows
  /** By name; the one of a dump that names none is first. */
  readonly #databases = new Map<string, DumpedDatabase>()
  #database: DumpedDatabase
  #state: State = BETWEEN
  #count = 0
  /** Whether its last line is still missing. */
  #isOpen = false
  /** In texts of PostgreSQL, a backslash is an ordinary character. */
  #hasPlainBackslashes = false

  constructor(onRows: OnRows) {
    this.#onRows = onRows
    this.#database = this.#use('')
  }

  readLine(line: string): void {
    const state = this.#state
    if (state.kind === 'create') this.#readColumn(line, state.table)
    else if (state.kind === 'copy') this.#readCopied(line, state.table, state.columns)
    else if (state.kind === 'insert') this.#readInserted(line, state)
    else this.#readStart(line)
  }

  end(): PlacementRows {
    if (this.#state.kind !== 'between')
      throw new SourceRefused(`the dump ends in the middle of table ${this.#state.table}`)
    if (this.#isOpen)
      throw new SourceRefused('the dump breaks off: its last line does not say that it is complete')
    const used = [...this.#databases].filter(([, { columns }]) => columns.size > 0)
    const whole = used.filter(
      ([, { columns }]) => columns.has('resource_providers') && columns.has('allocations'),
    )
    if (whole.length > 1)
      throw new SourceRefused(
        `the databases ${whole.map(([name]) => name).join(' and ')} have tables of a Placement: dump one alone`,
      )
    const [, database = this.#database] = whole[0] ?? used[0] ?? []
    return database.end()
  }

  #use(name: string): DumpedDatabase {
    const known = this.#databases.get(name) ?? new DumpedDatabase()
    this.#databases.set(name, known)
    return known
  }

  #readStart(line: string): void {
    if (line.startsWith('--')) {
      this.#isOpen = (this.#isOpen || BEGINS.test(line)) && !ENDS.test(line)
      return
    }
    if (line === 'SET standard_conforming_strings = on;') this.#hasPlainBackslashes = true
    const [, database] = USE.exec(line) ?? []
    if (database !== undefined) {
      this.#database = this.#use(database)
      return
    }
    const [, created] = CREATE.exec(line) ?? []
    if (created !== undefined) {
      this.#database.columns.set(created, [])
      this.#state = { kind: 'create', table: created }
      return
    }
    const [, copied, copyColumns = ''] = COPY.exec(line) ?? []
    if (copied !== undefined) {
      this.#state = { kind: 'copy', table: copied, columns: this.#columnsOf(copied, copyColumns) }
      return
    }
    const [head, table, names] = INSERT.exec(line) ?? []
    if (head !== undefined && table !== undefined) this.#startInsert(table, names, line.slice(head.length))
  }

  #startInsert(table: string, names: string | undefined, rest: string): void {
    const columns = this.#columnsOf(table, names)
    const state: State = { kind: 'insert', table, columns, lines: [], chars: 0 }
    this.#state = state
    this.#readInserted(rest, state)
  }

  /** Those that a statement names, else all. */
  #columnsOf(table: string, names: string | undefined): readonly string[] {
    const all = this.#database.columns.get(table)
    if (all === undefined && isPlacementTable(table))
      throw new SourceRefused(
        `the dump has no CREATE TABLE ${table}: make it without --no-create-info and --data-only`,
      )
    return names === undefined ? (all ?? []) : splitNames(names)
  }

  #readColumn(line: string, table: string): void {
    if (line.startsWith(')')) this.#state = BETWEEN
    else {
      const [, column] = COLUMN.exec(line) ?? []
      if (column !== undefined && !/^(PRIMARY|UNIQUE|KEY|CONSTRAINT|CHECK)$/.test(column))
        this.#database.columns.get(table)?.push(column)
    }
  }

  #readCopied(line: string, table: string, columns: readonly string[]): void {
    if (line === '\\.') this.#state = BETWEEN
    else this.#keep(table, columns, splitCopyLine(line))
  }

  #readInserted(line: string, state: Extract<State, { kind: 'insert' }>): void {
    state.lines.push(line)
    state.chars += line.length + 1
    if (state.chars > STATEMENT_CHARS_MAX)
      throw new SourceRefused(`an INSERT into ${state.table} has more than ${STATEMENT_CHARS_MAX} characters`)
    // A statement that goes on ends no line with a semicolon, but a text within it may.
    if (!line.trimEnd().endsWith(';')) return
    const tuples = isPlacementTable(state.table) ? this.#readTuples(state.lines) : []
    if (tuples === null) return
    this.#state = BETWEEN
    for (const tuple of tuples) this.#keep(state.table, state.columns, tuple)
  }

  #readTuples(lines: readonly string[]): Cell[][] | null {
    return new TupleReader(lines.join('\n'), { isEscaped: !this.#hasPlainBackslashes }).readAll()
  }

  #keep(table: string, columns: readonly string[], cells: readonly Cell[]): void {
    if (!isPlacementTable(table)) return
    if (cells.length !== columns.length)
      throw new SourceRefused(`a row of ${table} has ${cells.length} values for ${columns.length} columns`)
    if (cells.some(cell => String(cell).includes('\ufffd')))
      throw new SourceRefused(
        `a text of table ${table} is not UTF-8: make the dump with --default-character-set=utf8mb4 or --encoding=UTF8`,
      )
    const row = placementTables[table].map(column => cells[columns.indexOf(column)] ?? null)
    const { rows: all } = this.#database
    const rows = all.get(table)
    if (rows === undefined) all.set(table, [row])
    else rows.push(row)
    if (++this.#count % 1000 === 0) this.#onRows(this.#count)
  }
}

const splitNames = (text: string): string[] => text.split(',').map(name => name.trim().replace(/[`"]/g, ''))
