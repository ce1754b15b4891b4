import { isUtf8 } from 'node:buffer'
import { brokenBound, type JsonBounds } from '../../kernel/exact-json.ts'
import { ApiError } from '../api.ts'
import type { Query } from '../request/query.ts'
import { type Schema, validate } from './json-schema.ts'

/** Throws a 400 that names the fault. */
export function parseJsonBody(body: Buffer, schema: Schema): unknown {
  const { value } = parseJson(body)
  requireValidJson(value, schema)
  return value
}

/** For values that are checked like a body but come from elsewhere, such as a name in a path. */
export function requireValidJson(value: unknown, schema: Schema): void {
  const wrong = validate(schema, value)
  if (wrong !== null) throw new ApiError(400, `JSON does not validate: ${wrong}`)
}

/** As upstream, checks only the last value of a repeated key. */
export function validateQuery(query: Query, schema: Schema): void {
  const wrong = validate(schema, query.lastValues())
  if (wrong !== null) throw new ApiError(400, `Invalid query string parameters: ${wrong}`)
}

/** Throws a 400 for invalid JSON. */
export function parseJson(body: Buffer): { readonly value: unknown; readonly text: string } {
  const parsed = parseText(body)
  if (UNSTORABLE_ESCAPE.test(parsed.text)) requireStorable(parsed.value)
  return parsed
}

/** The same, but allows texts that no database can store. */
export const parseJsonText = (body: Buffer): unknown => parseText(body).value

function parseText(body: Buffer): { readonly value: unknown; readonly text: string } {
  if (!isUtf8(body)) throw new ApiError(400, 'Malformed JSON: the body is not UTF-8')
  const broken = brokenBound(body, BOUNDS)
  if (broken !== null) throw new ApiError(400, `Malformed JSON: ${BOUND_TEXTS[broken]}`)
  const text = body.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ApiError(400, `Malformed JSON: ${error.message}`)
  }
  return { value, text }
}

/** Real bodies are nested less deeply, and one request should not write for more than ten thousand consumers. */
const BOUNDS: JsonBounds = { depthMax: 100, membersMax: 10_000 }

const BOUND_TEXTS: Readonly<Record<keyof JsonBounds, string>> = {
  depthMax: `it is nested more than ${BOUNDS.depthMax} deep`,
  membersMax: `an object has more than ${BOUNDS.membersMax} members`,
}

/** Escapes of a lone surrogate or a NUL: databases cannot store them. */
const UNSTORABLE_ESCAPE = /\\u(?:[dD][89a-fA-F]|0000)/

/** How much of a text an error quotes. */
const SHOWN_MAX = 200

function requireStorable(value: unknown): void {
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string') {
      if (!next.isWellFormed() || next.includes('\0'))
        throw new ApiError(
          400,
          `Malformed JSON: ${JSON.stringify(next.slice(0, SHOWN_MAX))} has a character that is not allowed (U+0000 or half a surrogate pair)`,
        )
    } else if (typeof next === 'object' && next !== null)
      for (const [key, inner] of Object.entries(next)) waiting.push(key, inner)
  }
}
