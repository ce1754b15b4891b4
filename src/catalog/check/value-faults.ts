import { matchesPattern } from '../../kernel/pattern/pattern.ts'
import { jsonText, ownValue } from '../../kernel/records.ts'
import { parseFloat64, parseInteger, parseYesOrNo } from '../../scheduling/operators/python-text.ts'
import type { PropertySchema } from './defined-keys.ts'

export interface ValueFault {
  readonly code: 'value-type' | 'value-enum' | 'value-range' | 'value-length' | 'value-pattern'
  readonly text: string
}

/** How a value is compared with its property. */
export interface Manner {
  readonly ignoresCase: boolean
  /** The value is searched within others, so it may be a part of a valid one. */
  readonly isPart: boolean
  /** The value is only compared by order. */
  readonly isBound: boolean
}

export function findValueFaults(schema: PropertySchema, value: string, manner: Manner): ValueFault[] {
  const inner = schema.type === 'array' ? ((schema.items ?? {}) as PropertySchema) : schema
  if (manner.isPart || manner.isBound) return manner.isPart ? findPartFaults(inner, value, manner) : []
  const type = findTypeFault(isNumeric(inner) && inner.type === 'string' ? 'number' : inner.type, value)
  if (type !== null) return [type]
  return [
    findEnumFault(inner, value, manner),
    ...findRangeFaults(inner, value),
    ...(inner.type === 'string' || inner.type === undefined ? findTextFaults(inner, value) : []),
  ].filter(fault => fault !== null)
}

const COMPARE_NUMBERS = ['=', '==', '!=', '>=', '<=']

/** Whether values are numbers. Where they may have operators the type is string, because dashboards cut others to numbers. */
export const isNumeric = ({ type, operators }: PropertySchema): boolean =>
  type === 'integer' ||
  type === 'number' ||
  (type === 'string' && Array.isArray(operators) && operators.some(one => COMPARE_NUMBERS.includes(one)))

const makeFault = (code: ValueFault['code'], text: string): ValueFault => ({ code, text })

function findTypeFault(type: unknown, value: string): ValueFault | null {
  const isRight =
    type === 'integer'
      ? parseInteger(value) !== null
      : type === 'number'
        ? !Number.isNaN(parseFloat64(value) ?? Number.NaN)
        : type === 'boolean'
          ? parseYesOrNo(value) !== null
          : true
  return isRight
    ? null
    : makeFault('value-type', `${quoteValue(value)} is ${ownValue(MISSED, jsonText(type))}`)
}

const MISSED = {
  integer: 'not a whole number',
  number: 'not a number',
  boolean: 'not a boolean: write True or False',
}

const membersOf = (schema: PropertySchema): unknown[] | null =>
  Array.isArray(schema.enum) && schema.type !== 'boolean' ? schema.enum : null

const ENUM_SHOWN_MAX = 12

function findEnumFault(schema: PropertySchema, value: string, { ignoresCase }: Manner): ValueFault | null {
  const members = membersOf(schema)
  const fold = (text: string) => (ignoresCase ? text.toLowerCase() : text)
  const number = parseFloat64(value)
  const isMember = (one: unknown) =>
    typeof one === 'number' ? one === number : fold(jsonText(one)) === fold(value)
  return members === null || members.some(isMember) ? null : describeNotAmong(value, members)
}

function describeNotAmong(value: string, members: readonly unknown[]): ValueFault {
  const shown = members.slice(0, ENUM_SHOWN_MAX).map(jsonText).join(', ')
  const more = members.length > ENUM_SHOWN_MAX ? ` and ${members.length - ENUM_SHOWN_MAX} more` : ''
  return makeFault('value-enum', `${quoteValue(value)} is not one of ${shown}${more}`)
}

function findPartFaults(schema: PropertySchema, value: string, { ignoresCase }: Manner): ValueFault[] {
  const members = membersOf(schema)
  const fold = (text: unknown) => (ignoresCase ? jsonText(text).toLowerCase() : jsonText(text))
  return members === null || members.some(one => fold(one).includes(fold(value)))
    ? []
    : [describeNotAmong(value, members)]
}

function findRangeFaults({ type, minimum, maximum }: PropertySchema, value: string): ValueFault[] {
  if (type !== 'integer' && type !== 'number') return []
  const number = parseFloat64(value) as number
  const faults: ValueFault[] = []
  if (typeof minimum === 'number' && number < minimum)
    faults.push(makeFault('value-range', `${value} is less than ${minimum}`))
  if (typeof maximum === 'number' && number > maximum)
    faults.push(makeFault('value-range', `${value} is more than ${maximum}`))
  return faults
}

/** No pattern is tried on more than a resource can hold. */
const MATCHED_CHARS_MAX = 1_024

function findTextFaults({ minLength, maxLength, pattern }: PropertySchema, value: string): ValueFault[] {
  const faults: ValueFault[] = []
  const length = [...value].length
  if (typeof minLength === 'number' && length < minLength)
    faults.push(makeFault('value-length', `has ${length} characters; the minimum is ${minLength}`))
  if (typeof maxLength === 'number' && length > maxLength)
    faults.push(makeFault('value-length', `has ${length} characters; the maximum is ${maxLength}`))
  if (typeof pattern === 'string' && length <= MATCHED_CHARS_MAX && matchesPattern(pattern, value) === false)
    faults.push(makeFault('value-pattern', `${quoteValue(value)} does not match ${pattern}`))
  return faults
}

const QUOTED_MAX = 100

export function quoteValue(value: string): string {
  const json = JSON.stringify(value)
  return json.length <= QUOTED_MAX ? json : `${json.slice(0, QUOTED_MAX)}..."`
}
