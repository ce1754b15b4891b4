import type { NamespaceRow, ObjectRow, PropertyRow, ResourceTypeRow, TagRow } from '../world/catalog.ts'
import { namespaceLink, objectLink, schemaLink } from './links.ts'
import { parseDocument, parseNames } from './reading.ts'
import type { NamedAssociation, Whole } from './whole.ts'

/** The bodies of answers. Null fields are left out. */

type View = Readonly<Record<string, unknown>>

const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

function renderTimes({ created_at, updated_at }: { created_at: number; updated_at: number }): View {
  return { created_at: timeText(created_at), updated_at: timeText(updated_at) }
}

function dropNulls(fields: View): View {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

/** The attributes of a namespace. */
export function namespaceView(row: NamespaceRow): View {
  const { namespace, display_name, description, visibility, owner } = row
  return {
    ...dropNulls({ namespace, display_name, description, visibility, protected: row.protected !== 0, owner }),
    ...renderTimes(row),
    self: namespaceLink(namespace),
    schema: schemaLink('namespace'),
  }
}

export function listedNamespaceView(row: NamespaceRow, associations: readonly NamedAssociation[]): View {
  return {
    ...namespaceView(row),
    ...dropEmpty({ resource_type_associations: associations.map(associationView) }),
  }
}

/** With its contents. For a type of resource, with the names that keys have on it. */
export function wholeView(
  { row, associations, properties, objects, tags }: Whole,
  resourceType?: string,
): View {
  const prefix = associations.find(({ name }) => name === resourceType)?.row.prefix ?? ''
  return {
    ...listedNamespaceView(row, associations),
    ...(properties.length === 0 ? {} : { properties: propertiesView(properties, prefix) }),
    ...dropEmpty({
      objects: objects.map(object => objectView(row.namespace, object, prefix)),
      // The youngest first, as in their own list.
      tags: tags.toReversed().map(listedTagView),
    }),
  }
}

function dropEmpty(lists: Readonly<Record<string, readonly unknown[]>>): View {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
}

export function associationView({ name, row }: NamedAssociation): View {
  const { prefix, properties_target } = row
  return { name, ...dropNulls({ prefix, properties_target }), ...renderTimes(row) }
}

export function resourceTypeView(row: ResourceTypeRow): View {
  return { name: row.name, ...renderTimes(row) }
}

export function propertyView({ name, json_schema }: PropertyRow): View {
  return { name, ...dropName(parseDocument(json_schema)) }
}

/** The document of a property may contain another name; the key counts. */
function dropName({ name: _, ...schema }: View): View {
  return schema
}

export function propertiesView(rows: readonly PropertyRow[], prefix = ''): View {
  return Object.fromEntries(rows.map(row => [prefix + row.name, parseDocument(row.json_schema)]))
}

export function objectView(namespace: string, row: ObjectRow, prefix = ''): View {
  const { name, description } = row
  const required = row.required === null ? [] : parseNames(row.required)
  const properties = row.json_schema === null ? {} : parseDocument(row.json_schema)
  return {
    name,
    ...dropNulls({ description }),
    required: required.map(one => prefix + one),
    properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [prefix + key, one])),
    ...renderTimes(row),
    self: objectLink(namespace, name),
    schema: schemaLink('object'),
  }
}

/** For reads. Answers to writes have no namespace, as in Glance. */
export const placedObjectView = (namespace: string, row: ObjectRow): View => {
  const { name, ...others } = objectView(namespace, row)
  return { name, namespace, ...others }
}

export function tagView(row: TagRow): View {
  return { name: row.name, ...renderTimes(row) }
}

export const listedTagView = (row: TagRow): View => ({ name: row.name })
