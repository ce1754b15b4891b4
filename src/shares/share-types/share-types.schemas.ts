import type { AnswerSchemas } from '../../http/api.ts'
import { flag, listOf, mapOf, objectOf, queryOf, text, textOrNull } from '../../http/formats/schema-forms.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import { flagField, openObject, textField, wrapped } from '../bodies.schemas.ts'
import type { Features } from '../versions.ts'

export const DHSS = 'driver_handles_share_servers'
/** Boolean specs. */
export const BOOLEANS: readonly string[] = [
  DHSS,
  'snapshot_support',
  'create_share_from_snapshot_support',
  'revert_to_snapshot_support',
  'mount_snapshot_support',
]

/** Specs that limit the size of a share. */
export const SIZES: readonly string[] = [
  'provisioning:max_share_size',
  'provisioning:min_share_size',
  'provisioning:max_share_extend_size',
]

export const publicName = ({ coreNames }: Features): string =>
  coreNames ? 'share_type_access:is_public' : 'os-share-type-access:is_public'

const typeSchema = (features: Features): Schema =>
  objectOf({
    id: text,
    name: text,
    [publicName(features)]: flag,
    required_extra_specs: mapOf(text),
    extra_specs: mapOf(text),
    ...(features.typeDescription && { description: textOrNull }),
    ...(features.typeIsDefault && { is_default: flag }),
  })

export const typeAnswer = (features: Features): AnswerSchemas => ({
  200: objectOf({ share_type: typeSchema(features), volume_type: typeSchema(features) }),
})

export const listAnswer = (features: Features): AnswerSchemas => ({
  200: objectOf({
    share_types: listOf(typeSchema(features)),
    volume_types: listOf(typeSchema(features)),
  }),
})

export const listQuery = ({ typesBySpecs }: Features): Schema =>
  openObject({
    is_public: { ...text, description: 'true, false or all; true if absent.' },
    ...(typesBySpecs && queryOf(['extra_specs']).properties),
  })

const specValue: Schema = {
  type: ['string', 'boolean'],
  minLength: 1,
  maxLength: 255,
  description: `A text. Only ${BOOLEANS.join(', ')} may be booleans.`,
}
/** Returned as written. */
const givenSpecs: Schema = {
  type: 'object',
  properties: Object.fromEntries(
    SIZES.map(name => [name, { type: 'string', pattern: '^0*[1-9][0-9]*$', description: 'In GB.' }]),
  ),
  patternProperties: { '^.{1,255}$': specValue },
  additionalProperties: false,
}
export const setSpecs = {
  requestBody: wrapped('extra_specs', givenSpecs),
  answers: { 200: objectOf({ extra_specs: givenSpecs }) },
}
const givenSpec: Schema = { ...givenSpecs, minProperties: 1, maxProperties: 1 }
export const setSpec = { requestBody: givenSpec, answers: { 200: givenSpec } }
export const specsAnswer: AnswerSchemas = { 200: objectOf({ extra_specs: mapOf(text) }) }
export const specAnswer: AnswerSchemas = { 200: { ...mapOf(text), minProperties: 1, maxProperties: 1 } }

/** Texts that are not blank. */
const name: Schema = { type: 'string', pattern: '[^ ]', maxLength: 255 }

export function createSchema(features: Features): Schema {
  const type = openObject(
    {
      name,
      extra_specs: { ...givenSpecs, required: [DHSS] },
      [publicName(features)]: flagField,
      ...(features.typeDescription && { description: textField }),
    },
    ['name', 'extra_specs'],
  )
  return { type: 'object', anyOf: [wrapped('share_type', type), wrapped('volume_type', type)] }
}

export function updateSchema(features: Features): Schema {
  const fields = {
    name: { ...name, type: ['string', 'null'] },
    description: textField,
    [publicName(features)]: flagField,
  } satisfies Record<string, Schema>
  const anyOf = Object.keys(fields).map(field => ({ required: [field] }))
  return wrapped('share_type', { ...openObject(fields), anyOf })
}

const project = openObject({ project: { type: 'string', minLength: 1, maxLength: 255 } }, ['project'])

export const typeActions = {
  addProjectAccess: objectOf({ addProjectAccess: project }),
  removeProjectAccess: objectOf({ removeProjectAccess: project }),
}

export const accessAnswer: AnswerSchemas = {
  200: objectOf({ share_type_access: listOf(objectOf({ share_type_id: text, project_id: text })) }),
}
