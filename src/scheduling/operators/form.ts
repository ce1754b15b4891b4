import { type Dialect, folded, operatorNamed } from './dialects.ts'
import { repairedForm } from './horizon.ts'
import { floatOf, hasBlank, wordsOf } from './python-text.ts'

/** A requirement taken apart: what stands in a flavor's extra spec, say, as the fields of a form. */
export type Form =
  /** No operator: the value must be this very text, blanks and all. */
  | { readonly kind: 'literal'; readonly text: string }
  /** Operands are words. An operator that takes one may be without; then it matches nothing. */
  | { readonly kind: 'operator'; readonly operator: string; readonly operands: readonly string[] }

interface Parsed {
  readonly form: Form
  /** The form as text: what was read, without what is ignored. */
  readonly text: string
  /** Words that no reader looks at: those after the operand of an operator that takes one. */
  readonly ignored: readonly string[]
  /** The text had a form that only a dashboard wrote, and was put right. */
  readonly repaired: boolean
}

interface ParseOptions {
  /** Put right what dashboards wrote with commas. Off, the text means what its reader makes of it. */
  readonly repair?: boolean
}

export function parse(text: string, dialect: Dialect, { repair = false }: ParseOptions = {}): Parsed {
  const mended = repair ? repairedForm(text, dialect) : null
  if (mended !== null) return { form: mended, text: written(mended), ignored: [], repaired: true }
  const { form, ignored } = read(text, dialect)
  return { form, text: written(form), ignored, repaired: false }
}

function read(text: string, dialect: Dialect): { form: Form; ignored: readonly string[] } {
  const [first, ...rest] = wordsOf(text)
  const operator = first === undefined ? undefined : operatorNamed(dialect, folded(dialect, first))
  if (operator === undefined) return { form: { kind: 'literal', text }, ignored: [] }
  const { symbol } = operator
  // Between two operands of <or> stands a word that nobody looks at.
  if (symbol === '<or>') return { form: asOperator(symbol, everySecond(rest)), ignored: [] }
  if (operator.takes === 'several') return { form: asOperator(symbol, rest), ignored: [] }
  return { form: asOperator(symbol, rest.slice(0, 1)), ignored: rest.slice(1) }
}

const asOperator = (operator: string, operands: readonly string[]): Form => ({
  kind: 'operator',
  operator,
  operands,
})

const everySecond = (words: readonly string[]): string[] => words.filter((_, at) => at % 2 === 0)

function written(form: Form): string {
  if (form.kind === 'literal') return form.text
  const { operator, operands } = form
  if (operator === '<or>' && operands.length > 0) return operands.map(word => `<or> ${word}`).join(' ')
  return [operator, ...operands].join(' ')
}

type Printed =
  | { readonly ok: true; readonly text: string }
  /** No text says this: which field stands in the way, and why. */
  | { readonly ok: false; readonly field: string; readonly value: unknown; readonly reason: string }

/** The text of a form, which is read as that form again; or why there is none. */
export function print(form: Form, dialect: Dialect): Printed {
  const refused = form.kind === 'literal' ? literalFault(form.text, dialect) : operatorFault(form, dialect)
  return refused ?? { ok: true, text: written(form) }
}

type Fault = Extract<Printed, { ok: false }>

const fault = (field: string, value: unknown, reason: string): Fault => ({ ok: false, field, value, reason })

function literalFault(text: string, dialect: Dialect): Fault | null {
  const { form } = read(text, dialect)
  return form.kind === 'literal' ? null : fault('text', text, `is read as the operator ${form.operator}`)
}

function operatorFault(form: Extract<Form, { kind: 'operator' }>, dialect: Dialect): Fault | null {
  const operator = operatorNamed(dialect, form.operator)
  if (operator === undefined) return fault('operator', form.operator, `is no operator of ${dialect}`)
  const { operands } = form
  if (operator.takes === 'one' && operands.length > 1)
    return fault('operands', operands, `${form.operator} takes one operand, not ${operands.length}`)
  for (const [at, operand] of operands.entries()) {
    if (operand === '') return fault(`operands.${at}`, operand, 'is empty, and would not be read')
    if (hasBlank(operand))
      return fault(`operands.${at}`, operand, 'has a blank in it, and would be read as several words')
  }
  return null
}

/** What a form says that cannot have been meant: it is valid, and matches nothing. */
export function warningsOf(form: Form, dialect: Dialect): string[] {
  if (form.kind === 'literal') return []
  const { operator: symbol, operands } = form
  if (operands.length === 0) return [`${symbol} without an operand matches nothing`]
  if (operatorNamed(dialect, symbol)?.compares !== 'numbers') return []
  return operands
    .filter(operand => floatOf(folded(dialect, operand)) === null)
    .map(operand => `${symbol} compares numbers, and ${JSON.stringify(operand)} is none: it matches nothing`)
}
