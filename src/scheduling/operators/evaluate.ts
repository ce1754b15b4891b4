import { byCodePoint } from '../../kernel/code-points.ts'
import { ownValue } from '../../kernel/records.ts'
import { type Dialect, folded, operatorNamed } from './dialects.ts'
import { type Form, parse } from './form.ts'
import { floatOf, yesOrNoOf } from './python-text.ts'

/** What a host, an aggregate or a pool has, as JSON tells it. */
export type Value = string | number | boolean | null | readonly Value[]

interface MatchResult {
  readonly matches: boolean
  /** Why the two cannot be compared at all; then they do not match. */
  readonly error: string | null
}

/** Whether a value meets a requirement, as Nova or Manila judge it. Never throws. */
export function evaluate(dialect: Dialect, value: Value, requirement: string): MatchResult {
  return evaluateForm(dialect, value, parse(requirement, dialect).form)
}

export function evaluateForm(dialect: Dialect, value: Value, form: Form): MatchResult {
  const seen = typeof value === 'string' ? folded(dialect, value) : value
  if (form.kind === 'literal') return verdict(isLiterally(dialect, seen, folded(dialect, form.text)))
  const operands = form.operands.map(operand => folded(dialect, operand))
  const operator = operatorNamed(dialect, form.operator)
  if (operator === undefined) return impossible(`${form.operator} is no operator of ${dialect}`)
  if (seen === null) return verdict(false)
  if (form.operator === '<or>') return isOneOf(seen, operands)
  const [operand] = operands
  if (operand === undefined) return verdict(false)
  switch (operator.compares) {
    case 'numbers':
      return comparedAsNumbers(form.operator, seen, operand)
    case 'texts':
      return comparedAsTexts(form.operator, seen, operand)
    case 'parts':
      return contains(form.operator, seen, operands)
    case 'yes-or-no':
      return verdict(meansYes(seen) === meansYes(operand))
    default:
      return operator.compares satisfies never
  }
}

const verdict = (matches: boolean): MatchResult => ({ matches, error: null })
const impossible = (error: string): MatchResult => ({ matches: false, error })

function isLiterally(dialect: Dialect, value: Value, text: string): boolean {
  return dialect === 'manila' && typeof value === 'boolean' ? yesOrNoOf(text) === value : value === text
}

function isOneOf(value: Value, operands: readonly string[]): MatchResult {
  return operands.length === 0
    ? impossible('<or> has no operand to compare with')
    : verdict(operands.some(operand => operand === value))
}

const numberTests: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left >= right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
}

function comparedAsNumbers(symbol: string, value: Value, operand: string): MatchResult {
  const left = numberIn(value)
  if (left === null) return impossible(`${symbol} compares numbers, and the value ${shown(value)} is none`)
  const right = floatOf(operand)
  if (right === null)
    return impossible(`${symbol} compares numbers, and the operand ${shown(operand)} is none`)
  return verdict((ownValue(numberTests, symbol) as (typeof numberTests)[string])(left, right))
}

function numberIn(value: Value): number | null {
  if (typeof value === 'string') return floatOf(value)
  return typeof value === 'number' || typeof value === 'boolean' ? Number(value) : null
}

const orderTests: Readonly<Record<string, (order: number) => boolean>> = {
  's<': order => order < 0,
  's<=': order => order <= 0,
  's>': order => order > 0,
  's>=': order => order >= 0,
}

function comparedAsTexts(symbol: string, value: Value, operand: string): MatchResult {
  if (symbol === 's==') return verdict(value === operand)
  if (symbol === 's!=') return verdict(value !== operand)
  if (typeof value !== 'string')
    return impossible(`${symbol} compares texts, and the value ${shown(value)} is none`)
  return verdict((ownValue(orderTests, symbol) as (typeof orderTests)[string])(byCodePoint(value, operand)))
}

function contains(symbol: string, value: Value, operands: readonly string[]): MatchResult {
  if (typeof value !== 'string' && !Array.isArray(value))
    return impossible(`${symbol} looks into texts and lists, and the value ${shown(value)} is neither`)
  if (typeof value === 'string') return verdict(operands.every(operand => value.includes(operand)))
  // Of a single operand it costs less to look through the list than to make a set of it.
  if (operands.length === 1) return verdict((value as readonly Value[]).includes(operands[0] as string))
  const members = new Set<Value>(value)
  return verdict(operands.every(operand => members.has(operand)))
}

/** Whatever does not say yes says no. */
function meansYes(value: Value): boolean {
  if (typeof value === 'string' || typeof value === 'number') return yesOrNoOf(String(value)) ?? false
  return value === true
}

const SHOWN_MAX = 80

function shown(value: Value): string {
  const text = JSON.stringify(value)
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}...`
}
