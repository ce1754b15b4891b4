import type { AnyRow, Column, Table } from '../../world/table.ts'
import { mirroredTables } from '../../world/tables.ts'

/** SQL from table descriptions: nothing here knows a table by name. */

const quoted = (name: string) => `"${name}"`
const list = (names: readonly string[]) => names.map(quoted).join(', ')

const SQL_TYPE: Record<Column['type'], string> = { integer: 'INTEGER', real: 'REAL', text: 'TEXT' }

function columnDdl(name: string, column: Column): string {
  return `${quoted(name)} ${SQL_TYPE[column.type]}${'nullable' in column ? '' : ' NOT NULL'}`
}

/** A lone whole number as the key is the row's own number; any other key orders the table itself. */
function hasRowid(table: Table): boolean {
  return table.key.length === 1 && table.columns[table.key[0] as string]?.type === 'integer'
}

export function createTable(table: Table): string {
  const parts = [
    ...table.columnNames.map(name => columnDdl(name, table.columns[name] as Column)),
    `PRIMARY KEY (${list(table.key)})`,
    ...table.unique.map(columns => `UNIQUE (${list(columns)})`),
  ]
  return `CREATE TABLE ${quoted(table.name)} (\n  ${parts.join(',\n  ')}\n) STRICT${hasRowid(table) ? '' : ', WITHOUT ROWID'}`
}

const BOOKS = [
  `CREATE TABLE berth_schema (
  version INTEGER NOT NULL,
  title TEXT NOT NULL,
  PRIMARY KEY (version)
) STRICT`,
  `CREATE TABLE head (
  only_row INTEGER NOT NULL CHECK (only_row = 1),
  revision INTEGER NOT NULL,
  chain TEXT NOT NULL,
  PRIMARY KEY (only_row)
) STRICT`,
  `CREATE TABLE changes (
  revision INTEGER NOT NULL,
  batch_id TEXT NOT NULL,
  chain TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  ops TEXT NOT NULL,
  PRIMARY KEY (revision)
) STRICT`,
]

export function createEverything(): string[] {
  return [...BOOKS, ...mirroredTables.map(table => createTable(table as unknown as Table))]
}

export function insertRow(table: Table): string {
  const places = table.columnNames.map(() => '?').join(', ')
  return `INSERT INTO ${quoted(table.name)} (${list(table.columnNames)}) VALUES (${places})`
}

/** Every column is compared with the before-image, so that a row which is not as memory has it is left alone. */
const asBefore = (table: Table) =>
  table.columnNames.map(name => `${quoted(name)} ${table.key.includes(name) ? '=' : 'IS'} ?`).join(' AND ')

/** Sets only some columns: naming an indexed one costs its index a write even where the value stays. */
export function updateRow(table: Table, columns: readonly string[]): string {
  const sets = columns.map(name => `${quoted(name)} = ?`).join(', ')
  return `UPDATE ${quoted(table.name)} SET ${sets} WHERE ${asBefore(table)}`
}

export function deleteRow(table: Table): string {
  return `DELETE FROM ${quoted(table.name)} WHERE ${asBefore(table)}`
}

/** A page in order of the key: how many rows, then each column as a JSON array. */
export function pageOfColumns(table: Table, after: boolean, rows: number): string {
  const key = list(table.key)
  const from = after ? ` WHERE (${key}) > (${table.key.map(() => '?').join(', ')})` : ''
  const page = `SELECT ${list(table.columnNames)} FROM ${quoted(table.name)}${from} ORDER BY ${key} LIMIT ${rows}`
  const columns = table.columnNames.map(name => `json_group_array(${quoted(name)})`).join(', ')
  return `SELECT count(*), ${columns} FROM (${page})`
}

export function describedShape(table: Table): string {
  return shape(
    table.columnNames.map(name => {
      const column = table.columns[name] as Column
      return {
        name,
        type: SQL_TYPE[column.type],
        notnull: 'nullable' in column ? 0 : 1,
        pk: table.key.indexOf(name) + 1,
      }
    }),
  )
}

/** The columns of a table in one comparable text, whatever their order. */
export function shape(columns: readonly AnyRow[]): string {
  return columns
    .map(({ name, type, notnull, pk }) => `${name} ${type} ${notnull} ${pk}`)
    .sort()
    .join(', ')
}
