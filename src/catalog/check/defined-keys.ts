import type { Catalog, NamespaceRow } from '../../world/catalog.ts'
import { listAssociations } from '../whole.ts'

/** The checkable part of a property's schema. */
export interface PropertySchema {
  readonly type?: unknown
  readonly operators?: unknown
  readonly enum?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly minLength?: unknown
  readonly maxLength?: unknown
  readonly pattern?: unknown
  readonly items?: unknown
}

/** A key of one type of resource, and where it is defined. */
export interface DefinedKey {
  /** With its prefix, as on the resource. */
  readonly key: string
  readonly namespace: string
  /** The object of the property; null for a property of the namespace itself. */
  readonly object: string | null
  readonly property: string
  readonly prefix: string
  readonly schema: PropertySchema
}

/** Keys defined for a type of resource, by key. */
export type DefinedKeys = ReadonlyMap<string, readonly DefinedKey[]>

export type DefinitionSource = (resourceType: string) => DefinedKeys

/** The keys of the given namespaces, cached. */
export function indexDefinitions(catalog: Catalog, namespaces: readonly NamespaceRow[]): DefinitionSource {
  const known = new Map<string, DefinedKeys>()
  return resourceType => {
    const keys = known.get(resourceType) ?? collectDefinedKeys(catalog, namespaces, resourceType)
    known.set(resourceType, keys)
    return keys
  }
}

function collectDefinedKeys(
  catalog: Catalog,
  namespaces: readonly NamespaceRow[],
  resourceType: string,
): DefinedKeys {
  const found = namespaces.flatMap(row => listKeys(catalog, row, resourceType))
  return Map.groupBy(found, ({ key }) => key)
}

function listKeys(catalog: Catalog, row: NamespaceRow, resourceType: string): DefinedKey[] {
  const association = listAssociations(catalog, row).find(({ name }) => name === resourceType)
  if (association === undefined) return []
  const prefix = association.row.prefix ?? ''
  const { namespace } = row
  const makeDefinedKey = (object: string | null, property: string, schema: PropertySchema): DefinedKey => ({
    key: `${prefix}${property}`,
    namespace,
    object,
    property,
    prefix,
    schema,
  })
  const own = catalog.properties
    .list(row.id)
    .map(one => makeDefinedKey(null, one.name, JSON.parse(one.json_schema)))
  const inObjects = catalog.objects.list(row.id).flatMap(one => {
    const properties: Record<string, PropertySchema> = JSON.parse(one.json_schema ?? '{}')
    return Object.entries(properties).map(([name, schema]) => makeDefinedKey(one.name, name, schema))
  })
  return [...own, ...inObjects]
}
