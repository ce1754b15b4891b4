import type { Schema } from '../../http/formats/json-schema.ts'
import { mapOf, objectOf, text, whole, wholeOrNull } from '../../http/formats/schema-forms.ts'
import { byFeatures, GROUP_NAME, integer, NAME, ownerId, UUID_KEY, uuid } from '../patterns.ts'
import type { Features } from '../versions.ts'

const resources: Schema = {
  type: 'object',
  minProperties: 1,
  patternProperties: { [NAME]: { type: 'integer', minimum: 1 } },
  additionalProperties: false,
}

/** The older form: a list instead of an object keyed by provider. */
const listed: Schema = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    properties: {
      resource_provider: {
        type: 'object',
        properties: { uuid },
        additionalProperties: false,
        required: ['uuid'],
      },
      resources,
    },
    required: ['resource_provider', 'resources'],
    additionalProperties: false,
  },
}

const byProvider = (minProperties: 0 | 1): Schema => ({
  type: 'object',
  minProperties,
  patternProperties: {
    [UUID_KEY]: {
      type: 'object',
      properties: { generation: integer, resources },
      required: ['resources'],
      additionalProperties: false,
    },
  },
  additionalProperties: false,
})

const owner = { project_id: ownerId, user_id: ownerId }

/** Keys are suffixes of request groups. As upstream, a key without any valid character is not checked. */
const mappings: Schema = {
  type: 'object',
  minProperties: 1,
  patternProperties: { [GROUP_NAME]: { type: 'array', minItems: 1, items: uuid } },
}

const consumerType: Schema = { type: 'string', pattern: NAME, minLength: 1, maxLength: 255 }

function listForm(features: Features): Schema {
  return {
    type: 'object',
    properties: { allocations: listed, ...(features.allocationOwner && owner) },
    required: ['allocations', ...(features.allocationOwner ? ['project_id', 'user_id'] : [])],
    additionalProperties: false,
  }
}

/** The allocations of one consumer. With `allocationsMin` 0 they may be empty. */
function providerForm(features: Features, allocationsMin: 0 | 1): Schema {
  // additionalProperties has no effect beyond the type, but error texts print it, so it stays.
  const generation: Schema = { type: ['integer', 'null'], additionalProperties: false }
  return {
    type: 'object',
    properties: {
      allocations: byProvider(allocationsMin),
      ...owner,
      ...(features.consumerGeneration && { consumer_generation: generation }),
      ...(features.mappings && { mappings }),
      ...(features.consumerTypes && { consumer_type: consumerType }),
    },
    additionalProperties: false,
    required: [
      'allocations',
      'project_id',
      'user_id',
      ...(features.consumerGeneration ? ['consumer_generation'] : []),
      ...(features.consumerTypes ? ['consumer_type'] : []),
    ],
  }
}

/** PUT /allocations/{consumer_uuid} */
export const allocationSchema = byFeatures(features =>
  features.allocationsByProvider
    ? providerForm(features, features.consumerGeneration ? 0 : 1)
    : listForm(features),
)

/** POST /allocations */
export const manyAllocationsSchema = byFeatures(features => ({
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  patternProperties: { [UUID_KEY]: providerForm(features, 0) },
}))

/** By provider. A consumer without allocations has no owner, generation or type. */
export const consumerAllocationsAnswerSchema = (features: Features): Schema =>
  objectOf(
    { allocations: mapOf(objectOf({ resources: mapOf(whole), generation: whole })) },
    {
      ...(features.allocationsByProvider && { project_id: text, user_id: text }),
      ...(features.consumerGeneration && { consumer_generation: wholeOrNull }),
      ...(features.consumerTypes && { consumer_type: text }),
    },
  )

/** By consumer. */
export const providerAllocationsAnswerSchema = (features: Features): Schema =>
  objectOf({
    allocations: mapOf(
      objectOf({
        resources: mapOf(whole),
        ...(features.consumerGeneration && { consumer_generation: wholeOrNull }),
      }),
    ),
    resource_provider_generation: whole,
  })
