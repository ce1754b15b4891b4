import { ApiError } from '../../http/api.ts'
import { parseJson } from '../../http/formats/json-body.ts'
import { findFirstFault } from '../../http/formats/json-schema.ts'
import { type LineKey, lineSchemas } from '../../placement/transfer/lines.schemas.ts'
import type { CloudLine, LineKind } from '../../placement/transfer/lines.ts'
import type { RowLine } from '../../transfer/exported-tables.ts'
import { rowFault } from '../../transfer/rows.schemas.ts'
import type { NumberedLine } from '../api/ndjson.ts'
import { Problem } from '../api/problem.ts'

export type AnyLine =
  | CloudLine
  | RowLine
  | { readonly berth_export: number }
  | {
      readonly end: { readonly [K in LineKind]: number } & {
        readonly rows?: Readonly<Record<string, number>>
      }
    }

/** One line of an import, of a known kind and shape. */
export function parseLine({ number, bytes }: NumberedLine): AnyLine {
  const makeProblem = (what: string, facts = {}) =>
    new Problem(400, 'import.bad-line', `Line ${number}: ${what}`, { line: number, ...facts })
  let value: unknown
  try {
    value = parseJson(bytes).value
  } catch (error) {
    if (error instanceof ApiError) throw makeProblem(error.message)
    throw error
  }
  const key = findKey(value)
  if (key === null) throw makeProblem(`it is not one of ${Object.keys(lineSchemas).join(', ')}.`)
  const fault = findFirstFault(lineSchemas[key], value)
  if (fault !== null) throw makeProblem(`${fault.path || key}: ${fault.message}`, { field: fault.path })
  if (key === 'table') {
    const wrong = rowFault(value as RowLine)
    if (wrong !== null) {
      const { table } = value as RowLine
      const where = wrong.field === '' || wrong.field === 'table' ? '' : `.${wrong.field}`
      throw makeProblem(`${table}${where}: ${wrong.message}`, { table, field: wrong.field })
    }
  }
  return value as AnyLine
}

function findKey(value: unknown): LineKey | null {
  if (typeof value !== 'object' || value === null) return null
  const key = Object.keys(value)[0]
  return key !== undefined && Object.hasOwn(lineSchemas, key) ? (key as LineKey) : null
}
