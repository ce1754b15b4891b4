import type { Catalog } from '../world/catalog.ts'
import type { Finding, Report } from '../world/findings.ts'
import type { World } from '../world/world.ts'

type CatalogFinding = Finding<
  'metadef.namespace-missing' | 'metadef.resource-type-missing' | 'metadef.not-json'
>

/** Every row is in a namespace that exists; documents are JSON. */
export function checkCatalog({ catalog }: World, report: Report<CatalogFinding>): void {
  const check = (kind: string, rows: Iterable<{ readonly id: number; readonly namespace_id: number }>) => {
    for (const { id, namespace_id } of rows)
      if (catalog.namespaces.get(namespace_id) === undefined)
        report.add({
          kind: 'metadef.namespace-missing',
          what: `${kind} ${id} is in namespace ${namespace_id}`,
        })
  }
  check('property', catalog.properties.rows())
  check('object', catalog.objects.rows())
  check('tag', catalog.tags.rows())
  check('association', catalog.associations.rows())
  for (const { id, resource_type_id } of catalog.associations.rows())
    if (catalog.resourceTypes.get(resource_type_id) === undefined)
      report.add({
        kind: 'metadef.resource-type-missing',
        what: `association ${id} is with resource type ${resource_type_id}`,
      })
  checkDocuments(catalog, report)
}

function checkDocuments(catalog: Catalog, report: Report<CatalogFinding>): void {
  const check = (what: string, text: string | null) => {
    if (text !== null && !isJson(text)) report.add({ kind: 'metadef.not-json', what })
  }
  for (const { id, json_schema } of catalog.properties.rows()) check(`schema of property ${id}`, json_schema)
  for (const { id, json_schema, required } of catalog.objects.rows()) {
    check(`properties of object ${id}`, json_schema)
    check(`required properties of object ${id}`, required)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
