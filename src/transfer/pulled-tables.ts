import { type RowOp, remove } from '../world/change.ts'
import type { AnyRow } from '../world/table.ts'
import { mirroredTables, type TableName } from '../world/tables.ts'
import type { World } from '../world/world.ts'
import type { RowLine, RowTable } from './exported-tables.ts'

/**
 * The rows that `berth pull` writes, by kind. Shares and their pools are also in the ledger:
 * `pulled-shares.ts`.
 */
const pulledTables = [
  'flavors',
  'flavor_extra_specs',
  'flavor_access',
  'hosts',
  'host_aggregates',
  'host_aggregate_metadata',
  'host_aggregate_hosts',
  'server_groups',
  'server_group_members',
  'server_requests',
  'metadef_namespaces',
  'metadef_resource_types',
  'metadef_associations',
  'metadef_properties',
  'metadef_objects',
  'metadef_tags',
  'share_types',
  'share_type_extra_specs',
  'share_type_access',
] as const satisfies readonly RowTable[]

export type PulledTable = (typeof pulledTables)[number]

export const isPulledTable = (name: string): name is PulledTable => pulledTables.some(table => table === name)

type Fields = RowLine['row']

type OwnerOf = (world: World, row: Fields) => string | null

const ofNamespace = ({ catalog }: World, { namespace }: Fields) =>
  catalog.namespaces.find(namespace as string)?.applied_by ?? null
const ofFlavor = ({ compute }: World, { flavor }: Fields) =>
  compute.flavors.find(flavor as string)?.applied_by ?? null
const ofAggregate = ({ compute }: World, { host_aggregate }: Fields) =>
  compute.aggregates.find(host_aggregate as string)?.applied_by ?? null
const ofType = ({ shares }: World, { share_type }: Fields) =>
  shares.types.find(share_type as string)?.applied_by ?? null

/** Tables whose rows are parts of something, with the `applied_by` of that. */
export const ownerTables: Readonly<Record<string, OwnerOf>> = {
  flavor_extra_specs: ofFlavor,
  flavor_access: ofFlavor,
  host_aggregate_metadata: ofAggregate,
  host_aggregate_hosts: ofAggregate,
  server_group_members: ({ compute }: World, { server_group }: Fields) =>
    compute.groups.find(server_group as string)?.applied_by ?? null,
  metadef_associations: ofNamespace,
  metadef_properties: ofNamespace,
  metadef_objects: ofNamespace,
  metadef_tags: ofNamespace,
  share_type_extra_specs: ofType,
  share_type_access: ofType,
} satisfies { readonly [N in PulledTable]?: OwnerOf }

/** Removes the parts of a row. */
export function listParts({ compute, catalog, shares }: World, table: PulledTable, row: AnyRow): RowOp[] {
  const id = row.id as number
  switch (table) {
    case 'flavors':
      return [
        ...compute.extraSpecs.list(id).map(one => remove('flavor_extra_specs', one)),
        ...compute.flavorAccess.list(id).map(one => remove('flavor_access', one)),
      ]
    case 'host_aggregates':
      return [
        ...compute.metadata.list(id).map(one => remove('host_aggregate_metadata', one)),
        ...compute.aggregateHosts.list(id).map(one => remove('host_aggregate_hosts', one)),
      ]
    case 'server_groups':
      return compute.listMembers(id).map(one => remove('server_group_members', one))
    case 'metadef_namespaces':
      return [
        ...catalog.associations.list(id).map(one => remove('metadef_associations', one)),
        ...catalog.properties.list(id).map(one => remove('metadef_properties', one)),
        ...catalog.objects.list(id).map(one => remove('metadef_objects', one)),
        ...catalog.tags.list(id).map(one => remove('metadef_tags', one)),
      ]
    case 'share_types':
      return [
        ...shares.extraSpecs.list(id).map(one => remove('share_type_extra_specs', one)),
        ...shares.typeAccess.list(id).map(one => remove('share_type_access', one)),
      ]
    default:
      return []
  }
}

/** The tables whose rows name their owner. */
export const listMarkedTables = (): TableName[] =>
  mirroredTables
    .filter(({ columnNames }) => columnNames.some(name => name === 'applied_by'))
    .map(({ name }) => name)
