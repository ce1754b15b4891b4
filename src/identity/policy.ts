import type { Credentials } from '../http/api.ts'
import { assert } from '../kernel/assert.ts'

/**
 * `legacy` is upstream with its old defaults still in force, `secure` with the new ones only; `open` lets
 * every authenticated caller do everything.
 */
export type PolicyMode = 'legacy' | 'secure' | 'open'

export interface PolicyTarget {
  readonly project_id: string | null
  /** Whether it is for everybody, where things say that of themselves: `public` or `private`. */
  readonly visibility?: string
}

type Rule = (credentials: Credentials, target: PolicyTarget) => boolean

const has = (credentials: Credentials, role: string): boolean => credentials.roles.includes(role)

/** Everybody whose token is good. */
const anybody: Rule = () => true
const service: Rule = caller => has(caller, 'service')
const adminOrService: Rule = caller => has(caller, 'admin') || has(caller, 'service')
const adminOrServiceOrProjectReader: Rule = (caller, target) =>
  adminOrService(caller, target) ||
  (has(caller, 'reader') && target.project_id !== null && target.project_id === caller.projectId)

const admin: Rule = caller => has(caller, 'admin')
const isOwn: Rule = (caller, target) => target.project_id === caller.projectId
const isOwnOrPublic: Rule = (caller, target) => target.visibility === 'public' || isOwn(caller, target)
const adminOr =
  (rule: Rule): Rule =>
  (caller, target) =>
    admin(caller, target) || rule(caller, target)
const readerWhere =
  (rule: Rule): Rule =>
  (caller, target) =>
    has(caller, 'reader') && rule(caller, target)

const memberWhere =
  (rule: Rule): Rule =>
  (caller, target) =>
    has(caller, 'member') && rule(caller, target)

