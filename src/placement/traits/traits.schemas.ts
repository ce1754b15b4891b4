import type { Schema } from '../../http/formats/json-schema.ts'
import { text as answerText, listOf, objectOf, whole } from '../../http/formats/schema-forms.ts'
import { integer, NAME_CUSTOM, text } from '../patterns.ts'

const trait: Schema = { type: 'string', minLength: 1, maxLength: 255 }

/** The name in PUT /traits/{name} */
export const customTraitSchema: Schema = { ...trait, pattern: NAME_CUSTOM }

/** PUT /resource_providers/{uuid}/traits */
export const providerTraitsSchema: Schema = {
  type: 'object',
  properties: {
    traits: { type: 'array', items: trait },
    resource_provider_generation: integer,
  },
  required: ['traits', 'resource_provider_generation'],
  additionalProperties: false,
}

/** The query of GET /traits */
export const traitsQuerySchema: Schema = {
  type: 'object',
  properties: { name: text, associated: text },
  additionalProperties: false,
}

export const traitsAnswerSchema: Schema = objectOf({ traits: listOf(answerText) })

export const providerTraitsAnswerSchema: Schema = objectOf({
  traits: listOf(answerText),
  resource_provider_generation: whole,
})
