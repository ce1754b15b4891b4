import type { Schema } from '../../http/formats/json-schema.ts'
import { links, listOf, objectOf, text } from '../../http/formats/schema-forms.ts'
import { NAME_CUSTOM } from '../patterns.ts'

/** POST /resource_classes. Also checks the name in PUT /resource_classes/{name}, which has no body. */
export const resourceClassSchema: Schema = {
  type: 'object',
  properties: { name: { type: 'string', pattern: NAME_CUSTOM, maxLength: 255 } },
  required: ['name'],
  additionalProperties: false,
}

export const classAnswerSchema: Schema = objectOf({ name: text, links })
export const classesAnswerSchema: Schema = objectOf({ resource_classes: listOf(classAnswerSchema) })
