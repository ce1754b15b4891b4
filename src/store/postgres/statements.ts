import type { Column, Table } from '../../world/table.ts'
import type { PlainTable } from '../tables/plain-tables.ts'
import { SQL_TYPE } from './values.ts'

/** SQL from table descriptions: nothing here knows a table by name. */

const quoteName = (name: string) => `"${name}"`
const list = (names: readonly string[]) => names.map(quoteName).join(', ')

/** Text is compared by bytes, whatever the locale of the database. */
function renderColumn(name: string, column: Column): string {
  const type = `${SQL_TYPE[column.type].toUpperCase()}${column.type === 'text' ? ' COLLATE "C"' : ''}`
  return `${quoteName(name)} ${type}${'nullable' in column ? '' : ' NOT NULL'}`
}

export function createTable(table: Table): string {
  const parts = [
    ...table.columnNames.map(name => renderColumn(name, table.columns[name] as Column)),
    `PRIMARY KEY (${list(table.key)})`,
    ...table.unique.map(columns => `UNIQUE (${list(columns)})`),
  ]
  return `CREATE TABLE IF NOT EXISTS ${quoteName(table.name)} (\n  ${parts.join(',\n  ')}\n)`
}

export function createIndexes({ name, listedBy }: PlainTable): string[] {
  const create = (index: string, columns: readonly string[]) =>
    `CREATE INDEX IF NOT EXISTS ${quoteName(`${name}_by_${index}`)} ON ${quoteName(name)} (${list(columns)})`
  return [create('age', ['at_ms']), ...listedBy.map(column => create(column, [column, 'at_ms']))]
}

const findType = (table: Table, name: string) => SQL_TYPE[(table.columns[name] as Column).type]

/** Arrays of columns as rows: `v` with the given column names. `first` is the number of the first parameter. */
function renderUnnest(
  table: Table,
  columns: readonly string[],
  first = 1,
  names: readonly string[] = columns,
): string {
  const arrays = columns.map((name, at) => `$${first + at}::${findType(table, name)}[]`).join(', ')
  return `unnest(${arrays}) AS v (${list(names)})`
}

/** Compares every column with the before-image, so that a row that differs from memory is not touched. */
function asBefore(table: Table, named: (column: string) => string): string {
  return table.columnNames
    .map(name => {
      const equals = 'nullable' in (table.columns[name] as Column) ? 'IS NOT DISTINCT FROM' : '='
      return `t.${quoteName(name)} ${equals} v.${quoteName(named(name))}`
    })
    .join(' AND ')
}

/** Fails with "division by zero" unless as many rows were written as the parameter says. */
function requireCount(write: string, parameter: number): string {
  return `WITH done AS (${write} RETURNING 1) SELECT 1 / (count(*) = $${parameter}::bigint)::int FROM done`
}

/** The same with "cannot take logarithm of zero", to distinguish them. */
function requireNewCount(write: string, parameter: number): string {
  return `WITH done AS (${write} RETURNING 1) SELECT ln((count(*) = $${parameter}::bigint)::int) FROM done`
}

/** Takes each column as an array. */
export function insertRows(table: Table): string {
  const columns = list(table.columnNames)
  return `INSERT INTO ${quoteName(table.name)} (${columns}) SELECT ${columns} FROM ${renderUnnest(table, table.columnNames)}`
}

/** Takes each column of the before-images as an array, then their number. */
export function deleteRows(table: Table): string {
  const { name, columnNames } = table
  const rows = renderUnnest(table, columnNames)
  const same = asBefore(table, column => column)
  return requireCount(
    `DELETE FROM ${quoteName(name)} AS t USING ${rows} WHERE ${same}`,
    columnNames.length + 1,
  )
}

