import type { ChangedRow } from '../../wire/changes.ts'

/** The phrase for a row of the catalog; null for a row of another table. */
export function catalogPhrase(table: string, row: ChangedRow, verb: string): string[] | null {
  const inside = (what: string) => [`${what} ${row.name} of ${row.namespace} ${verb}`]
  switch (table) {
    case 'metadef_namespaces':
      return [`namespace ${row.namespace} ${verb}`]
    case 'metadef_properties':
      return inside('property')
    case 'metadef_objects':
      return inside('object')
    case 'metadef_tags':
      return inside('tag')
    case 'metadef_associations':
      return [`association of ${row.namespace} with ${row.resource_type} ${verb}`]
    case 'metadef_resource_types':
      return [`resource type ${row.name} ${verb}`]
    // The namespace itself shows that it is built in.
    case 'metadef_builtins':
      return []
    default:
      return null
  }
}
