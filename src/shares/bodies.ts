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

/** The object that a body is wrapped around; without it the API of old says 422, where others say 400. */
export function readWrapped(request: ShareApiRequest, name: string, status: 400 | 422 = 422): Json {
  const value = readJson(request)
  const inner = isObject(value) ? value[name] : undefined
  if (!isObject(inner))
    throw new ApiError(status, `The body must be an object with the object ${name} in it.`)
  return inner
}

/** The only key of the body of an action, and what it says. */
export function readAction(request: ShareApiRequest): readonly [name: string, value: unknown] {
  const body = readJson(request)
  const [entry, ...others] = isObject(body) ? Object.entries(body) : []
  if (entry === undefined || others.length > 0)
    throw new ApiError(400, 'The body must be an object with one action in it.')
  return entry
}

export function badField(field: string, value: unknown, why: string): ApiError {
  const shown = typeof value === 'string' ? value : pythonRepr(value)
  return new ApiError(
    400,
    `Invalid input for field/attribute ${field}. Value: ${shown.slice(0, SHOWN_MAX)}. ${why}`,
  )
}

const SHOWN_MAX = 200

const TEXT_MAX = 255

/** Null where it is not given. */
export function textIn(body: Json, field: string, max = TEXT_MAX): string | null {
  const value = ownValue(body, field)
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw badField(field, value, 'It must be a text.')
  if (value.length > max) throw badField(field, value, `It may have ${max} characters.`)
  return value
}

/** Undefined where it is not given, null where it is to be emptied. */
export function changedText(body: Json, ...fields: readonly string[]): string | null | undefined {
  const field = fields.find(one => Object.hasOwn(body, one))
  return field === undefined ? undefined : textIn(body, field)
}

const YES = new Set(['true', '1', 'on', 'yes', 't', 'y'])
const NO = new Set(['false', '0', 'off', 'no', 'f', 'n'])

/** Null where it says neither. */
export function booleanIn(value: unknown): boolean | null {
  const word = jsonText(value).trim().toLowerCase()
  return YES.has(word) ? true : NO.has(word) ? false : null
}

export function flagIn(body: Json, field: string, otherwise: boolean): boolean {
  const value = ownValue(body, field)
  if (value === undefined || value === null) return otherwise
  const flag = booleanIn(value)
  if (flag === null) throw badField(field, value, 'It must be true or false.')
  return flag
}

/** A whole number above zero, or its digits. */
export function sizeIn(body: Json, field: string): number {
  const value = ownValue(body, field)
  const isDigits = typeof value === 'string' && /^[0-9]+$/.test(value.trim())
  const size = typeof value === 'number' || isDigits ? Number(value) : Number.NaN
  if (!Number.isInteger(size) || size < 1 || size > AMOUNT_MAX)
    throw badField(field, value ?? null, `It must be a whole number of GB, from 1 to ${AMOUNT_MAX}.`)
  return size
}

const KEY_MAX = 255
const VALUE_MAX = 1023

/** Metadata as people write it. */
export function metadataIn(value: unknown, field = 'metadata'): Record<string, string> {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) throw badField(field, value, 'It must be an object.')
  const metadata: Record<string, string> = emptyRecord()
  for (const [key, text] of Object.entries(value)) {
    if (key === '') throw badField(field, key, 'A key must not be empty.')
    if (key.length > KEY_MAX) throw badField(field, key, `A key may have ${KEY_MAX} characters.`)
    if (typeof text !== 'string') throw badField(key, text, 'A value must be a text.')
    metadata[key] = text
  }
  return metadata
}

/** Those of hints have no limit. */
export function requireShortValues(metadata: Readonly<Record<string, string>>): void {
  for (const [key, text] of Object.entries(metadata))
    if (text.length > VALUE_MAX) throw badField(key, text, `A value may have ${VALUE_MAX} characters.`)
}

const PAGE_MAX = 1000

/** Where a page of a list begins and how long it is. */
export function pageOf(query: ShareApiRequest['query']): { readonly limit: number; readonly offset: number } {
  const whole = (name: string, otherwise: number): number => {
    const text = query.last(name)
    if (text === undefined) return otherwise
    if (!/^[0-9]+$/.test(text)) throw badField(name, text, 'It must be a whole number, not below zero.')
    return Number(text)
  }
  const limit = whole('limit', PAGE_MAX)
  return { limit: Math.min(limit === 0 ? PAGE_MAX : limit, PAGE_MAX), offset: whole('offset', 0) }
}

/** As this API always told times: without a zone, which is UTC. */
export const timeOf = (atMs: number | null): string | null =>
  atMs === null ? null : `${new Date(atMs).toISOString().slice(0, -1)}000`
