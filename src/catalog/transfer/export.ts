import type { Json } from '../../kernel/json.ts'
import type { Catalog, NamespaceRow } from '../../world/catalog.ts'
import { parseDocument } from '../reading.ts'
import { collectWhole } from '../whole.ts'

/** A namespace as a file, without what the server adds. Importing it restores the same. */
export function exportDefinition(catalog: Catalog, row: NamespaceRow): Json {
  const { associations, properties, objects, tags } = collectWhole(catalog, row)
  const { namespace, display_name, description, visibility, owner } = row
  return dropNulls({
    namespace,
    display_name,
    description,
    visibility,
    protected: row.protected !== 0,
    owner,
    resource_type_associations: nullIfEmpty(
      associations.map(({ name, row: { prefix, properties_target } }) =>
        dropNulls({ name, prefix, properties_target }),
      ),
    ),
    properties:
      properties.length === 0
        ? null
        : Object.fromEntries(properties.map(one => [one.name, parseDocument(one.json_schema)])),
    objects: nullIfEmpty(
      objects.map(one =>
        dropNulls({
          name: one.name,
          description: one.description,
          required: one.required === null ? null : parseDocument(one.required),
          properties: one.json_schema === null ? null : parseDocument(one.json_schema),
        }),
      ),
    ),
    tags: nullIfEmpty(tags.map(({ name }) => ({ name }))),
  })
}

function dropNulls(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

const nullIfEmpty = (items: readonly unknown[]): readonly unknown[] | null =>
  items.length === 0 ? null : items
