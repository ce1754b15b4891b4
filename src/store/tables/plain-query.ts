import type { Table, Value } from '../../world/table.ts'
import { type AnyPlainQuery, type PlainName, plainTableByName } from './plain-tables.ts'

/** A query for rows of a plain table that every engine understands, apart from how it marks parameters and quotes names. */
export function buildPlainQuery(
  name: PlainName,
  { where = {}, sinceMs, after, limit }: AnyPlainQuery,
  keptSinceMs: number,
  mark: (nth: number, value: Value) => string,
  quoteName: (name: string) => string = name => `"${name}"`,
): { readonly text: string; readonly values: readonly Value[] } {
  const table = plainTableByName[name]
  const order = listOrderColumns(table)
  const fromMs = Math.max(sinceMs ?? keptSinceMs, keptSinceMs)
  const values: Value[] = [fromMs]
  const addValue = (value: Value): string => mark(values.push(value), value)
  const conditions = [`${quoteName('at_ms')} >= ${mark(1, fromMs)}`]
  for (const [column, value] of Object.entries(where))
    conditions.push(`${quoteName(column)} ${value === null ? 'IS NULL' : `= ${addValue(value as Value)}`}`)
  if (after !== undefined)
    conditions.push(`(${order.map(quoteName).join(', ')}) < (${after.map(addValue).join(', ')})`)
  const text = [
    `SELECT ${table.columnNames.map(quoteName).join(', ')} FROM ${quoteName(table.name)}`,
    `WHERE ${conditions.join(' AND ')}`,
    `ORDER BY ${order.map(column => `${quoteName(column)} DESC`).join(', ')} LIMIT ${addValue(limit)}`,
  ]
  return { text: text.join(' '), values }
}

/** By time, then by key. */
export const listOrderColumns = (table: Table): readonly string[] => [
  'at_ms',
  ...table.key.filter(column => column !== 'at_ms'),
]

/** Rows before this time have expired. */
export const computeKeptSince = (name: PlainName, nowMs: number): number =>
  nowMs - plainTableByName[name].keepMsMax
