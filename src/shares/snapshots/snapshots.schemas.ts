import type { AnswerSchemas } from '../../http/api.ts'
import {
  anyValue,
  flag,
  links,
  listOf,
  objectOf,
  oneOf,
  queryOf,
  text,
  textOrNull,
  whole,
} from '../../http/formats/schema-forms.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import {
  allTenants,
  flagField,
  mandatoryText,
  nameFields,
  openObject,
  pageParameters,
  wrapped,
} from '../bodies.schemas.ts'
import type { Features } from '../versions.ts'

export const STATUSES = ['available', 'error', 'creating', 'deleting', 'error_deleting']

export const snapshotSchema = (features: Features): Schema =>
  objectOf({
    id: text,
    share_id: text,
    share_size: whole,
    created_at: text,
    status: text,
    name: textOrNull,
    description: textOrNull,
    size: whole,
    share_proto: text,
    links,
    ...(features.snapshotOwner && { project_id: text, user_id: text }),
  })

export const listAnswers = ({ snapshotCount }: Features, snapshot: Schema): AnswerSchemas => ({
  200: objectOf({ snapshots: listOf(snapshot) }, { ...(snapshotCount && { count: whole }) }),
})

export function listQuery({ likeFilters, snapshotCount }: Features): Schema {
  const like = likeFilters ? ['description', 'name~', 'description~'] : []
  const { properties } = queryOf(['share_id', 'status', 'name', 'size', ...like, 'sort_dir'])
  return openObject({
    ...properties,
    ...allTenants,
    ...pageParameters,
    ...(snapshotCount && { with_count: flag }),
  })
}

export const createSchema = wrapped(
  'snapshot',
  openObject({ share_id: mandatoryText, force: flagField, ...nameFields }, ['share_id']),
)
export const updateSchema = wrapped('snapshot', openObject(nameFields))

const reset = openObject({ status: oneOf(...STATUSES) }, ['status'])

export const snapshotActions = {
  reset_status: objectOf({ reset_status: reset }),
  'os-reset_status': objectOf({ 'os-reset_status': reset }),
  force_delete: objectOf({ force_delete: anyValue }),
  'os-force_delete': objectOf({ 'os-force_delete': anyValue }),
}
