import { isUtf8 } from 'node:buffer'
import { brokenBound, type JsonBounds } from '../../kernel/exact-json.ts'
import { ApiError } from '../api.ts'
import type { Query } from '../request/query.ts'
import { type Schema, validate } from './json-schema.ts'

/** The JSON value a body spells, valid by the schema; else a 400 that says what is wrong with it. */
export function parseJsonBody(body: Buffer, schema: Schema): unknown {
  const { value } = parseJson(body)
  requireValidJson(value, schema)
  return value
}

/** For what is to be checked and answered like a body but came another way, such as a name in a path. */
export function requireValidJson(value: unknown, schema: Schema): void {
  const wrong = validate(schema, value)
  if (wrong !== null) throw new ApiError(400, `JSON does not validate: ${wrong}`)
}

/** Of a repeated key only the last value is looked at, as upstream does. */
export function validateQuery(query: Query, schema: Schema): void {
  const wrong = validate(schema, query.lastValues())
  if (wrong !== null) throw new ApiError(400, `Invalid query string parameters: ${wrong}`)
}

/** The JSON value a body spells and the text of it; else a 400. */
export function parseJson(body: Buffer): { readonly value: unknown; readonly text: string } {
  const parsed = parseText(body)
  if (UNSTORABLE_ESCAPE.test(parsed.text)) requireStorable(parsed.value)
  return parsed
}

/** The same, and its texts may be such as no database keeps. */
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

/** Nobody nests JSON so deep by hand; and ten thousand consumers are as many as one request should write for. */
const BOUNDS: JsonBounds = { depthMax: 100, membersMax: 10_000 }

const BOUND_TEXTS: Readonly<Record<keyof JsonBounds, string>> = {
  depthMax: `it is nested more than ${BOUNDS.depthMax} deep`,
  membersMax: `an object has more than ${BOUNDS.membersMax} members`,
}

/** How a lone surrogate or a NUL could have come in: no database keeps them as they are. */
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
          `Malformed JSON: ${JSON.stringify(next.slice(0, SHOWN_MAX))} has a character that no text may have (U+0000 or half a surrogate pair)`,
        )
    } else if (typeof next === 'object' && next !== null)
      for (const [key, inner] of Object.entries(next)) waiting.push(key, inner)
  }
}
