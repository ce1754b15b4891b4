import type { Schema } from '../../kernel/json-schema.ts'

/** Short forms for schemas that only describe. Schemas that check are spelled as upstream, because error texts quote them. */

export const text: Schema = { type: 'string' }
export const textOrNull: Schema = { type: ['string', 'null'] }
export const whole: Schema = { type: 'integer' }
export const wholeOrNull: Schema = { type: ['integer', 'null'] }
export const number: Schema = { type: 'number' }
export const flag: Schema = { type: 'boolean' }
export const anyValue: Schema = {}

export const oneOf = (...values: readonly (string | number | boolean | null)[]): Schema => ({ enum: values })
export const listOf = (items: Schema): Schema => ({ type: 'array', items })
/** An object whose keys are data. */
export const mapOf = (values: Schema): Schema => ({ type: 'object', patternProperties: { '': values } })

type Members = Readonly<Record<string, Schema>>

/** An object with required members, optional members, and no others. */
export const objectOf = (members: Members, optional: Members = {}): Schema => ({
  type: 'object',
  properties: { ...members, ...optional },
  required: Object.keys(members),
  additionalProperties: false,
})

/** Links as OpenStack has them. */
export const links: Schema = listOf(objectOf({ rel: text, href: text }, { type: text }))

/** The parameters of a query, each a text. Unknown ones are refused where it is strict. */
export const queryOf = (names: readonly string[], isStrict = false): Schema => ({
  type: 'object',
  properties: Object.fromEntries(names.map(name => [name, text])),
  ...(isStrict ? { additionalProperties: false } : {}),
})
