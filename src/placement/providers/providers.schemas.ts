import type { Schema } from '../../http/formats/json-schema.ts'
import { links, listOf, objectOf, textOrNull, whole } from '../../http/formats/schema-forms.ts'
import { byFeatures, text, uuid } from '../patterns.ts'
import type { Features } from '../versions.ts'

type Properties = Readonly<Record<string, Schema>>

const name: Schema = { type: 'string', maxLength: 200 }
const parent: Properties = { parent_provider_uuid: { anyOf: [uuid, { type: 'null' }] } }

const provider = (properties: Properties): Schema => ({
  type: 'object',
  properties,
  required: ['name'],
  additionalProperties: false,
})

/** POST /resource_providers */
export const providerCreateSchema = byFeatures(features =>
  provider({ name, uuid, ...(features.providerTrees && parent) }),
)

/** PUT /resource_providers/{uuid} */
export const providerUpdateSchema = byFeatures(features =>
  provider({ name, ...(features.providerTrees && parent) }),
)

/** The query of GET /resource_providers */
export const providersQuerySchema = byFeatures(features => ({
  type: 'object',
  properties: {
    name: text,
    uuid,
    ...(features.memberOf && { member_of: text }),
    ...(features.providerResources && { resources: text }),
    ...(features.providerTrees && { in_tree: uuid }),
    ...(features.providerTraitsFilter && { required: text }),
  },
  additionalProperties: false,
}))

/** A provider as a version shows it. */
export const providerAnswerSchema = (features: Features): Schema =>
  objectOf({
    uuid: text,
    name: text,
    generation: whole,
    links,
    ...(features.providerTrees && { parent_provider_uuid: textOrNull, root_provider_uuid: text }),
  })

export const providersAnswerSchema = (features: Features): Schema =>
  objectOf({ resource_providers: listOf(providerAnswerSchema(features)) })
