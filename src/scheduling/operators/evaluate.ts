import { byCodePoint } from '../../kernel/code-points.ts'
import { ownValue } from '../../kernel/records.ts'
import { type Dialect, findOperatorBySymbol, foldCase } from './dialects.ts'
import { type Form, parse } from './form.ts'
import { parseFloat64, parseYesOrNo } from './python-text.ts'

/** A value of a host, an aggregate or a pool, as JSON. */
export type Value = string | number | boolean | null | readonly Value[]

interface MatchResult {
  readonly matches: boolean
  /** Why the two cannot be compared at all; then they do not match. */
  readonly error: string | null
}

/** Whether a value meets a requirement, as in Nova or Manila. Never throws. */
export function evaluate(dialect: Dialect, value: Value, requirement: string): MatchResult {
  return evaluateForm(dialect, value, parse(requirement, dialect).form)
}

export function evaluateForm(dialect: Dialect, value: Value, form: Form): MatchResult {
  const seen = typeof value === 'string' ? foldCase(dialect, value) : value
  if (form.kind === 'literal') return toResult(isLiterally(dialect, seen, foldCase(dialect, form.text)))
  const operands = form.operands.map(operand => foldCase(dialect, operand))
  const operator = findOperatorBySymbol(dialect, form.operator)
  if (operator === undefined) return noMatch(`${form.operator} is not an operator of ${dialect}`)
  if (seen === null) return toResult(false)
  if (form.operator === '<or>') return isOneOf(seen, operands)
  const [operand] = operands
  if (operand === undefined) return toResult(false)
  switch (operator.compares) {
    case 'numbers':
      return compareAsNumbers(form.operator, seen, operand)
    case 'texts':
      return compareAsTexts(form.operator, seen, operand)
    case 'parts':
      return contains(form.operator, seen, operands)
    case 'yes-or-no':
      return toResult(meansYes(seen) === meansYes(operand))
    default:
      return operator.compares satisfies never
  }
}

const toResult = (matches: boolean): MatchResult => ({ matches, error: null })
const noMatch = (error: string): MatchResult => ({ matches: false, error })

function isLiterally(dialect: Dialect, value: Value, text: string): boolean {
  return dialect === 'manila' && typeof value === 'boolean' ? parseYesOrNo(text) === value : value === text
}

function isOneOf(value: Value, operands: readonly string[]): MatchResult {
  return operands.length === 0
    ? noMatch('<or> has no operand to compare with')
    : toResult(operands.some(operand => operand === value))
}

const numberTests: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left >= right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
}

function compareAsNumbers(symbol: string, value: Value, operand: string): MatchResult {
  const left = toNumber(value)
  if (left === null)
    return noMatch(`${symbol} compares numbers, and the value ${renderValue(value)} is not one`)
  const right = parseFloat64(operand)
  if (right === null)
    return noMatch(`${symbol} compares numbers, and the operand ${renderValue(operand)} is not one`)
  return toResult((ownValue(numberTests, symbol) as (typeof numberTests)[string])(left, right))
}

function toNumber(value: Value): number | null {
  if (typeof value === 'string') return parseFloat64(value)
  return typeof value === 'number' || typeof value === 'boolean' ? Number(value) : null
}

const orderTests: Readonly<Record<string, (order: number) => boolean>> = {
  's<': order => order < 0,
  's<=': order => order <= 0,
  's>': order => order > 0,
  's>=': order => order >= 0,
}

function compareAsTexts(symbol: string, value: Value, operand: string): MatchResult {
  if (symbol === 's==') return toResult(value === operand)
  if (symbol === 's!=') return toResult(value !== operand)
  if (typeof value !== 'string')
    return noMatch(`${symbol} compares texts, and the value ${renderValue(value)} is not one`)
  return toResult((ownValue(orderTests, symbol) as (typeof orderTests)[string])(byCodePoint(value, operand)))
}

function contains(symbol: string, value: Value, operands: readonly string[]): MatchResult {
  if (typeof value !== 'string' && !Array.isArray(value))
    return noMatch(`${symbol} looks into texts and lists, and the value ${renderValue(value)} is neither`)
  if (typeof value === 'string') return toResult(operands.every(operand => value.includes(operand)))
  // For a single operand, searching the list is cheaper than making a set.
  if (operands.length === 1) return toResult((value as readonly Value[]).includes(operands[0] as string))
  const members = new Set<Value>(value)
  return toResult(operands.every(operand => members.has(operand)))
}

/** Everything else means no. */
function meansYes(value: Value): boolean {
  if (typeof value === 'string' || typeof value === 'number') return parseYesOrNo(String(value)) ?? false
  return value === true
}

const SHOWN_MAX = 80

function renderValue(value: Value): string {
  const text = JSON.stringify(value)
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}...`
}
