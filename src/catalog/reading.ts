import { parseExactly } from '../kernel/exact-json.ts'
import type { Json } from '../kernel/json.ts'
import type {
  AssociationFields,
  Attributes,
  Content,
  Definition,
  ObjectFields,
  PropertyFields,
} from './fields.ts'

/** From values that were checked, with exact numbers, to what commands carry. */

/** Without keys whose value is not there. */
function given<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Partial<T>
}

export function attributesOf(value: Json): Partial<Attributes> {
  const { display_name, description, visibility, protected: isProtected } = value
  // An empty owner counts as no owner.
  const owner = value.owner || undefined
  return given({
    display_name,
    description,
    visibility,
    protected: isProtected,
    owner,
  }) as Partial<Attributes>
}

export function definitionOf(value: Json): Definition {
  return { namespace: value.namespace as string, attributes: attributesOf(value), content: contentOf(value) }
}

export function contentOf(value: Json): Content {
  const { properties = {}, objects = [], tags = [], resource_type_associations = [] } = value
  return {
    associations: (resource_type_associations as Json[]).map(associationOf),
    properties: Object.entries(properties as Json).map(([name, one]) => ({
      name,
      json_schema: JSON.stringify(one),
    })),
    objects: (objects as Json[]).map(objectOf),
    tags: (tags as { name: string }[]).map(tag => tag.name),
  }
}

export function associationOf({ name, prefix = null, properties_target = null }: Json): AssociationFields {
  return { name, prefix, properties_target } as AssociationFields
}

export function propertyOf({ name, ...schema }: Json): PropertyFields {
  return { name: name as string, json_schema: JSON.stringify(schema) }
}

export function objectOf({ name, description = null, required, properties }: Json): ObjectFields {
  return {
    name: name as string,
    description: description as string | null,
    required: required === undefined ? null : JSON.stringify(required),
    json_schema: properties === undefined ? null : JSON.stringify(titled(properties as Json)),
  }
}

/** A property of an object that has no title has its name for one. */
function titled(properties: Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => {
      const schema = one as Json
      return [name, Object.hasOwn(schema, 'title') ? schema : { title: name, ...schema }]
    }),
  )
}

/** A document as it was given. */
export const document = (text: string): Json => parseExactly(text) as Json

export const nameList = (text: string): readonly string[] => parseExactly(text) as readonly string[]
