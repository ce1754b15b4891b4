import { ApiError, type Credentials } from '../../http/api.ts'
import { forbiddenText, type Policy } from '../../http/policy.ts'
import { requireLasting } from '../../identity/delegation.ts'
import type { RowTable } from '../../transfer/exported-tables.ts'
import { Problem } from '../api/problem.ts'

const COMPUTE = 'os_compute_api'
const CATALOG = ['berth:catalog:import']
const BACKENDS = ['berth:apply']
const SHARES = ['share:create:only_host', 'share:reset_status']
const GROUPS = [`${COMPUTE}:os-server-groups:create`]

/**
 * The operations that create and change rows of each table in their own API. An import needs the same ones.
 * What an export shows follows `operationOfTable`.
 */
export const writeOperationsOf: Readonly<Record<RowTable, readonly string[]>> = {
  metadef_namespaces: CATALOG,
  metadef_resource_types: CATALOG,
  metadef_associations: CATALOG,
  metadef_properties: CATALOG,
  metadef_objects: CATALOG,
  metadef_tags: CATALOG,
  metadef_builtins: CATALOG,
  flavors: [`${COMPUTE}:os-flavor-manage:create`, `${COMPUTE}:os-flavor-manage:update`],
  flavor_extra_specs: [`${COMPUTE}:os-flavor-extra-specs:create`, `${COMPUTE}:os-flavor-extra-specs:update`],
  flavor_access: [`${COMPUTE}:os-flavor-access:add_tenant_access`],
  hosts: ['berth:hosts:write'],
  host_aggregates: [`${COMPUTE}:os-aggregates:create`, `${COMPUTE}:os-aggregates:update`],
  host_aggregate_metadata: [`${COMPUTE}:os-aggregates:set_metadata`],
  host_aggregate_hosts: [`${COMPUTE}:os-aggregates:add_host`],
  server_groups: GROUPS,
  server_group_members: GROUPS,
  server_requests: ['berth:schedule'],
  reservations: ['berth:schedule'],
  reservation_slots: ['berth:schedule'],
  users: ['identity:create_user', 'identity:update_user'],
  projects: ['identity:create_project', 'identity:update_project'],
  roles: ['identity:create_role'],
  role_assignments: ['identity:create_grant'],
  share_types: ['share_type:create', 'share_type:update'],
  share_type_extra_specs: ['share_types_extra_spec:create', 'share_types_extra_spec:update'],
  share_type_access: ['share_type:add_project_access'],
  share_backends: BACKENDS,
  share_pools: BACKENDS,
  shares: SHARES,
  share_metadata: SHARES,
  share_hints: SHARES,
  share_snapshots: SHARES,
  share_access_rules: SHARES,
  share_quotas: ['quota_set:update', 'quota_class_set:update'],
}

/** Tables that grant access. A restricted or expiring caller may not create rows of these. */
const LASTING: ReadonlySet<RowTable> = new Set(['users', 'roles', 'role_assignments'])

/** Throws a problem that names the line. */
export function requireImportRight(
  policy: Policy,
  credentials: Credentials,
  table: RowTable,
  line: number,
): void {
  // Without an owner: rules for the caller's own project, or for the caller, do not apply.
  const target = { project_id: null, user_id: null, visibility: 'private' }
  if (LASTING.has(table)) requireLastingCaller(credentials, table, line)
  const missing = writeOperationsOf[table].find(one => !policy.allows(one, credentials, target))
  if (missing === undefined) return
  const facts = { line, table, operation: missing }
  throw new Problem(403, 'import.forbidden', `Line ${line}: ${table}: ${forbiddenText(missing)}`, facts)
}

function requireLastingCaller(credentials: Credentials, table: RowTable, line: number): void {
  try {
    requireLasting(credentials, `import ${table}`)
  } catch (reason) {
    if (!(reason instanceof ApiError)) throw reason
    throw new Problem(403, 'import.forbidden', `Line ${line}: ${table}: ${reason.message}`, { line, table })
  }
}
