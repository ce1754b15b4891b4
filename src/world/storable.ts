import { NUMBER_MAX } from '../kernel/number-bounds.ts'
import { jsonText } from '../kernel/records.ts'
import type { AnyRow, Column, Table, Value } from './table.ts'

/**
 * A value that a store would not return unchanged. Nothing was written. Rules and schemas should refuse it earlier,
 * with the name that the client used; this is the last check.
 */
export class NotStorable extends Error {
  override name = 'NotStorable'

  constructor(table: string, column: string, value: unknown, why: string) {
    super(`${table}.${column} cannot be ${showValue(value)}: ${why}`)
  }
}

const SHOWN_MAX = 100

const showValue = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, SHOWN_MAX)) : jsonText(value)

export function requireStorable({ name, columns, columnNames }: Table, row: AnyRow): void {
  for (let at = 0; at < columnNames.length; at++) {
    const column = columnNames[at] as string
    const value = row[column]
    const fault = findStorableFault(columns[column] as Column, value)
    // Secrets are not shown, not even to their sender.
    if (fault !== null)
      throw new NotStorable(name, column, 'secret' in (columns[column] as Column) ? '…' : value, fault)
  }
}

/** Why a column cannot hold a value; null if it can. */
export function findStorableFault(column: Column, value: Value | undefined): string | null {
  if (value === null) return 'nullable' in column ? null : 'there must be a value'
  switch (column.type) {
    case 'integer':
      // Both engines have 64 bits; larger numbers are not exact in JavaScript.
      return Number.isSafeInteger(value)
        ? null
        : `it must be a whole number, at most ${NUMBER_MAX} and at least -${NUMBER_MAX}`
    case 'real':
      return Number.isFinite(value) ? null : 'it must be a finite number'
    case 'text':
      if (typeof value !== 'string') return 'it must be a text'
      return value.isWellFormed() && !value.includes('\0')
        ? null
        : 'it has a character that is not allowed (U+0000 or half a surrogate pair)'
    default:
      return column satisfies never
  }
}
