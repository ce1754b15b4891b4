import { ApiError } from '../http/api.ts'
import { parseJson } from '../http/formats/json-body.ts'
import { pythonRepr } from '../http/formats/python-repr.ts'
import type { Json } from '../kernel/json.ts'
import { AMOUNT_MAX } from '../kernel/number-bounds.ts'
import { emptyRecord, jsonText, ownValue } from '../kernel/records.ts'
import type { ShareApiRequest } from './context.ts'

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function readJson({ body }: Pick<ShareApiRequest, 'body'>): unknown {
  return body.length === 0 ? null : parseJson(body).value
}

/** The object within the body; without it older parts of the API answer 422, others 400. */
export function readWrapped(request: ShareApiRequest, name: string, status: 400 | 422 = 422): Json {
  const value = readJson(request)
  const inner = isObject(value) ? value[name] : undefined
  if (!isObject(inner))
    throw new ApiError(status, `The body must be an object with the object ${name} in it.`)
  return inner
}

/** The only key of the body of an action, and its value. */
export function readAction(request: ShareApiRequest): readonly [name: string, value: unknown] {
  const body = readJson(request)
  const [entry, ...others] = isObject(body) ? Object.entries(body) : []
  if (entry === undefined || others.length > 0)
    throw new ApiError(400, 'The body must be an object with one action in it.')
  return entry
}

export function makeFieldError(field: string, value: unknown, why: string): ApiError {
  const shown = typeof value === 'string' ? value : pythonRepr(value)
  return new ApiError(
    400,
    `Invalid input for field/attribute ${field}. Value: ${shown.slice(0, SHOWN_MAX)}. ${why}`,
  )
}

const SHOWN_MAX = 200

const TEXT_MAX = 255

/** Null if absent. */
export function readText(body: Json, field: string, max = TEXT_MAX): string | null {
  const value = ownValue(body, field)
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw makeFieldError(field, value, 'It must be a text.')
  if (value.length > max) throw makeFieldError(field, value, `It may have ${max} characters.`)
  return value
}

/** Undefined if absent, null to clear it. */
export function readChangedText(body: Json, ...fields: readonly string[]): string | null | undefined {
  const field = fields.find(one => Object.hasOwn(body, one))
  return field === undefined ? undefined : readText(body, field)
}

const YES = new Set(['true', '1', 'on', 'yes', 't', 'y'])
const NO = new Set(['false', '0', 'off', 'no', 'f', 'n'])

/** Null if neither. */
export function parseBoolean(value: unknown): boolean | null {
  const word = jsonText(value).trim().toLowerCase()
  return YES.has(word) ? true : NO.has(word) ? false : null
}

/** Whether the request has the header for experimental APIs. */
export const isExperimental = ({ headers }: Pick<ShareApiRequest, 'headers'>): boolean =>
  parseBoolean(headers['x-openstack-manila-api-experimental']) === true

export function readFlag(body: Json, field: string, otherwise: boolean): boolean {
  const value = ownValue(body, field)
  if (value === undefined || value === null) return otherwise
  const flag = parseBoolean(value)
  if (flag === null) throw makeFieldError(field, value, 'It must be true or false.')
  return flag
}

/** A positive whole number, or its digits. */
export function readSize(body: Json, field: string): number {
  const value = ownValue(body, field)
  const isDigits = typeof value === 'string' && /^[0-9]+$/.test(value.trim())
  const size = typeof value === 'number' || isDigits ? Number(value) : Number.NaN
  if (!Number.isInteger(size) || size < 1 || size > AMOUNT_MAX)
    throw makeFieldError(field, value ?? null, `It must be a whole number of GB, from 1 to ${AMOUNT_MAX}.`)
  return size
}

const KEY_MAX = 255
const VALUE_MAX = 1023

export function parseMetadata(value: unknown, field = 'metadata'): Record<string, string> {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) throw makeFieldError(field, value, 'It must be an object.')
  const metadata: Record<string, string> = emptyRecord()
  for (const [key, text] of Object.entries(value)) {
    if (key === '') throw makeFieldError(field, key, 'A key must not be empty.')
    if (key.length > KEY_MAX) throw makeFieldError(field, key, `A key may have ${KEY_MAX} characters.`)
    if (typeof text !== 'string') throw makeFieldError(key, text, 'A value must be a text.')
    metadata[key] = text
  }
  return metadata
}

/** Values of hints have no limit. */
export function requireShortValues(metadata: Readonly<Record<string, string>>): void {
  for (const [key, text] of Object.entries(metadata))
    if (text.length > VALUE_MAX) throw makeFieldError(key, text, `A value may have ${VALUE_MAX} characters.`)
}

const PAGE_MAX = 1000

export function parsePage(query: ShareApiRequest['query']): {
  readonly limit: number
  readonly offset: number
} {
  const whole = (name: string, otherwise: number): number => {
    const text = query.last(name)
    if (text === undefined) return otherwise
    if (!/^[0-9]+$/.test(text)) throw makeFieldError(name, text, 'It must be a whole number, not below zero.')
    return Number(text)
  }
  const limit = whole('limit', PAGE_MAX)
  return { limit: Math.min(limit === 0 ? PAGE_MAX : limit, PAGE_MAX), offset: whole('offset', 0) }
}

/** As in Manila: without a zone, in UTC. */
export const renderTime = (atMs: number | null): string | null =>
  atMs === null ? null : `${new Date(atMs).toISOString().slice(0, -1)}000`
