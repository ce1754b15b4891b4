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

/** The rows of a file of mysqldump or pg_dump, line by line. A dump of one database or of several, of which one has Placement's tables. */
export async function readDump(lines: AsyncIterable<string>, onRows: OnRows): Promise<PlacementRows> {
  const dump = new DumpReader(onRows)
  for await (const line of lines) dump.readLine(line)
  return dump.end()
}

const isPlacementTable = (name: string): name is PlacementTable => Object.hasOwn(placementTables, name)

const CREATE = /^CREATE TABLE (?:IF NOT EXISTS )?(?:[`"]?\w+[`"]?\.)?[`"]?(\w+)[`"]? \(/
const COLUMN = /^\s+[`"]?(\w+)[`"]? [a-z]/
const COPY = /^COPY (?:\w+\.)?(\w+) \(([^)]*)\) FROM stdin;/
const INSERT = /^INSERT (?:IGNORE )?INTO (?:[`"]?\w+[`"]?\.)?[`"]?(\w+)[`"]? ?(?:\(([^)]*)\) )?VALUES\s/

type State =
  | { readonly kind: 'between' }
  | { readonly kind: 'create'; readonly table: string }
  | { readonly kind: 'copy'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'insert'; readonly table: string; readonly columns: readonly string[]; text: string }

const BETWEEN: State = { kind: 'between' }

class DumpReader {
  readonly #onRows: OnRows
  readonly #columns = new Map<string, string[]>()
  readonly #rows = new Map<PlacementTable, PlacementRow[]>()
  #state: State = BETWEEN
  #count = 0

  constructor(onRows: OnRows) {
    this.#onRows = onRows
  }

  readLine(line: string): void {
    const state = this.#state
    if (state.kind === 'create') this.#readColumn(line, state.table)
    else if (state.kind === 'copy') this.#readCopied(line, state.table, state.columns)
    else if (state.kind === 'insert') {
      state.text += `\n${line}`
      this.#readInserted(state)
    } else this.#readStart(line)
  }

  end(): PlacementRows {
    if (this.#state.kind !== 'between')
      throw new SourceRefused(`the dump breaks off in table ${this.#state.table}`)
    const found = {} as Record<PlacementTable, readonly PlacementRow[]>
    for (const table of placementTableNames) {
      const columns = this.#columns.get(table)
      chooseColumns(table, columns === undefined ? undefined : new Set(columns))
      found[table] = this.#rows.get(table) ?? []
    }
    return found
  }

  #readStart(line: string): void {
    const [, created] = CREATE.exec(line) ?? []
    if (created !== undefined) {
      this.#columns.set(created, [])
      this.#state = { kind: 'create', table: created }
      return
    }
    const [, copied, copyColumns = ''] = COPY.exec(line) ?? []
    if (copied !== undefined) {
      this.#state = { kind: 'copy', table: copied, columns: splitNames(copyColumns) }
      return
    }
    const [head = '', inserted, names] = INSERT.exec(line) ?? []
    if (inserted === undefined) return
    const columns = names === undefined ? (this.#columns.get(inserted) ?? []) : splitNames(names)
    const state: State = { kind: 'insert', table: inserted, columns, text: line.slice(head.length) }
    this.#state = state
    this.#readInserted(state)
  }

  #readColumn(line: string, table: string): void {
    if (line.startsWith(')')) this.#state = BETWEEN
    else {
      const [, column] = COLUMN.exec(line) ?? []
      if (column !== undefined && !/^(PRIMARY|UNIQUE|KEY|CONSTRAINT|CHECK)$/.test(column))
        this.#columns.get(table)?.push(column)
    }
  }

  #readCopied(line: string, table: string, columns: readonly string[]): void {
    if (line === '\\.') this.#state = BETWEEN
    else this.#keep(table, columns, splitCopyLine(line))
  }

  #readInserted(state: Extract<State, { kind: 'insert' }>): void {
    if (state.text.length > STATEMENT_CHARS_MAX)
      throw new SourceRefused(`an INSERT into ${state.table} has more than ${STATEMENT_CHARS_MAX} characters`)
    // A statement that goes on ends no line with a semicolon, but a text within it may.
    if (!state.text.trimEnd().endsWith(';')) return
    const tuples = isPlacementTable(state.table) ? new TupleReader(state.text, 0).readAll() : []
    if (tuples === null) return
    this.#state = BETWEEN
    for (const tuple of tuples) this.#keep(state.table, state.columns, tuple)
  }

  #keep(table: string, columns: readonly string[], cells: readonly Cell[]): void {
    if (!isPlacementTable(table)) return
    if (cells.length !== columns.length)
      throw new SourceRefused(`a row of ${table} has ${cells.length} values for ${columns.length} columns`)
    const row = placementTables[table].map(column => cells[columns.indexOf(column)] ?? null)
    const rows = this.#rows.get(table)
    if (rows === undefined) this.#rows.set(table, [row])
    else rows.push(row)
    if (++this.#count % 1000 === 0) this.#onRows(this.#count)
  }
}

const splitNames = (text: string): string[] => text.split(',').map(name => name.trim().replace(/[`"]/g, ''))
