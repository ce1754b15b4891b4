import { type Dialect, findOperatorBySymbol, foldCase } from './dialects.ts'
import { repairForm } from './horizon.ts'
import { hasBlank, parseFloat64, splitWords } from './python-text.ts'

/** A parsed requirement, such as an extra spec of a flavor. */
export type Form =
  /** No operator: the value must be exactly this text, with blanks. */
  | { readonly kind: 'literal'; readonly text: string }
  /** Operands are words. An operator for one operand may lack it; then it matches nothing. */
  | { readonly kind: 'operator'; readonly operator: string; readonly operands: readonly string[] }

interface Parsed {
  readonly form: Form
  /** The form as text, without ignored words. */
  readonly text: string
  /** Ignored words: those after the operand of an operator that takes only one. */
  readonly ignored: readonly string[]
  /** The text had a form that only a dashboard writes, and was corrected. */
  readonly repaired: boolean
}

interface ParseOptions {
  /** Corrects what dashboards write with commas. Without this, the text means what Nova or Manila reads. */
  readonly repair?: boolean
}

export function parse(text: string, dialect: Dialect, { repair = false }: ParseOptions = {}): Parsed {
  const mended = repair ? repairForm(text, dialect) : null
  if (mended !== null) return { form: mended, text: renderForm(mended), ignored: [], repaired: true }
  const { form, ignored } = read(text, dialect)
  return { form, text: renderForm(form), ignored, repaired: false }
}

function read(text: string, dialect: Dialect): { form: Form; ignored: readonly string[] } {
  const [first, ...rest] = splitWords(text)
  const operator = first === undefined ? undefined : findOperatorBySymbol(dialect, foldCase(dialect, first))
  if (operator === undefined) return { form: { kind: 'literal', text }, ignored: [] }
  const { symbol } = operator
  // Between two operands of <or> is a word that is ignored.
  if (symbol === '<or>') return { form: asOperator(symbol, takeEverySecond(rest)), ignored: [] }
  if (operator.takes === 'several') return { form: asOperator(symbol, rest), ignored: [] }
  return { form: asOperator(symbol, rest.slice(0, 1)), ignored: rest.slice(1) }
}

const asOperator = (operator: string, operands: readonly string[]): Form => ({
  kind: 'operator',
  operator,
  operands,
})

const takeEverySecond = (words: readonly string[]): string[] => words.filter((_, at) => at % 2 === 0)

function renderForm(form: Form): string {
  if (form.kind === 'literal') return form.text
  const { operator, operands } = form
  if (operator === '<or>' && operands.length > 0) return operands.map(word => `<or> ${word}`).join(' ')
  return [operator, ...operands].join(' ')
}

type Printed =
  | { readonly ok: true; readonly text: string }
  /** No text has this form: the field that prevents it, and the reason. */
  | { readonly ok: false; readonly field: string; readonly value: unknown; readonly reason: string }

/** The text that parses to this form again; or the reason why there is none. */
export function print(form: Form, dialect: Dialect): Printed {
  const refused =
    form.kind === 'literal' ? findLiteralFault(form.text, dialect) : findOperatorFault(form, dialect)
  return refused ?? { ok: true, text: renderForm(form) }
}

type Fault = Extract<Printed, { ok: false }>

const makeFault = (field: string, value: unknown, reason: string): Fault => ({
  ok: false,
  field,
  value,
  reason,
})

function findLiteralFault(text: string, dialect: Dialect): Fault | null {
  const { form } = read(text, dialect)
  return form.kind === 'literal' ? null : makeFault('text', text, `is read as the operator ${form.operator}`)
}

function findOperatorFault(form: Extract<Form, { kind: 'operator' }>, dialect: Dialect): Fault | null {
  const operator = findOperatorBySymbol(dialect, form.operator)
  if (operator === undefined) return makeFault('operator', form.operator, `is not an operator of ${dialect}`)
  const { operands } = form
  if (operator.takes === 'one' && operands.length > 1)
    return makeFault('operands', operands, `${form.operator} takes one operand, not ${operands.length}`)
  for (const [at, operand] of operands.entries()) {
    if (operand === '') return makeFault(`operands.${at}`, operand, 'is empty, and would not be read')
    if (hasBlank(operand))
      return makeFault(`operands.${at}`, operand, 'has a blank in it, and would be read as several words')
  }
  return null
}

/** Warns about a valid form that matches nothing: nobody means that. */
export function findWarnings(form: Form, dialect: Dialect): string[] {
  if (form.kind === 'literal') return []
  const { operator: symbol, operands } = form
  if (operands.length === 0) return [`${symbol} without an operand matches nothing`]
  if (findOperatorBySymbol(dialect, symbol)?.compares !== 'numbers') return []
  return operands
    .filter(operand => parseFloat64(foldCase(dialect, operand)) === null)
    .map(
      operand => `${symbol} compares numbers, and ${JSON.stringify(operand)} is not one: it matches nothing`,
    )
}
