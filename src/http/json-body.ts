import { isUtf8 } from 'node:buffer'
import { ApiError } from './api.ts'
import { type Schema, validate } from './json-schema.ts'
import type { Query } from './query.ts'

/** The JSON value a body spells, valid by the schema; else a 400 that says what is wrong with it. */
export function parseJsonBody(body: Buffer, schema: Schema): unknown {
  const value = parsed(body)
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
  // Upstream checks uuids of bodies with OpenStack's own lenient test, those of queries with jsonschema's strict one.
  const wrong = validate(schema, query.lastValues(), 'dashed')
  if (wrong !== null) throw new ApiError(400, `Invalid query string parameters: ${wrong}`)
}

function parsed(body: Buffer): unknown {
  if (!isUtf8(body)) throw new ApiError(400, 'Malformed JSON: the body is not UTF-8')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ApiError(400, `Malformed JSON: ${error.message}`)
  }
}
