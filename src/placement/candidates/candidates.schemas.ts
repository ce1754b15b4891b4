import type { Schema } from '../../http/formats/json-schema.ts'
import { listOf, mapOf, objectOf, textOrNull, whole } from '../../http/formats/schema-forms.ts'
import { byFeatures, GROUP_NAME, GROUP_NUMBER, text } from '../patterns.ts'
import type { Features } from '../versions.ts'

// A list of one type, because error texts print it. Newer parameters use `text`, which prints otherwise.
const string: Schema = { type: ['string'] }

const limit: Schema = { type: ['integer', 'string'], pattern: '^[1-9][0-9]*$', minimum: 1, minLength: 1 }

/** Before groups: every parameter has one name. */
const makePlainSchema = (features: Features): Schema => ({
  type: 'object',
  properties: {
    resources: text,
    ...(features.candidateLimit && { limit }),
    ...(features.candidateTraits && { required: string }),
    ...(features.candidateMemberOf && { member_of: string }),
  },
  required: ['resources'],
  additionalProperties: false,
})

/** With groups: the parameters of a group carry its suffix, or none. */
function makeGroupedSchema(features: Features): Schema {
  const suffix = features.namedGroups ? GROUP_NAME : GROUP_NUMBER
  const perGroup = ['resources', 'required', 'member_of', ...(features.candidateInTree ? ['in_tree'] : [])]
  return {
    type: 'object',
    properties: {
      limit,
      group_policy: { type: 'string', enum: ['none', 'isolate'] },
      ...(features.rootRequired && { root_required: string }),
      ...(features.sameSubtree && { same_subtree: string }),
    },
    additionalProperties: false,
    patternProperties: Object.fromEntries(perGroup.map(name => [`^${name}(${suffix})?$`, text])),
  }
}

/** The query of GET /allocation_candidates */
export const candidatesQuerySchema = byFeatures(features =>
  features.granularGroups ? makeGroupedSchema(features) : makePlainSchema(features),
)

/** Allocations are a list before version 1.12, and keyed by provider since. */
export function candidatesAnswerSchema(features: Features): Schema {
  const resources = mapOf(whole)
  const allocations = features.allocationsByProvider
    ? mapOf(objectOf({ resources }))
    : listOf(objectOf({ resource_provider: objectOf({ uuid: text }), resources }))
  const summary = objectOf({
    resources: mapOf(objectOf({ capacity: whole, used: whole })),
    ...(features.candidateTraits && { traits: listOf(text) }),
    ...(features.nestedCandidates && { parent_provider_uuid: textOrNull, root_provider_uuid: text }),
  })
  return objectOf({
    allocation_requests: listOf(
      objectOf({ allocations, ...(features.mappings && { mappings: mapOf(listOf(text)) }) }),
    ),
    provider_summaries: mapOf(summary),
  })
}
