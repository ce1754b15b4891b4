import type { AnyRow, Column, Table, Value } from '../../world/table.ts'

/** How values are sent to PostgreSQL and back. */

export const SQL_TYPE: Record<Column['type'], string> = {
  integer: 'bigint',
  real: 'double precision',
  text: 'text',
}

/** PostgreSQL's texts cannot have U+0000; this character, which Unicode never assigns, replaces it. */
const ESCAPE = '\uFFFF'

function escapeText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll('\0', `${ESCAPE}0`)
}

export function readText(text: string): string {
  if (!text.includes(ESCAPE)) return text
  return text.replaceAll(`${ESCAPE}0`, '\0').replaceAll(`${ESCAPE}1`, ESCAPE)
}

export function encodeValue(value: Value): string | null {
  if (value === null) return null
  return typeof value === 'string' ? escapeText(value) : String(value)
}

/** Many values of one column as one parameter: an array in PostgreSQL's notation. */
function encodeArray({ type }: Column, values: readonly Value[]): string {
  const elements = values.map(value => {
    if (value === null) return 'NULL'
    return type === 'text' ? quoteText(escapeText(String(value))) : String(value)
  })
  return `{${elements.join(',')}}`
}

function quoteText(text: string): string {
  if (!text.includes('"') && !text.includes('\\')) return `"${text}"`
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** Each column of some rows as one parameter, in column order. */
export function encodeColumns(table: Table, columns: readonly string[], rows: readonly AnyRow[]): string[] {
  return columns.map(name =>
    encodeArray(
      table.columns[name] as Column,
      rows.map(row => row[name] as Value),
    ),
  )
}

/** PostgreSQL's type numbers. */
const BOOL = 16
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701])

const keepText = (text: string) => text

/** 64-bit integers become numbers: no column of ours exceeds 2^53. */
export const valueTypes = {
  getTypeParser(oid: number): (text: string) => unknown {
    if (NUMBERS.has(oid)) return Number
    return oid === BOOL ? text => text === 't' : keepText
  },
}

/** A row from PostgreSQL's values in column order. */
export function decodeRow(table: Table, values: readonly Value[]): AnyRow {
  const row: Record<string, Value> = {}
  table.columnNames.forEach((name, at) => {
    const value = values[at] as Value
    row[name] = typeof value === 'string' ? readText(value) : value
  })
  return row
}
