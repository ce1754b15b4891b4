import { type Dialect, operatorNamed } from './dialects.ts'
import type { Form } from './form.ts'
import { wordsOf } from './python-text.ts'

/**
 * OpenStack's dashboard writes a choice of several as `OPERATOR a,b`, which Nova reads as one operand with a comma in
 * it. Where the property had an empty list of operators it wrote `undefined a,b`; where it had no list, `<in> a,b`.
 * What was meant by these; null where the text is none of them.
 */
export function repairedForm(text: string, dialect: Dialect): Form | null {
  const [first, list, ...rest] = wordsOf(text)
  if (first === undefined || list === undefined || rest.length > 0) return null
  const operands = list.split(',').filter(operand => operand !== '')
  if (operands.length === 0) return null
  if (first === 'undefined')
    return operands.length === 1 ? { kind: 'literal', text: operands[0] as string } : anyOf(operands)
  if (!list.includes(',')) return null
  if (first === '<or>') return anyOf(operands)
  // Chosen together without a word on how: all of them, which the one dialect has an operator for.
  const isForAll = first === '<all-in>' || first === '<in>'
  return isForAll && operatorNamed(dialect, '<all-in>') !== undefined
    ? { kind: 'operator', operator: '<all-in>', operands }
    : null
}

const anyOf = (operands: readonly string[]): Form => ({ kind: 'operator', operator: '<or>', operands })
