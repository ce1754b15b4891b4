import type { AnswerSchemas } from '../../http/api.ts'
import { anyValue, objectOf, oneOf, text, whole } from '../../http/formats/schema-forms.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import { AMOUNT_MAX } from '../../kernel/number-bounds.ts'
import { openObject, wrapped } from '../bodies.schemas.ts'
import type { Features } from '../versions.ts'
import { QUOTA_RESOURCES, type QuotaResource, TYPE_QUOTAS } from './quotas.ts'

const SINCE: Partial<Readonly<Record<QuotaResource, keyof Features>>> = {
  share_groups: 'groupQuotas',
  share_group_snapshots: 'groupQuotas',
  share_replicas: 'replicaQuotas',
  replica_gigabytes: 'replicaQuotas',
  per_share_gigabytes: 'perShareQuota',
}

export function listResources(features: Features, ofType: boolean): readonly QuotaResource[] {
  const all = ofType ? TYPE_QUOTAS : QUOTA_RESOURCES
  return all.filter(one => {
    const since = SINCE[one]
    return since === undefined || features[since]
  })
}

const each = (names: readonly string[], schema: Schema) =>
  Object.fromEntries(names.map(name => [name, schema]))

/** A share type has some of the quotas only. */
export const setAnswer =
  (value: Schema) =>
  (features: Features): AnswerSchemas => ({
    200: objectOf({
      quota_set: objectOf(
        { id: text, ...each(TYPE_QUOTAS, value) },
        each(
          listResources(features, false).filter(one => !TYPE_QUOTAS.includes(one)),
          value,
        ),
      ),
    }),
  })

export const detail = objectOf({ limit: whole, in_use: whole, reserved: whole })

export const classAnswer = (features: Features): AnswerSchemas => ({
  200: objectOf({ quota_class_set: objectOf({ id: text, ...each(listResources(features, false), whole) }) }),
})

const shareType = (what: string) => ({
  share_type: { ...text, description: `By name or id: ${what}. Refused before 2.39.` },
})

export const defaultsQuery = openObject(shareType('only the quotas that a share type can have'))
export const subjectQuery = openObject({
  ...shareType('the quotas of this type in the project'),
  user_id: { ...text, description: 'Always refused: there are no quotas of single users.' },
})

/** Members beside the quotas. */
export const IGNORED: readonly string[] = ['force', 'tenant_id', 'project_id', 'id', 'class_name', 'user_id']

const limit: Schema = {
  description: `A whole number from 0 to ${AMOUNT_MAX}, or -1 for no limit; null changes nothing.`,
  anyOf: [
    { type: ['integer', 'null'], minimum: -1, maximum: AMOUNT_MAX },
    { type: 'string', pattern: '^-?[0-9]+$' },
  ],
}

/** Members of newer versions may be null. */
export const limitsSchema =
  (name: string) =>
  (features: Features): Schema =>
    wrapped(name, {
      type: 'object',
      properties: {
        ...each(QUOTA_RESOURCES, oneOf(null)),
        ...each(listResources(features, false), limit),
        ...each(IGNORED, anyValue),
      },
      additionalProperties: false,
    })
