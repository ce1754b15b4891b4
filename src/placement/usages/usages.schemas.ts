import type { Schema } from '../../http/formats/json-schema.ts'
import { byFeatures, CONSUMER_TYPE_ASKED, ownerId } from '../patterns.ts'

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
