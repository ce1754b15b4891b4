import type { Schema } from '../../http/formats/json-schema.ts'
import { mapOf, objectOf, whole } from '../../http/formats/schema-forms.ts'
import { byFeatures, CONSUMER_TYPE_ASKED, ownerId } from '../patterns.ts'
import type { Features } from '../versions.ts'

const consumerType: Schema = { type: 'string', pattern: CONSUMER_TYPE_ASKED, minLength: 1, maxLength: 255 }

/** The query of GET /usages */
export const totalUsagesQuerySchema = byFeatures(features => ({
  type: 'object',
  properties: {
    project_id: ownerId,
    user_id: ownerId,
    ...(features.consumerTypes && { consumer_type: consumerType }),
  },
  required: ['project_id'],
  additionalProperties: false,
}))

export const providerUsagesAnswerSchema: Schema = objectOf({
  resource_provider_generation: whole,
  usages: mapOf(whole),
})

/** By class; with types of consumers, by type and class. */
export const totalUsagesAnswerSchema = (features: Features): Schema =>
  objectOf({ usages: features.consumerTypes ? mapOf(mapOf(whole)) : mapOf(whole) })
