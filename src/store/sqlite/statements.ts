import type { AnyRow, Column, Table } from '../../world/table.ts'
import { describedTables } from '../tables/described-tables.ts'
import { type PlainTable, plainTables } from '../tables/plain-tables.ts'

/** SQL from table descriptions: nothing here knows a table by name. */

const quoteName = (name: string) => `"${name}"`
const list = (names: readonly string[]) => names.map(quoteName).join(', ')

const SQL_TYPE: Record<Column['type'], string> = { integer: 'INTEGER', real: 'REAL', text: 'TEXT' }

function renderColumn(name: string, column: Column): string {
  return `${quoteName(name)} ${SQL_TYPE[column.type]}${'nullable' in column ? '' : ' NOT NULL'}`
}

/** A single integer key is SQLite's rowid; any other key orders the table itself. */
function hasRowid(table: Table): boolean {
  return table.key.length === 1 && table.columns[table.key[0] as string]?.type === 'integer'
}

export function createTable(table: Table): string {
  const parts = [
    ...table.columnNames.map(name => renderColumn(name, table.columns[name] as Column)),
    `PRIMARY KEY (${list(table.key)})`,
    ...table.unique.map(columns => `UNIQUE (${list(columns)})`),
  ]
  return `CREATE TABLE ${quoteName(table.name)} (\n  ${parts.join(',\n  ')}\n) STRICT${hasRowid(table) ? '' : ', WITHOUT ROWID'}`
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
]

export function createEverything(): string[] {
  return [...BOOKS, ...describedTables.map(createTable), ...plainTables.flatMap(createIndexes)]
}

function createIndexes({ name, listedBy }: PlainTable): string[] {
  const create = (index: string, columns: readonly string[]) =>
    `CREATE INDEX ${quoteName(`${name}_by_${index}`)} ON ${quoteName(name)} (${list(columns)})`
  return [create('age', ['at_ms']), ...listedBy.map(column => create(column, [column, 'at_ms']))]
}

/** Replaces a row with the same key. */
export function putRow(table: Table): string {
  const others = table.columnNames.filter(name => !table.key.includes(name))
  const sets = others.map(name => `${quoteName(name)} = excluded.${quoteName(name)}`).join(', ')
  return `${insertRow(table)} ON CONFLICT (${list(table.key)}) DO UPDATE SET ${sets}`
}

export function findRow(table: Table): string {
  const key = table.key.map(name => `${quoteName(name)} = ?`).join(' AND ')
  return `SELECT ${list(table.columnNames)} FROM ${quoteName(table.name)} WHERE ${key}`
}

/** The oldest rows before a time, up to a limit. */
export function dropOld(table: Table, rows: number): string {
  const key = list(table.key)
  const name = quoteName(table.name)
  return `DELETE FROM ${name} WHERE (${key}) IN (SELECT ${key} FROM ${name} WHERE "at_ms" < ? ORDER BY "at_ms" LIMIT ${rows})`
}

export function selectOldest(table: Table): string {
  return `SELECT min("at_ms") AS "at_ms" FROM ${quoteName(table.name)}`
}

export function insertRow(table: Table): string {
  return insertRows(table, 1)
}

export function insertRows(table: Table, rows: number): string {
  const places = `(${table.columnNames.map(() => '?').join(', ')})`
  const values = Array.from({ length: rows }, () => places).join(', ')
  return `INSERT INTO ${quoteName(table.name)} (${list(table.columnNames)}) VALUES ${values}`
}

/** Compares every column with the before-image, so that a row that differs from memory is not touched. */
const asBefore = (table: Table) =>
  table.columnNames.map(name => `${quoteName(name)} ${table.key.includes(name) ? '=' : 'IS'} ?`).join(' AND ')

/** Sets only changed columns: naming an indexed one costs its index a write even if the value stays. */
export function updateRow(table: Table, columns: readonly string[]): string {
  const sets = columns.map(name => `${quoteName(name)} = ?`).join(', ')
  return `UPDATE ${quoteName(table.name)} SET ${sets} WHERE ${asBefore(table)}`
}

export function deleteRow(table: Table): string {
  return `DELETE FROM ${quoteName(table.name)} WHERE ${asBefore(table)}`
}

export function selectAny(table: Table): string {
  return `SELECT 1 FROM ${quoteName(table.name)} LIMIT 1`
}

export function selectAll(table: Table): string {
  return `SELECT ${list(table.columnNames)} FROM ${quoteName(table.name)} ORDER BY ${list(table.key)}`
}

/** A page in order of the key: the number of rows, then each column as a JSON array. */
export function selectPage(table: Table, after: boolean, rows: number): string {
  const key = list(table.key)
  const from = after ? ` WHERE (${key}) > (${table.key.map(() => '?').join(', ')})` : ''
  const page = `SELECT ${list(table.columnNames)} FROM ${quoteName(table.name)}${from} ORDER BY ${key} LIMIT ${rows}`
  const columns = table.columnNames.map(name => `json_group_array(${quoteName(name)})`).join(', ')
  return `SELECT count(*), ${columns} FROM (${page})`
}

export function describeShape(table: Table): string {
  return renderShape(
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

/** The columns of a table as one comparable text, in any order. */
export function renderShape(columns: readonly AnyRow[]): string {
  return columns
    .map(({ name, type, notnull, pk }) => `${name} ${type} ${notnull} ${pk}`)
    .sort()
    .join(', ')
}
