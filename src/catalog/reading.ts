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

/** Converts validated values, with exact numbers, to the fields of commands. */

/** Drops undefined keys. */
function dropUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Partial<T>
}

export function readAttributes(value: Json): Partial<Attributes> {
  const { display_name, description, visibility, protected: isProtected } = value
  // An empty owner counts as no owner.
  const owner = value.owner || undefined
  return dropUndefined({
    display_name,
    description,
    visibility,
    protected: isProtected,
    owner,
  }) as Partial<Attributes>
}

export function readDefinition(value: Json): Definition {
  return {
    namespace: value.namespace as string,
    attributes: readAttributes(value),
    content: readContent(value),
  }
}

export function readContent(value: Json): Content {
  const { properties = {}, objects = [], tags = [], resource_type_associations = [] } = value
  return {
    associations: (resource_type_associations as Json[]).map(readAssociation),
    properties: Object.entries(properties as Json).map(([name, one]) => ({
      name,
      json_schema: JSON.stringify(one),
    })),
    objects: (objects as Json[]).map(readObject),
    tags: (tags as { name: string }[]).map(tag => tag.name),
  }
}

export function readAssociation({ name, prefix = null, properties_target = null }: Json): AssociationFields {
  return { name, prefix, properties_target } as AssociationFields
}

export function readProperty({ name, ...schema }: Json): PropertyFields {
  return { name: name as string, json_schema: JSON.stringify(schema) }
}

export function readObject({ name, description = null, required, properties }: Json): ObjectFields {
  return {
    name: name as string,
    description: description as string | null,
    required: required === undefined ? null : JSON.stringify(required),
    json_schema: properties === undefined ? null : JSON.stringify(addTitles(properties as Json)),
  }
}

/** The title of a property of an object is its name, unless given. */
function addTitles(properties: Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => {
      const schema = one as Json
      return [name, Object.hasOwn(schema, 'title') ? schema : { title: name, ...schema }]
    }),
  )
}

export const parseDocument = (text: string): Json => parseExactly(text) as Json

export const parseNames = (text: string): readonly string[] => parseExactly(text) as readonly string[]
