import { parseFloat64 } from '../../scheduling/operators/python-text.ts'
import type { Catalog } from '../../world/catalog.ts'
import { checkSpecs, type KeyReport } from './check-specs.ts'
import { indexDefinitions } from './defined-keys.ts'
import type { Specs } from './readers.ts'
import { isNumeric } from './value-faults.ts'

/** Whether values that definitions do not allow are warned about or refused where they are written. */
export type WriteCheck = 'off' | 'warn' | 'refuse'

interface Verdict {
  readonly refused: readonly string[]
  readonly doubtful: readonly string[]
}

const FINE: Verdict = { refused: [], doubtful: [] }

/**
 * Checks the written keys of a flavor, an aggregate or a share type against the public definitions. NaN for a number is refused
 * always: no client means it, and dashboards write it in place of values that they cannot read.
 */
export function checkWritten(
  catalog: Catalog,
  mode: WriteCheck,
  resourceType: string,
  written: Specs,
  kept: Specs = {},
): Verdict {
  if (mode === 'off' && !Object.values(written).some(isNaNText)) return FINE
  const source = indexDefinitions(
    catalog,
    catalog.namespaces.all().filter(({ visibility }) => visibility === 'public'),
  )
  const { keys } = checkSpecs(source, resourceType, { ...kept, ...written }, { findNear: () => [] })
  const own = keys.filter(({ key }) => Object.hasOwn(written, key))
  const lost = own.filter(isLostNumber)
  const wrong = mode === 'off' ? [] : own.filter(report => !lost.includes(report)).flatMap(listValueFaults)
  const refused = lost.map(({ key, value }) => `${key}: ${JSON.stringify(value)} is not a number.`)
  return mode === 'refuse' ? { refused: [...refused, ...wrong], doubtful: [] } : { refused, doubtful: wrong }
}

const isNaNText = (value: string): boolean => /nan/i.test(value)

/** The last word is the operand, if there is an operator. */
function isLostNumber({ value, definitions }: KeyReport): boolean {
  const operand = value.trim().split(/\s+/).at(-1) ?? ''
  return Number.isNaN(parseFloat64(operand)) && definitions.some(({ schema }) => isNumeric(schema))
}

const listValueFaults = ({ key, findings }: KeyReport): string[] =>
  findings
    .filter(({ code }) => code.startsWith('value-'))
    .map(({ text, namespace }) => `${key}: ${text}${namespace === null ? '' : ` (${namespace})`}.`)
