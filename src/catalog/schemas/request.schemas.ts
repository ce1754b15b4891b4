import type { Schema } from '../../http/formats/json-schema.ts'
import { listOf, mapOf, objectOf } from '../../http/formats/schema-forms.ts'
import { checkedSchemas } from './faults.schemas.ts'

/** Schemas of bodies for the OpenAPI document: each includes what faults.schemas.ts checks in addition. */

const name: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 80,
  description: 'Neither `.` nor `..`, and without the character U+0000.',
}

const withMembers = (schema: Schema, members: Readonly<Record<string, Schema>>): Schema => ({
  ...schema,
  properties: { ...schema.properties, ...members },
})

/** The server sets times and links: a body with them is refused. Parts in the body may have theirs. */
function withoutReadOnly(schema: Schema): Schema {
  const { created_at: _, updated_at: __, self: ___, schema: ____, ...members } = schema.properties ?? {}
  return { ...schema, properties: members }
}

const association = withMembers(checkedSchemas.association, { name })
const tag = withMembers(checkedSchemas.tag, { name })
const object = withMembers(checkedSchemas.object, {
  name,
  namespace: { ...name, description: 'The namespace that the object is in, if given.' },
  properties: mapOf({ ...checkedSchemas['inner property'], required: ['type'] }),
})

export const namespaceRequest: Schema = withMembers(withoutReadOnly(checkedSchemas.namespace), {
  namespace: name,
  resource_type_associations: listOf(association),
  properties: mapOf(checkedSchemas['inner property']),
  objects: listOf(object),
  tags: listOf(tag),
})
export const propertyRequest: Schema = withMembers(checkedSchemas.property, { name })
export const objectRequest: Schema = withoutReadOnly(object)
export const tagRequest: Schema = withoutReadOnly(tag)
export const tagsRequest: Schema = objectOf({ tags: listOf(objectOf({ name })) })
export const associationRequest: Schema = withoutReadOnly(association)
