import { ApiError } from '../../http/api.ts'
import { parseJson } from '../../http/formats/json-body.ts'
import { findFirstFault, type Schema } from '../../http/formats/json-schema.ts'
import type { Json } from '../../kernel/json.ts'
import { emptyRecord, ownValue } from '../../kernel/records.ts'
import type { IdentityRequest } from './context.ts'

const SECRET = /password|secret|token/

/** The body, checked against the schema. No error quotes it: it may contain a password. */
export function readBody({ body }: Pick<IdentityRequest, 'body'>, schema: Schema): Json {
  let value: unknown
  try {
    value = parseJson(body).value
  } catch (error) {
    if (error instanceof ApiError) throw new ApiError(400, 'The body is not JSON.')
    throw error
  }
  const fault = findFirstFault(schema, value)
  if (fault === null) return value as Json
  const where = fault.path === '' ? 'the body' : fault.path
  const isSecret = fault.steps.some(step => SECRET.test(String(step))) || fault.steps.length < 2
  throw new ApiError(400, `Invalid input for ${where}: ${isSecret ? 'it is invalid' : fault.message}.`)
}

export const name: Schema = { type: 'string', minLength: 1, maxLength: 255, pattern: '[^ ]' }
export const text: Schema = { type: 'string', maxLength: 4096 }
export const textOrNull: Schema = { type: ['string', 'null'], maxLength: 4096 }
export const idOrNull: Schema = { type: ['string', 'null'], maxLength: 64 }
export const yesOrNo: Schema = { type: 'boolean' }
export const password: Schema = { type: 'string', minLength: 1, maxLength: 1024 }

/** A schema of an object with one member. As in Keystone, unknown fields within it are ignored. */
export function wrapSchema(
  wrapper: string,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema {
  return {
    type: 'object',
    properties: { [wrapper]: { type: 'object', properties, required: [...required] } },
    required: [wrapper],
  }
}

/** The members that are present, under new names. */
export function renameFields(
  from: Json,
  names: Readonly<Record<string, string>>,
): Record<string, string | number | null> {
  const fields: Record<string, string | number | null> = emptyRecord()
  for (const [theirs, ours] of Object.entries(names)) {
    const value = ownValue(from, theirs)
    if (value === undefined) continue
    fields[ours] = typeof value === 'boolean' ? Number(value) : (value as string | null)
  }
  return fields
}
