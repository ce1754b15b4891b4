import type { NamespaceRow, ObjectRow, PropertyRow, ResourceTypeRow, TagRow } from '../world/catalog.ts'
import { namespaceLink, objectLink, schemaLink } from './links.ts'
import { document, nameList } from './reading.ts'
import type { NamedAssociation, Whole } from './whole.ts'

/** What the API shows of the catalog. What is not there is left out, never null. */

type View = Readonly<Record<string, unknown>>

const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

function times({ created_at, updated_at }: { created_at: number; updated_at: number }): View {
  return { created_at: timeText(created_at), updated_at: timeText(updated_at) }
}

function present(fields: View): View {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

/** What a namespace says about itself. */
export function namespaceView(row: NamespaceRow): View {
  const { namespace, display_name, description, visibility, owner } = row
  return {
    ...present({ namespace, display_name, description, visibility, protected: row.protected !== 0, owner }),
    ...times(row),
    self: namespaceLink(namespace),
    schema: schemaLink('namespace'),
  }
}

export function listedNamespaceView(row: NamespaceRow, associations: readonly NamedAssociation[]): View {
  return {
    ...namespaceView(row),
    ...filled({ resource_type_associations: associations.map(associationView) }),
  }
}

/** With all that is in it. For a type of resource, names are as they are on such a resource. */
export function wholeView(
  { row, associations, properties, objects, tags }: Whole,
  resourceType?: string,
): View {
  const prefix = associations.find(({ name }) => name === resourceType)?.row.prefix ?? ''
  return {
    ...listedNamespaceView(row, associations),
    ...(properties.length === 0 ? {} : { properties: propertiesView(properties, prefix) }),
    ...filled({
      objects: objects.map(object => objectView(row.namespace, object, prefix)),
      // The youngest first, as in their own list.
      tags: tags.toReversed().map(listedTagView),
    }),
  }
}

/** Lists that have something in them. */
function filled(lists: Readonly<Record<string, readonly unknown[]>>): View {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
}

export function associationView({ name, row }: NamedAssociation): View {
  const { prefix, properties_target } = row
  return { name, ...present({ prefix, properties_target }), ...times(row) }
}

export function resourceTypeView(row: ResourceTypeRow): View {
  return { name: row.name, ...times(row) }
}

export function propertyView({ name, json_schema }: PropertyRow): View {
  return { name, ...withoutName(document(json_schema)) }
}

/** The name in the document of one that came in a namespace may be any; its own is the key it had there. */
function withoutName({ name: _, ...schema }: View): View {
  return schema
}

export function propertiesView(rows: readonly PropertyRow[], prefix = ''): View {
  return Object.fromEntries(rows.map(row => [prefix + row.name, document(row.json_schema)]))
}

export function objectView(namespace: string, row: ObjectRow, prefix = ''): View {
  const { name, description } = row
  const required = row.required === null ? [] : nameList(row.required)
  const properties = row.json_schema === null ? {} : document(row.json_schema)
  return {
    name,
    ...present({ description }),
    required: required.map(one => prefix + one),
    properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [prefix + key, one])),
    ...times(row),
    self: objectLink(namespace, name),
    schema: schemaLink('object'),
  }
}

/** As reads show it. Answers to writes have no namespace, like Glance's. */
export const placedObjectView = (namespace: string, row: ObjectRow): View => {
  const { name, ...others } = objectView(namespace, row)
  return { name, namespace, ...others }
}

export function tagView(row: TagRow): View {
  return { name: row.name, ...times(row) }
}

export const listedTagView = (row: TagRow): View => ({ name: row.name })
