import type { Schema } from '../../http/formats/json-schema.ts'
import { flag, listOf, mapOf, objectOf, oneOf, text } from '../../http/formats/schema-forms.ts'
import { checkedSchemas } from './faults.schemas.ts'

/** The bodies of answers, as views.ts makes them. */

const times = { created_at: text, updated_at: text }
const links = { self: text, schema: text }

/** A page of a list that has links. */
export const pageOf = (list: string, items: Schema): Schema =>
  objectOf({ [list]: listOf(items), first: text, schema: text }, { next: text })

export const resourceTypeAnswer: Schema = objectOf({ name: text, ...times })
export const associationAnswer: Schema = objectOf(
  { name: text, ...times },
  { prefix: text, properties_target: text },
)

export const propertyAnswer: Schema = checkedSchemas.property
/** By name. */
export const propertiesAnswer: Schema = mapOf(checkedSchemas['inner property'])

const objectFields = {
  name: text,
  required: listOf(text),
  // An import of rows takes properties of objects without a title.
  properties: mapOf({ ...checkedSchemas['inner property'], required: ['type'] }),
  ...times,
  ...links,
}
export const objectAnswer: Schema = objectOf(objectFields, { description: text })
export const placedObjectAnswer: Schema = objectOf(
  { ...objectFields, namespace: text },
  { description: text },
)

export const tagAnswer: Schema = objectOf({ name: text, ...times })
export const tagNamesAnswer: Schema = listOf(objectOf({ name: text }))

const namespaceFields = {
  namespace: text,
  visibility: oneOf('public', 'private'),
  protected: flag,
  owner: text,
  ...times,
  ...links,
}
const namespaceTexts = { display_name: text, description: text }
const listedFields = { ...namespaceTexts, resource_type_associations: listOf(associationAnswer) }

export const namespaceAnswer: Schema = objectOf(namespaceFields, namespaceTexts)
export const listedNamespaceAnswer: Schema = objectOf(namespaceFields, listedFields)
export const wholeAnswer: Schema = objectOf(namespaceFields, {
  ...listedFields,
  properties: propertiesAnswer,
  objects: listOf(objectAnswer),
  tags: tagNamesAnswer,
})
