import { byCodePoint } from '../../kernel/code-points.ts'
import { brokenBound } from '../../kernel/exact-json.ts'

/** JSON values with Python's semantics: attributes of hosts and queries are compared by its rules. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined also for inherited members. */
export const getMember = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

const DEPTH_MAX = 100

let textParsed = ''
let valueOfText: JsonValue | undefined

/** As `json.loads(text)`; undefined if that raises, or if it is nested too deeply. */
export function parseJson(text: string): JsonValue | undefined {
  // A cache of one: several specs read members of the same attribute of a host.
  if (text === textParsed) return valueOfText
  valueOfText = parseUncached(text)
  textParsed = text
  return valueOfText
}

/** Deeper than any real JSON. */
export function isTooDeep(text: string): boolean {
  const bounds = { depthMax: DEPTH_MAX, membersMax: Number.POSITIVE_INFINITY }
  return text.length > DEPTH_MAX && brokenBound(Buffer.from(text), bounds) !== null
}

function parseUncached(text: string): JsonValue | undefined {
  if (isTooDeep(text)) return undefined
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** As `bool(value)`. */
export function isTrue(value: JsonValue): boolean {
  if (isList(value)) return value.length > 0
  if (isObject(value)) return Object.keys(value).length > 0
  return Boolean(value)
}

/** As `str(value)`. */
export const toText = (value: JsonValue): string => (typeof value === 'string' ? value : printValue(value))

function printValue(value: JsonValue): string {
  if (typeof value === 'string') return quoteText(value)
  if (isList(value)) return `[${value.map(printValue).join(', ')}]`
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, one]) => `${quoteText(key)}: ${printValue(one)}`)
    return `{${members.join(', ')}}`
  }
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return value === null ? 'None' : String(value)
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function quoteText(text: string): string {
  const escaped = text.replace(/[\\\n\r\t]/g, character => ESCAPES[character] as string)
  if (!text.includes("'")) return `'${escaped}'`
  return text.includes('"') ? `'${escaped.replaceAll("'", "\\'")}'` : `"${escaped}"`
}

/** As `a == b`: booleans are numbers too. */
export function areEqual(a: JsonValue, b: JsonValue): boolean {
  if (isNumeric(a) && isNumeric(b)) return Number(a) === Number(b)
  if (isList(a) && isList(b))
    return a.length === b.length && a.every((one, at) => areEqual(one, b[at] as JsonValue))
  if (!isObject(a) || !isObject(b)) return a === b
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(key => {
    const other = getMember(b, key)
    return other !== undefined && areEqual(a[key] as JsonValue, other)
  })
}

/** Negative, zero or positive as `a` sorts before, with or after `b`; null if Python raises. */
export function compareValues(a: JsonValue, b: JsonValue): number | null {
  if (isNumeric(a) && isNumeric(b)) return Number(a) - Number(b)
  if (typeof a === 'string' && typeof b === 'string') return byCodePoint(a, b)
  if (!isList(a) || !isList(b)) return null
  const differs = a.findIndex((one, at) => at >= b.length || !areEqual(one, b[at] as JsonValue))
  if (differs === -1 || differs >= b.length) return a.length - b.length
  return compareValues(a[differs] as JsonValue, b[differs] as JsonValue)
}

const isNumeric = (value: JsonValue): value is number | boolean =>
  typeof value === 'number' || typeof value === 'boolean'
