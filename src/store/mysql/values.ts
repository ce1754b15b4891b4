import type { AnyRow, Column, Table, Value } from '../../world/table.ts'

/** Values as SQL literals that mean the same in every `sql_mode` and character set of the session. */

/** A backslash is an escape only in some modes, and other characters depend on the character set. */
const NEEDS_HEX = /[\\\0\u0080-\uffff]/

export function renderText(text: string): string {
  if (NEEDS_HEX.test(text)) return `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`
  return `'${text.replaceAll("'", "''")}'`
}

/** With an exponent a literal is a double; without one it would be a decimal. */
const renderReal = (value: number): string => {
  const text = String(value)
  return text.includes('e') ? text : `${text}e0`
}

export function renderValue({ type }: Column, value: Value): string {
  if (value === null) return 'NULL'
  if (type === 'text') return renderText(String(value))
  return type === 'real' ? renderReal(Number(value)) : String(Number(value))
}

/** A value whose column is not known: what JavaScript says it is. */
export function renderAny(value: Value): string {
  return typeof value === 'string' ? renderText(value) : value === null ? 'NULL' : String(value)
}

/** The values of a row in the order of some columns. */
export function renderRow(table: Table, columns: readonly string[], row: AnyRow): string {
  return columns.map(name => renderValue(table.columns[name] as Column, row[name] as Value)).join(', ')
}
