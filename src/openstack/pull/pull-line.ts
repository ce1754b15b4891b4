import { ownValue } from '../../kernel/records.ts'

/** A row as an export writes it, with names where tables have numbers; share back ends, pools and shares by their names in the cloud. */
export interface PullLine {
  readonly table: string
  readonly row: Readonly<Record<string, string | number | null>>
}

/** The kinds of rows, in the order in which they are written; each kind is one commit. */
export const pullKinds = {
  flavors: ['flavors', 'flavor_extra_specs', 'flavor_access'],
  hosts: ['hosts'],
  aggregates: ['host_aggregates', 'host_aggregate_metadata', 'host_aggregate_hosts'],
  servers: ['server_requests'],
  groups: ['server_groups', 'server_group_members'],
  definitions: [
    'metadef_namespaces',
    'metadef_resource_types',
    'metadef_associations',
    'metadef_properties',
    'metadef_objects',
    'metadef_tags',
  ],
  'share types': ['share_types', 'share_type_extra_specs', 'share_type_access'],
  shares: ['share_backends', 'share_pools', 'shares'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type PullKind = keyof typeof pullKinds

export const kindNames = Object.keys(pullKinds) as PullKind[]

/** The columns that identify a row, by table; a part begins with what it is a part of. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  flavors: ['flavorid'],
  flavor_extra_specs: ['flavor', 'key'],
  flavor_access: ['flavor', 'project_id'],
  hosts: ['provider'],
  host_aggregates: ['uuid'],
  host_aggregate_metadata: ['host_aggregate', 'key'],
  host_aggregate_hosts: ['host_aggregate', 'provider'],
  server_groups: ['uuid'],
  server_group_members: ['consumer'],
  server_requests: ['consumer'],
  metadef_namespaces: ['namespace'],
  metadef_resource_types: ['name'],
  metadef_associations: ['namespace', 'resource_type'],
  metadef_properties: ['namespace', 'name'],
  metadef_objects: ['namespace', 'name'],
  metadef_tags: ['namespace', 'name'],
  share_types: ['uuid'],
  share_type_extra_specs: ['share_type', 'key'],
  share_type_access: ['share_type', 'project_id'],
  share_backends: ['backend'],
  share_pools: ['pool'],
  shares: ['uuid'],
}

export const isPulledTable = (table: string): boolean => Object.hasOwn(KEYS, table)

export function keyOf({ table, row }: PullLine): string {
  return JSON.stringify([table, ...(ownValue(KEYS, table) ?? []).map(column => row[column])])
}

/** The table and key of what a row is a part of; null for what stands for itself. */
export function ownerOf({ table, row }: PullLine): string | null {
  const parent = ownValue(PARENTS, table)
  return parent === undefined ? null : JSON.stringify([parent.table, row[parent.column]])
}

const PARENTS: Readonly<Record<string, { readonly table: string; readonly column: string }>> = {
  flavor_extra_specs: { table: 'flavors', column: 'flavor' },
  flavor_access: { table: 'flavors', column: 'flavor' },
  host_aggregate_metadata: { table: 'host_aggregates', column: 'host_aggregate' },
  host_aggregate_hosts: { table: 'host_aggregates', column: 'host_aggregate' },
  server_group_members: { table: 'server_groups', column: 'server_group' },
  metadef_associations: { table: 'metadef_namespaces', column: 'namespace' },
  metadef_properties: { table: 'metadef_namespaces', column: 'namespace' },
  metadef_objects: { table: 'metadef_namespaces', column: 'namespace' },
  metadef_tags: { table: 'metadef_namespaces', column: 'namespace' },
  share_type_extra_specs: { table: 'share_types', column: 'share_type' },
  share_type_access: { table: 'share_types', column: 'share_type' },
  share_pools: { table: 'share_backends', column: 'backend' },
}
