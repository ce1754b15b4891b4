import { flag, links, objectOf, oneOf, text, textOrNull } from '../http/formats/schema-forms.ts'
import type { Schema } from '../kernel/json-schema.ts'
import { AMOUNT_MAX } from '../kernel/number-bounds.ts'

/** Describes what the readers in bodies.ts accept, for OpenAPI. Nothing is checked with these. */

/** Manila ignores unknown members. */
export const openObject = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => ({ type: 'object', properties, ...(required.length === 0 ? {} : { required }) })

export const wrapped = (name: string, schema: Schema): Schema => openObject({ [name]: schema }, [name])

export const textField: Schema = { type: ['string', 'null'], maxLength: 255 }
export const mandatoryText: Schema = { type: 'string', maxLength: 255 }

/** Clients send booleans as texts. */
export const flagField: Schema = {
  anyOf: [
    oneOf(true, false, 1, 0, null),
    {
      type: 'string',
      pattern:
        '^ *([Tt]([Rr][Uu][Ee])?|[Yy]([Ee][Ss])?|[Oo][Nn]|1|[Ff]([Aa][Ll][Ss][Ee])?|[Nn][Oo]?|[Oo][Ff][Ff]|0) *$',
    },
  ],
}

/** Also accepts older names. */
export const nameFields = {
  name: textField,
  display_name: textField,
  description: textField,
  display_description: textField,
}

export const sizeField: Schema = {
  description: 'In GB.',
  anyOf: [
    { type: 'integer', minimum: 1, maximum: AMOUNT_MAX },
    { type: 'string', pattern: '^ *0*[1-9][0-9]* *$' },
  ],
}

/** An object of texts. */
export const metadataField = (value: Schema = text): Schema => ({
  type: 'object',
  patternProperties: { '^.{1,255}$': value },
  additionalProperties: false,
})

/** For resources that Berth never has. */
export const absentField: Schema = oneOf(null, '')

/** A share or a snapshot in a list without details. */
export const briefSchema: Schema = objectOf({ id: text, name: textOrNull, links })

const digits: Schema = { type: 'string', pattern: '^[0-9]+$' }
export const pageParameters = { limit: digits, offset: digits }
export const allTenants = { all_tenants: { ...flag, description: 'Lists all projects; for admins.' } }
