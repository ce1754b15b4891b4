import type { Schema } from '../../http/formats/json-schema.ts'
import { listOf, objectOf, text, whole } from '../../http/formats/schema-forms.ts'
import { integer, uuid } from '../patterns.ts'
import type { Features } from '../versions.ts'

const aggregates: Schema = { type: 'array', items: uuid, uniqueItems: true }

const withGeneration: Schema = {
  type: 'object',
  properties: { aggregates, resource_provider_generation: integer },
  required: ['aggregates', 'resource_provider_generation'],
  additionalProperties: false,
}

/** PUT /resource_providers/{uuid}/aggregates */
export function aggregatesSchema(features: Features): Schema {
  return features.aggregateGeneration ? withGeneration : aggregates
}

export const aggregatesAnswerSchema = (features: Features): Schema =>
  objectOf({
    aggregates: listOf(text),
    ...(features.aggregateGeneration && { resource_provider_generation: whole }),
  })
