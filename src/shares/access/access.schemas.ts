import { mapOf, objectOf, oneOf, text, textOrNull } from '../../http/formats/schema-forms.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import { flagField, mandatoryText, metadataField, openObject } from '../bodies.schemas.ts'
import type { Features } from '../versions.ts'
import { ACCESS_LEVELS, ACCESS_TYPES } from './access-rules.ts'

export const accessMetadata = metadataField({ type: 'string', minLength: 1, maxLength: 1023 })

export const accessSchema = (features: Features, more: Readonly<Record<string, Schema>> = {}): Schema =>
  objectOf({
    id: text,
    access_level: oneOf(...ACCESS_LEVELS),
    access_to: text,
    access_type: oneOf(...ACCESS_TYPES),
    state: text,
    ...(features.accessKey && { access_key: textOrNull }),
    ...(features.accessTimes && { created_at: text, updated_at: textOrNull }),
    ...(features.accessRules && { metadata: mapOf(text) }),
    ...more,
  })

const lock: Schema = { ...flagField, description: 'Only false: there are no resource locks.' }

export const allowSchema = (features: Features): Schema =>
  openObject(
    {
      access_type: oneOf(...ACCESS_TYPES.filter(type => type !== 'cephx' || features.cephxAccess)),
      access_to: mandatoryText,
      access_level: oneOf(...ACCESS_LEVELS, null),
      ...(features.accessRules && { metadata: { anyOf: [accessMetadata, oneOf(null)] } }),
      ...(features.accessFilters && { lock_visibility: lock, lock_deletion: lock }),
    },
    ['access_type', 'access_to'],
  )

export const denySchema = openObject({ access_id: text }, ['access_id'])
