import { inParallel } from '../../client/in-parallel.ts'
import type { CloudService } from '../cloud/cloud-service.ts'
import type { PullLine } from './pull-line.ts'

interface GlanceNamespace {
  readonly namespace: string
  readonly display_name?: string | null
  readonly description?: string | null
  readonly visibility: string
  readonly protected: boolean
  readonly owner: string
  readonly resource_type_associations?: readonly {
    readonly name: string
    readonly prefix?: string | null
    readonly properties_target?: string | null
  }[]
  readonly properties?: Readonly<Record<string, object>>
  readonly objects?: readonly {
    readonly name: string
    readonly description?: string | null
    readonly required?: readonly string[]
    readonly properties?: object
  }[]
  readonly tags?: readonly { readonly name: string }[]
}

const AT_ONCE = 8

/** All definitions: a list, and one request for each namespace. */
export async function readDefinitions(glance: CloudService): Promise<PullLine[]> {
  const listed = await glance.list<GlanceNamespace>('/metadefs/namespaces', 'namespaces')
  const found = await inParallel(listed, AT_ONCE, ({ namespace }) =>
    glance.getIfAny<GlanceNamespace>(`/metadefs/namespaces/${encodeURIComponent(namespace)}`),
  )
  // Null: it was deleted meanwhile.
  return found.filter(one => one !== null).flatMap(makeNamespaceLines)
}

const TIMES = { created_at: 0, updated_at: 0 }

function makeNamespaceLines(found: GlanceNamespace): PullLine[] {
  const { namespace, resource_type_associations = [], properties = {}, objects = [], tags = [] } = found
  return [
    {
      table: 'metadef_namespaces',
      row: {
        namespace,
        display_name: found.display_name ?? null,
        description: found.description ?? null,
        visibility: found.visibility,
        protected: found.protected ? 1 : 0,
        owner: found.owner,
        applied_by: null,
        ...TIMES,
      },
    },
    ...resource_type_associations.map(({ name }) => ({
      table: 'metadef_resource_types',
      row: { name, ...TIMES },
    })),
    ...resource_type_associations.map(({ name, prefix, properties_target }) => ({
      table: 'metadef_associations',
      row: {
        namespace,
        resource_type: name,
        prefix: prefix ?? null,
        properties_target: properties_target ?? null,
        ...TIMES,
      },
    })),
    ...Object.entries(properties).map(([name, schema]) => ({
      table: 'metadef_properties',
      row: { namespace, name, json_schema: JSON.stringify(schema), ...TIMES },
    })),
    ...objects.map(({ name, description, required, properties: schemas }) => ({
      table: 'metadef_objects',
      row: {
        namespace,
        name,
        description: description ?? null,
        required: required === undefined || required.length === 0 ? null : JSON.stringify(required),
        json_schema: schemas === undefined ? null : JSON.stringify(schemas),
        ...TIMES,
      },
    })),
    ...tags.map(({ name }) => ({ table: 'metadef_tags', row: { namespace, name, ...TIMES } })),
  ]
}
