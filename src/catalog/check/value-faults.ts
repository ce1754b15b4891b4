import { matchesPattern } from '../../kernel/pattern/pattern.ts'
import { jsonText, ownValue } from '../../kernel/records.ts'
import { floatOf, integerOf, yesOrNoOf } from '../../scheduling/operators/python-text.ts'
import type { PropertySchema } from './defined-keys.ts'

export interface Fault {
  readonly code: 'value-type' | 'value-enum' | 'value-range' | 'value-length' | 'value-pattern'
  readonly text: string
}

/** How a value is held against its property. */
export interface Manner {
  readonly ignoresCase: boolean
  /** It is looked for inside what there is, so it may be less than a whole value. */
  readonly isPart: boolean
  /** It only sorts before or after what there is. */
  readonly isBound: boolean
}

/** What is wrong with one value, by what its property says. */
export function valueFaults(schema: PropertySchema, value: string, manner: Manner): Fault[] {
  const inner = schema.type === 'array' ? ((schema.items ?? {}) as PropertySchema) : schema
  if (manner.isPart || manner.isBound) return manner.isPart ? partFaults(inner, value, manner) : []
  const type = typeFault(inner.type, value)
  if (type !== null) return [type]
  return [
    enumFault(inner, value, manner),
    ...rangeFaults(inner, value),
    ...(inner.type === 'string' || inner.type === undefined ? textFaults(inner, value) : []),
  ].filter(fault => fault !== null)
}

const fault = (code: Fault['code'], text: string): Fault => ({ code, text })

function typeFault(type: unknown, value: string): Fault | null {
  const isRight =
    type === 'integer'
      ? integerOf(value) !== null
      : type === 'number'
        ? floatOf(value) !== null
        : type === 'boolean'
          ? yesOrNoOf(value) !== null
          : true
  return isRight ? null : fault('value-type', `${quoted(value)} is ${ownValue(MISSED, jsonText(type))}`)
}

const MISSED = {
  integer: 'no whole number',
  number: 'no number',
  boolean: 'neither yes nor no: write True or False',
}

const membersOf = (schema: PropertySchema): unknown[] | null =>
  Array.isArray(schema.enum) && schema.type !== 'boolean' ? schema.enum : null

const ENUM_SHOWN_MAX = 12

function enumFault(schema: PropertySchema, value: string, { ignoresCase }: Manner): Fault | null {
  const members = membersOf(schema)
  const fold = (text: string) => (ignoresCase ? text.toLowerCase() : text)
  const number = floatOf(value)
  const isMember = (one: unknown) =>
    typeof one === 'number' ? one === number : fold(jsonText(one)) === fold(value)
  return members === null || members.some(isMember) ? null : notAmong(value, members)
}

function notAmong(value: string, members: readonly unknown[]): Fault {
  const shown = members.slice(0, ENUM_SHOWN_MAX).map(jsonText).join(', ')
  const more = members.length > ENUM_SHOWN_MAX ? ` and ${members.length - ENUM_SHOWN_MAX} more` : ''
  return fault('value-enum', `${quoted(value)} is none of ${shown}${more}`)
}

function partFaults(schema: PropertySchema, value: string, { ignoresCase }: Manner): Fault[] {
  const members = membersOf(schema)
  const fold = (text: unknown) => (ignoresCase ? jsonText(text).toLowerCase() : jsonText(text))
  return members === null || members.some(one => fold(one).includes(fold(value)))
    ? []
    : [notAmong(value, members)]
}

function rangeFaults({ type, minimum, maximum }: PropertySchema, value: string): Fault[] {
  if (type !== 'integer' && type !== 'number') return []
  const number = floatOf(value) as number
  const faults: Fault[] = []
  if (typeof minimum === 'number' && number < minimum)
    faults.push(fault('value-range', `${value} is less than ${minimum}`))
  if (typeof maximum === 'number' && number > maximum)
    faults.push(fault('value-range', `${value} is more than ${maximum}`))
  return faults
}

/** No expression is tried on more than a resource can hold. */
const MATCHED_CHARS_MAX = 1_024

function textFaults({ minLength, maxLength, pattern }: PropertySchema, value: string): Fault[] {
  const faults: Fault[] = []
  const length = [...value].length
  if (typeof minLength === 'number' && length < minLength)
    faults.push(fault('value-length', `has ${length} characters, and needs ${minLength}`))
  if (typeof maxLength === 'number' && length > maxLength)
    faults.push(fault('value-length', `has ${length} characters, and may have ${maxLength}`))
  if (typeof pattern === 'string' && length <= MATCHED_CHARS_MAX && matchesPattern(pattern, value) === false)
    faults.push(fault('value-pattern', `${quoted(value)} does not match ${pattern}`))
  return faults
}

const QUOTED_MAX = 100

export function quoted(value: string): string {
  const json = JSON.stringify(value)
  return json.length <= QUOTED_MAX ? json : `${json.slice(0, QUOTED_MAX)}..."`
}
