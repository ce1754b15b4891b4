import type { Json } from '../../kernel/json.ts'
import type { Catalog, NamespaceRow } from '../../world/catalog.ts'
import { document } from '../reading.ts'
import { wholeOf } from '../whole.ts'

/** A namespace as a file: all that was given, nothing that the server made. Importing it gives the same again. */
export function exportedDefinition(catalog: Catalog, row: NamespaceRow): Json {
  const { associations, properties, objects, tags } = wholeOf(catalog, row)
  const { namespace, display_name, description, visibility, owner } = row
  return said({
    namespace,
    display_name,
    description,
    visibility,
    protected: row.protected !== 0,
    owner,
    resource_type_associations: listed(
      associations.map(({ name, row: { prefix, properties_target } }) =>
        said({ name, prefix, properties_target }),
      ),
    ),
    properties:
      properties.length === 0
        ? null
        : Object.fromEntries(properties.map(one => [one.name, document(one.json_schema)])),
    objects: listed(
      objects.map(one =>
        said({
          name: one.name,
          description: one.description,
          required: one.required === null ? null : document(one.required),
          properties: one.json_schema === null ? null : document(one.json_schema),
        }),
      ),
    ),
    tags: listed(tags.map(({ name }) => ({ name }))),
  })
}

/** What is not there is left out. */
function said(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

const listed = (items: readonly unknown[]): readonly unknown[] | null => (items.length === 0 ? null : items)
