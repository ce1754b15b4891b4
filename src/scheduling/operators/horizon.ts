import { type Dialect, findOperatorBySymbol } from './dialects.ts'
import type { Form } from './form.ts'
import { splitWords } from './python-text.ts'

/**
 * OpenStack's dashboard writes a choice of several as `OPERATOR a,b`, which Nova reads as one operand with a comma in it. For
 * a property with an empty list of operators it wrote `undefined a,b`; without a list, `<in> a,b`. Returns what was meant by
 * these; null for any other text.
 */
export function repairForm(text: string, dialect: Dialect): Form | null {
  const [first, list, ...rest] = splitWords(text)
  if (first === undefined || list === undefined || rest.length > 0) return null
  const operands = list.split(',').filter(operand => operand !== '')
  if (operands.length === 0) return null
  if (first === 'undefined')
    return operands.length === 1 ? { kind: 'literal', text: operands[0] as string } : makeAnyOf(operands)
  if (!list.includes(',')) return null
  if (first === '<or>') return makeAnyOf(operands)
  // Values chosen together without an operator mean all of them, which only one of the dialects can express.
  const isForAll = first === '<all-in>' || first === '<in>'
  return isForAll && findOperatorBySymbol(dialect, '<all-in>') !== undefined
    ? { kind: 'operator', operator: '<all-in>', operands }
    : null
}

const makeAnyOf = (operands: readonly string[]): Form => ({ kind: 'operator', operator: '<or>', operands })