/** Takes each column of the before-images as an array, then the new values of some columns, then their number. */
export function updateRows(table: Table, changed: readonly string[]): string {
  const columns = [...table.columnNames, ...changed]
  const names = [...table.columnNames.map(name => `old_${name}`), ...changed.map(name => `new_${name}`)]
  const sets = changed.map(name => `${quoteName(name)} = v.${quoteName(`new_${name}`)}`).join(', ')
  const rows = renderUnnest(table, columns, 1, names)
  const same = asBefore(table, column => `old_${column}`)
  return requireCount(
    `UPDATE ${quoteName(table.name)} AS t SET ${sets} FROM ${rows} WHERE ${same}`,
    columns.length + 1,
  )
}

/** Replaces rows with the same keys. Takes each column as an array. */
export function putRows(table: Table): string {
  const others = table.columnNames.filter(name => !table.key.includes(name))
  const sets = others.map(name => `${quoteName(name)} = excluded.${quoteName(name)}`).join(', ')
  const { name, columnNames, key } = table
  const columns = list(columnNames)
  const rows = `SELECT ${columns} FROM ${renderUnnest(table, columnNames)}`
  return `INSERT INTO ${quoteName(name)} AS t (${columns}) ${rows} ON CONFLICT (${list(key)}) DO UPDATE SET ${sets}`
}

/** Replaces only rows that are older than a time. Takes each column as an array, the time, the number. */
export function putNewRows(table: Table): string {
  const places = table.columnNames.length
  return requireNewCount(`${putRows(table)} WHERE t."at_ms" < $${places + 1}::bigint`, places + 2)
}

export function findRow(table: Table): string {
  const key = table.key.map((name, at) => `${quoteName(name)} = $${at + 1}`).join(' AND ')
  return `SELECT ${list(table.columnNames)} FROM ${quoteName(table.name)} WHERE ${key}`
}

/** Counts the rows that are stored exactly so. Takes each column as an array. */
export function countSame(table: Table): string {
  const rows = renderUnnest(table, table.columnNames)
  return `SELECT count(*) FROM ${quoteName(table.name)} AS t, ${rows} WHERE ${asBefore(table, column => column)}`
}

/** The oldest rows before a time, up to a limit. */
export function dropOld(table: Table, rows: number): string {
  const key = list(table.key)
  const name = quoteName(table.name)
  return `DELETE FROM ${name} WHERE (${key}) IN (SELECT ${key} FROM ${name} WHERE "at_ms" < $1 ORDER BY "at_ms" LIMIT ${rows})`
}

/** A page ends when its texts have this many bytes. */
const PAGE_BYTES_MAX = 8_000_000

/**
 * A page in order of the key: the number of rows, then each column as a JSON array. Takes the limit, then the key
 * before. With rows of any length, a page also ends by size; it has at least one row.
 */
export function selectPage(table: Table, after: boolean, byLength: boolean): string {
  const key = list(table.key)
  const places = table.key.map((name, at) => `$${at + 2}::${findType(table, name)}`).join(', ')
  const from = after ? ` WHERE (${key}) > (${places})` : ''
  const columns = table.columnNames.map(name => `json_agg(${quoteName(name)})`).join(', ')
  const page = (more = '') =>
    `SELECT ${list(table.columnNames)}${more} FROM ${quoteName(table.name)}${from} ORDER BY ${key} LIMIT $1`
  if (!byLength) return `SELECT count(*), ${columns} FROM (${page()}) AS page`
  const texts = table.columnNames.filter(name => (table.columns[name] as Column).type === 'text')
  const bytes = texts.map(name => `coalesce(octet_length(${quoteName(name)}), 0)`).join(' + ')
  const rows = page(`, ${bytes} AS row_bytes`)
  const summed = `SELECT *, sum(row_bytes) OVER (ORDER BY ${key}) - row_bytes AS bytes_before FROM (${rows}) AS page`
  return `SELECT count(*), ${columns} FROM (${summed}) AS measured WHERE bytes_before < ${PAGE_BYTES_MAX}`
}
