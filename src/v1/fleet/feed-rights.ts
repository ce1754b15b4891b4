import type { Credentials } from '../../http/api.ts'
import type { Policy } from '../../http/policy.ts'
import { mirroredTables, type TableName } from '../../world/tables.ts'

/** The policy operations that let a caller see rows of a table, whatever their project. */
const FEED = 'berth:changes'
const OF_PROJECTS = 'berth:changes:projects'
const AGGREGATES = 'os_compute_api:os-aggregates:index'
const NAMESPACES = 'get_metadef_namespace'

/** The operation that reads each table in full in its own API. The compiler requires one for every new table. */
export const operationOfTable: Readonly<Record<TableName, string>> = {
  resource_classes: FEED,
  traits: FEED,
  aggregates: FEED,
  resource_providers: FEED,
  inventories: FEED,
  provider_traits: FEED,
  provider_aggregates: FEED,
  consumers: FEED,
  allocations: FEED,
  hosts: 'berth:hosts',
  flavors: 'berth:flavors:query',
  flavor_extra_specs: 'berth:flavors:query',
  flavor_access: 'os_compute_api:os-flavor-access',
  server_requests: 'berth:decisions',
  reservations: 'berth:decisions',
  reservation_slots: 'berth:decisions',
  group_claims: 'os_compute_api:os-server-groups:index:all_projects',
  manila_claims: 'scheduler_stats:pools:detail',
  host_aggregates: AGGREGATES,
  host_aggregate_metadata: AGGREGATES,
  host_aggregate_hosts: AGGREGATES,
  server_groups: 'os_compute_api:os-server-groups:index:all_projects',
  server_group_members: 'os_compute_api:os-server-groups:index:all_projects',
  metadef_namespaces: NAMESPACES,
  metadef_resource_types: NAMESPACES,
  metadef_associations: NAMESPACES,
  metadef_properties: NAMESPACES,
  metadef_objects: NAMESPACES,
  metadef_tags: NAMESPACES,
  metadef_builtins: NAMESPACES,
  users: 'identity:list_users',
  projects: 'identity:list_projects',
  roles: 'identity:list_roles',
  role_assignments: 'identity:list_role_assignments',
  application_credentials: 'identity:list_application_credentials',
  static_tokens: 'berth:tokens',
  revoked_tokens: 'identity:list_users',
  shadow_settings: 'berth:shadow',
  share_types: 'share_types_extra_spec:index',
  share_type_extra_specs: 'share_types_extra_spec:index',
  share_type_access: 'share_type:list_project_access',
  share_backends: 'scheduler_stats:pools:detail',
  share_pools: 'scheduler_stats:pools:detail',
  share_steps: 'scheduler_stats:pools:detail',
  share_leases: 'service:index',
  shares: OF_PROJECTS,
  share_metadata: OF_PROJECTS,
  share_hints: OF_PROJECTS,
  share_snapshots: OF_PROJECTS,
  share_access_rules: OF_PROJECTS,
  share_quotas: OF_PROJECTS,
}

/** The tables whose rows a caller may follow. */
export interface VisibleTables {
  /** Equal for callers who see the same tables. */
  readonly name: string
  shows(table: TableName): boolean
}

const tables = mirroredTables.map(({ name }) => name)
const operations = [...new Set(tables.map(table => operationOfTable[table]))]

export const EVERYTHING: VisibleTables = { name: operations.map(() => '1').join(''), shows: () => true }

const sights = new Map<string, VisibleTables>([[EVERYTHING.name, EVERYTHING]])

export function findVisibleTables(policy: Policy, credentials: Credentials): VisibleTables {
  // Without an owner: rules for the caller's own project, or for the caller, do not apply.
  const target = { project_id: null, user_id: null, visibility: 'private' }
  const allowed = operations.map(operation => policy.allows(operation, credentials, target))
  const name = allowed.map(Number).join('')
  const known = sights.get(name)
  if (known !== undefined) return known
  const shown = new Set(operations.filter((_, at) => allowed[at]))
  const sight: VisibleTables = { name, shows: table => shown.has(operationOfTable[table]) }
  sights.set(name, sight)
  return sight
}
