import { ApiError } from '../http/api.ts'
import { parseJson } from '../http/formats/json-body.ts'
import { findFirstFault, type Schema } from '../http/formats/json-schema.ts'
import { pythonRepr } from '../http/formats/python-repr.ts'
import type { Query } from '../http/request/query.ts'
import type { Json } from '../kernel/json.ts'
import { AMOUNT_MAX } from '../kernel/number-bounds.ts'
import { emptyRecord, jsonText } from '../kernel/records.ts'
import type { ComputeRequest } from './context.ts'

/** Media types of JSON bodies; no type and plain text count as JSON too. */
const MEDIA_TYPES = new Set(['', 'text/plain', 'application/json', 'application/vnd.openstack.compute+json'])

export function readBody(request: ComputeRequest, schema: Schema): Json {
  const value = readJson(request)
  const fault = findFirstFault(schema, value)
  if (fault !== null) throw makeFieldError(fault.steps.at(-1), fault.value, fault.message)
  return value as Json
}

function readJson({ headers, body }: ComputeRequest): unknown {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!MEDIA_TYPES.has(type))
    throw new ApiError(415, `The content type ${type} is not supported: use application/json.`)
  return body.length === 0 ? null : parseJson(body).value
}

function makeFieldError(field: string | number | undefined, value: unknown, message: string): ApiError {
  if (field === undefined) return new ApiError(400, message)
  const shown = typeof value === 'string' ? value : pythonRepr(value)
  return new ApiError(400, `Invalid input for field/attribute ${field}. Value: ${shown}. ${message}`)
}

/** The only key of the body of an action. */
export function readAction(request: ComputeRequest, known: Readonly<Record<string, unknown>>): string {
  const value = readJson(request)
  const keys = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  if (keys.length !== 1) throw new ApiError(400, 'The body must be an object with one action in it.')
  const [action = ''] = keys
  if (!Object.hasOwn(known, action)) throw new ApiError(400, `There is no such action: ${action}`)
  return action
}

/** Parts of schemas for several resources. */

/** A whole number, or its digits. `parseWhole` checks its size. */
export const digits: Schema = { type: ['integer', 'string'], pattern: '^[0-9]+$', minLength: 1 }

export const shortText: Schema = { type: 'string', minLength: 1, maxLength: 255 }

export const hostName: Schema = {
  type: 'string',
  pattern: '^[a-zA-Z0-9-._]*$',
  minLength: 1,
  maxLength: 255,
}

export const yesOrNo: Schema = {
  type: ['boolean', 'string'],
  enum: [
    ...[true, 'True', 'TRUE', 'true', '1', 'ON', 'On', 'on', 'YES', 'Yes', 'yes'],
    ...[false, 'False', 'FALSE', 'false', '0', 'OFF', 'Off', 'off', 'NO', 'No', 'no'],
  ],
}

export const METADATA_KEY = '^[a-zA-Z0-9-_:. ]{1,255}$'

/** A schema of an object with one member. */
export const wrapSchema = (name: string, schema: Schema): Schema => ({
  type: 'object',
  properties: { [name]: schema },
  required: [name],
  additionalProperties: false,
})

export function parseWhole(field: string, value: unknown, min: number, max = AMOUNT_MAX): number {
  const text = jsonText(value)
  const number = Number(text)
  if (number < min) throw makeFieldError(field, value, `${text} is less than the minimum of ${min}`)
  if (number > max) throw makeFieldError(field, value, `${text} is greater than the maximum of ${max}`)
  return number
}

const YES = new Set(['true', '1', 'on', 'yes', 't', 'y'])
const NO = new Set(['false', '0', 'off', 'no', 'f', 'n'])

/** Null if neither. */
export function parseBoolean(value: unknown): boolean | null {
  const word = jsonText(value).trim().toLowerCase()
  return YES.has(word) ? true : NO.has(word) ? false : null
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*$/u
const BEYOND_PLANE = /[\u{10000}-\u{10ffff}]/u

/** A printable name without surrounding blanks. */
export function parseName(field: string, value: unknown, forbidden = ''): string {
  const name = value as string
  if (!isPrintable(name)) throw makeFieldError(field, name, 'A name has printable characters only.')
  if (/^\p{Zs}|\p{Zs}$/u.test(name)) throw makeFieldError(field, name, 'A name has no blank at its ends.')
  if (forbidden !== '' && name.includes(forbidden))
    throw makeFieldError(field, name, `This name must not have '${forbidden}' in it.`)
  return name
}

export const isPrintable = (text: string): boolean => PRINTABLE.test(text) && !BEYOND_PLANE.test(text)

/** The known parameters of the query, each with its last value; others are refused if the version says so. */
export function readQuery<K extends string>(
  query: Query,
  known: readonly K[],
  rules: { readonly isStrict: boolean; readonly single?: boolean },
): { readonly [P in K]?: string } {
  const values: Partial<Record<string, string>> = emptyRecord()
  const extras = new Set<string>()
  for (const [key, value] of query.entries()) {
    if (!known.some(one => one === key)) extras.add(key)
    else if (rules.single === true && values[key] !== undefined)
      throw new ApiError(400, `The query parameter ${key} is given twice.`)
    else values[key] = value
  }
  if (rules.isStrict && extras.size > 0)
    throw new ApiError(400, `There is no query parameter ${[...extras].join(', ')} here.`)
  return values as { readonly [P in K]?: string }
}

const PAGE_MAX = 1000

/** The requested page size, up to the maximum. */
export function parseLimit(text: string | undefined): number {
  if (text === undefined) return PAGE_MAX
  if (!/^[0-9]+$/.test(text)) throw new ApiError(400, `The limit must be a whole number, not '${text}'.`)
  const limit = Number(text)
  return limit === 0 ? PAGE_MAX : Math.min(limit, PAGE_MAX)
}

/** As in Nova: without a zone, in UTC. */
export const renderTime = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, -1)}000`