const rules: ReadonlyMap<string, { readonly legacy: Rule; readonly secure: Rule }> = new Map([
  ...sameInBoth(adminOrService, [
    'berth:backup',
    'berth:catalog:drift',
    'berth:changes',
    'berth:decisions',
    'berth:explain:hosts',
    'berth:export',
    'berth:flavors:query',
    'berth:fleet',
    'berth:hosts',
    'berth:import',
    'berth:schedule',
    'berth:simulate',
    'berth:verify',
    'placement:allocation_candidates:list',
    'placement:allocations:delete',
    'placement:allocations:list',
    'placement:allocations:manage',
    'placement:allocations:update',
    'placement:resource_classes:create',
    'placement:resource_classes:delete',
    'placement:resource_classes:list',
    'placement:resource_classes:show',
    'placement:resource_classes:update',
    'placement:resource_providers:aggregates:list',
    'placement:resource_providers:aggregates:update',
    'placement:resource_providers:allocations:list',
    'placement:resource_providers:create',
    'placement:resource_providers:delete',
    'placement:resource_providers:inventories:create',
    'placement:resource_providers:inventories:delete',
    'placement:resource_providers:inventories:list',
    'placement:resource_providers:inventories:show',
    'placement:resource_providers:inventories:update',
    'placement:resource_providers:list',
    'placement:resource_providers:show',
    'placement:resource_providers:traits:delete',
    'placement:resource_providers:traits:list',
    'placement:resource_providers:traits:update',
    'placement:resource_providers:update',
    'placement:resource_providers:usages',
    'placement:traits:delete',
    'placement:traits:list',
    'placement:traits:show',
    'placement:traits:update',
  ]),
  ...sameInBoth(adminOrServiceOrProjectReader, ['placement:usages']),
  ...sameInBoth(anybody, [
    'berth:catalog:check',
    'berth:explain',
    'berth:filters',
    'berth:openapi',
    'berth:operators',
    'berth:whoami',
  ]),
  ['placement:reshaper:reshape', { legacy: adminOrService, secure: service }],
  ...sameInBoth(admin, [
    'berth:catalog:import',
    'add_metadef_namespace',
    'modify_metadef_namespace',
    'delete_metadef_namespace',
    'add_metadef_object',
    'modify_metadef_object',
    'delete_metadef_object',
    'add_metadef_property',
    'modify_metadef_property',
    'remove_metadef_property',
    'add_metadef_tag',
    'add_metadef_tags',
    'modify_metadef_tag',
    'delete_metadef_tag',
    'delete_metadef_tags',
    'add_metadef_resource_type_association',
    'remove_metadef_resource_type_association',
  ]),
  ...sameInBoth(admin, [
    'context_is_admin',
    'berth:apply',
    'berth:hosts:write',
    'compute:aggregates:images',
    'os_compute_api:os-aggregates:add_host',
    'os_compute_api:os-aggregates:create',
    'os_compute_api:os-aggregates:delete',
    'os_compute_api:os-aggregates:index',
    'os_compute_api:os-aggregates:remove_host',
    'os_compute_api:os-aggregates:set_metadata',
    'os_compute_api:os-aggregates:show',
    'os_compute_api:os-aggregates:update',
    'os_compute_api:os-availability-zone:detail',
    'os_compute_api:os-flavor-access:add_tenant_access',
    'os_compute_api:os-flavor-access:remove_tenant_access',
    'os_compute_api:os-flavor-extra-specs:create',
    'os_compute_api:os-flavor-extra-specs:delete',
    'os_compute_api:os-flavor-extra-specs:update',
    'os_compute_api:os-flavor-manage:create',
    'os_compute_api:os-flavor-manage:delete',
    'os_compute_api:os-flavor-manage:update',
    'os_compute_api:os-hosts:list',
    'os_compute_api:os-hosts:reboot',
    'os_compute_api:os-hosts:show',
    'os_compute_api:os-hosts:shutdown',
    'os_compute_api:os-hosts:start',
    'os_compute_api:os-hosts:update',
    'os_compute_api:os-hypervisors:list',
    'os_compute_api:os-hypervisors:list-detail',
    'os_compute_api:os-hypervisors:search',
    'os_compute_api:os-hypervisors:servers',
    'os_compute_api:os-hypervisors:show',
    'os_compute_api:os-hypervisors:statistics',
    'os_compute_api:os-hypervisors:uptime',
    'os_compute_api:os-server-groups:index:all_projects',
    'os_compute_api:os-services:delete',
    'os_compute_api:os-services:list',
    'os_compute_api:os-services:update',
  ]),
  ...sameInBoth(anybody, ['os_compute_api:flavors', 'os_compute_api:os-availability-zone:list']),
  ['os_compute_api:os-flavor-access', { legacy: anybody, secure: admin }],
  ...readersOnceWanted(isOwn, isOwn, [
    'os_compute_api:os-flavor-extra-specs:index',
    'os_compute_api:os-flavor-extra-specs:show',
    'os_compute_api:os-server-groups:index',
    'os_compute_api:os-server-groups:show',
  ]),
  ...['create', 'delete'].map(
    what =>
      [
        `os_compute_api:os-server-groups:${what}`,
        { legacy: adminOr(isOwn), secure: adminOr(memberWhere(isOwn)) },
      ] as const,
  ),
  ...readersOnceWanted(isOwn, anybody, ['get_metadef_namespaces', 'berth:catalog:export']),
  ...readersOnceWanted(isOwnOrPublic, isOwnOrPublic, [
    'get_metadef_namespace',
    'get_metadef_object',
    'get_metadef_objects',
    'get_metadef_property',
    'get_metadef_properties',
    'get_metadef_tag',
    'get_metadef_tags',
    'get_metadef_resource_type',
    'list_metadef_resource_types',
  ]),
])

/** Reading takes the role reader by the new defaults, and took none by the old ones. */
function readersOnceWanted(wanted: Rule, before: Rule, operations: readonly string[]) {
  const rule = { legacy: adminOr(before), secure: adminOr(readerWhere(wanted)) }
  return operations.map(operation => [operation, rule] as const)
}

function sameInBoth(rule: Rule, operations: readonly string[]) {
  return operations.map(operation => [operation, { legacy: rule, secure: rule }] as const)
}

export const isKnownOperation = (operation: string): boolean => rules.has(operation)

export function isAllowed(
  mode: PolicyMode,
  operation: string,
  credentials: Credentials,
  target: PolicyTarget,
): boolean {
  const rule = rules.get(operation)
  assert(rule !== undefined, `no policy for operation ${operation}`)
  if (mode === 'open') return true
  // Every operation wants a project's token: system scope is refused whatever its roles.
  if (credentials.systemScope) return false
  return rule[mode](credentials, target)
}

/** What the door asks. */
export interface Policy {
  knows(operation: string): boolean
  /** Every operation there is. */
  operations(): readonly string[]
  allows(operation: string, credentials: Credentials, target: PolicyTarget): boolean
}

export function policyOf(mode: PolicyMode): Policy {
  return {
    knows: isKnownOperation,
    operations: () => [...rules.keys()],
    allows: (operation, credentials, target) => isAllowed(mode, operation, credentials, target),
  }
}

/** The text of a 403. */
export const forbiddenText = (operation: string): string =>
  `Policy does not allow ${operation} to be performed.`
