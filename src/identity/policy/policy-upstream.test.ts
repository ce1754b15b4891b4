/**
 * Berth's defaults beside those of the services whose APIs it has. The table restates upstream's new defaults (secure RBAC)
 * as of August 2026 in rules over the roles and scopes that Berth has: neither domains nor system scope.
 */
import { describe, expect, test } from 'vitest'
import type { Policy } from '../../http/policy.ts'
import { compilePolicy } from './compile-policy.ts'
import { operations } from './operations.ts'
import { ROLES, reach } from './reach.fixture.ts'

const ADMIN = 'role:admin'
const SERVICE = 'role:service'
const ADMIN_OR_SERVICE = 'role:admin or role:service'
const READER = 'role:admin or (role:reader and project_id:%(project_id)s)'
const MEMBER = 'role:admin or (role:member and project_id:%(project_id)s)'
const READER_OF_PUBLIC =
  "role:admin or (role:reader and (project_id:%(project_id)s or 'public':%(visibility)s))"
const ANYBODY = '@'
const OWNER_USER = 'user_id:%(user_id)s'
const ADMIN_OR_OWNER_USER = `role:admin or ${OWNER_USER}`
const ADMIN_OR_PROJECT = 'role:admin or project_id:%(project_id)s'

type Table = Readonly<Record<string, string>>

/** Files of upstream, the rule, and the operations below a common beginning. */
const UPSTREAM: readonly (readonly [file: string, rule: string, prefix: string, names: string])[] = [
  // Placement
  [
    'placement/policies/allocation_candidate.py',
    ADMIN_OR_SERVICE,
    'placement:allocation_candidates:',
    'list',
  ],
  [
    'placement/policies/allocation.py',
    ADMIN_OR_SERVICE,
    'placement:allocations:',
    'list manage update delete',
  ],
  ['placement/policies/allocation.py', ADMIN_OR_SERVICE, 'placement:resource_providers:allocations:', 'list'],
  [
    'placement/policies/resource_class.py',
    ADMIN_OR_SERVICE,
    'placement:resource_classes:',
    'list create show update delete',
  ],
  [
    'placement/policies/resource_provider.py',
    ADMIN_OR_SERVICE,
    'placement:resource_providers:',
    'list create show update delete',
  ],
  [
    'placement/policies/inventory.py',
    ADMIN_OR_SERVICE,
    'placement:resource_providers:inventories:',
    'list create show update delete',
  ],
  [
    'placement/policies/aggregate.py',
    ADMIN_OR_SERVICE,
    'placement:resource_providers:aggregates:',
    'list update',
  ],
  ['placement/policies/trait.py', ADMIN_OR_SERVICE, 'placement:traits:', 'list show update delete'],
  [
    'placement/policies/trait.py',
    ADMIN_OR_SERVICE,
    'placement:resource_providers:traits:',
    'list update delete',
  ],
  ['placement/policies/usage.py', ADMIN_OR_SERVICE, 'placement:resource_providers:', 'usages'],
  ['placement/policies/usage.py', `${READER} or role:service`, 'placement:', 'usages'],
  ['placement/policies/reshaper.py', SERVICE, 'placement:reshaper:', 'reshape'],
  // Nova
  ['nova/policies/base.py', ADMIN, '', 'context_is_admin'],
  ['nova/policies/aggregates.py', ADMIN, 'compute:aggregates:', 'images'],
  [
    'nova/policies/aggregates.py',
    ADMIN,
    'os_compute_api:os-aggregates:',
    'index create show update delete add_host remove_host set_metadata',
  ],
  ['nova/policies/availability_zone.py', ANYBODY, 'os_compute_api:os-availability-zone:', 'list'],
  ['nova/policies/availability_zone.py', ADMIN, 'os_compute_api:os-availability-zone:', 'detail'],
  [
    'nova/policies/flavor_access.py',
    ADMIN,
    'os_compute_api:os-flavor-access',
    '~ :add_tenant_access :remove_tenant_access',
  ],
  ['nova/policies/flavor_extra_specs.py', READER, 'os_compute_api:os-flavor-extra-specs:', 'index show'],
  [
    'nova/policies/flavor_extra_specs.py',
    ADMIN,
    'os_compute_api:os-flavor-extra-specs:',
    'create update delete',
  ],
  ['nova/policies/flavor_manage.py', ADMIN, 'os_compute_api:os-flavor-manage:', 'create update delete'],
  ['nova/policies/hosts.py', ADMIN, 'os_compute_api:os-hosts:', 'list show update reboot shutdown start'],
  [
    'nova/policies/hypervisors.py',
    ADMIN,
    'os_compute_api:os-hypervisors:',
    'list list-detail search servers show statistics uptime',
  ],
  ['nova/policies/extended_server_attributes.py', ADMIN, 'os_compute_api:', 'os-extended-server-attributes'],
  ['nova/policies/keypairs.py', ADMIN_OR_OWNER_USER, 'os_compute_api:os-keypairs:', 'index'],
  ['nova/policies/instance_actions.py', READER, 'os_compute_api:os-instance-actions:', 'list'],
  ['nova/policies/volumes_attachments.py', READER, 'os_compute_api:os-volumes-attachments:', 'index'],
  ['nova/policies/limits.py', ANYBODY, 'os_compute_api:', 'limits'],
  ['nova/policies/limits.py', ADMIN, 'os_compute_api:limits:', 'other_project'],
  ['nova/policies/quota_sets.py', ANYBODY, 'os_compute_api:os-quota-sets:', 'defaults'],
  ['nova/policies/quota_sets.py', READER, 'os_compute_api:os-quota-sets:', 'show detail'],
  [
    'nova/policies/servers.py',
    READER,
    'os_compute_api:servers:',
    'index detail show show:flavor-extra-specs',
  ],
  [
    'nova/policies/servers.py',
    ADMIN,
    'os_compute_api:servers:',
    'index:get_all_tenants detail:get_all_tenants allow_all_filters show:host_status',
  ],
  ['nova/policies/simple_tenant_usage.py', READER, 'os_compute_api:os-simple-tenant-usage:', 'show'],
  ['nova/policies/simple_tenant_usage.py', ADMIN, 'os_compute_api:os-simple-tenant-usage:', 'list'],
  ['nova/policies/server_groups.py', READER, 'os_compute_api:os-server-groups:', 'index show'],
  ['nova/policies/server_groups.py', MEMBER, 'os_compute_api:os-server-groups:', 'create delete'],
  ['nova/policies/server_groups.py', ADMIN, 'os_compute_api:os-server-groups:', 'index:all_projects'],
  ['nova/policies/services.py', ADMIN, 'os_compute_api:os-services:', 'list update delete'],
  // Glance
  ['glance/policies/image.py', READER, '', 'get_images'],
  [
    'glance/policies/metadef.py',
    ADMIN,
    '',
    `add_metadef_namespace modify_metadef_namespace delete_metadef_namespace
     add_metadef_object modify_metadef_object delete_metadef_object
     add_metadef_property modify_metadef_property remove_metadef_property
     add_metadef_tag add_metadef_tags modify_metadef_tag delete_metadef_tag delete_metadef_tags
     add_metadef_resource_type_association remove_metadef_resource_type_association`,
  ],
  ['glance/policies/metadef.py', READER, '', 'get_metadef_namespaces'],
  [
    'glance/policies/metadef.py',
    READER_OF_PUBLIC,
    '',
    `list_metadef_resource_types get_metadef_resource_type get_metadef_namespace
     get_metadef_object get_metadef_objects get_metadef_property get_metadef_properties
     get_metadef_tag get_metadef_tags`,
  ],
  // Manila
  ['manila/policies/availability_zone.py', READER, 'availability_zone:', 'index'],
  ['manila/policies/message.py', READER, 'message:', 'get get_all'],
  ['manila/policies/message.py', MEMBER, 'message:', 'delete'],
  ['manila/policies/quota_class_set.py', READER, 'quota_class_set:', 'show'],
  ['manila/policies/quota_class_set.py', ADMIN, 'quota_class_set:', 'update'],
  ['manila/policies/quota_set.py', READER, 'quota_set:', 'show'],
  ['manila/policies/quota_set.py', ADMIN, 'quota_set:', 'update delete'],
  ['manila/policies/scheduler_stats.py', ADMIN, 'scheduler_stats:pools:', 'index detail'],
  ['manila/policies/service.py', ADMIN, 'service:', 'index update'],
  ['manila/policies/security_service.py', READER, 'security_service:', 'index detail'],
  ['manila/policies/share_group.py', READER, 'share_group:', 'get_all'],
  ['manila/policies/share_group_snapshot.py', READER, 'share_group_snapshot:', 'get_all'],
  ['manila/policies/share_group_type.py', READER, 'share_group_type:', 'index'],
  ['manila/policies/share_instance.py', ADMIN, 'share_instance:', 'index'],
  ['manila/policies/share_network.py', READER, 'share_network:', 'index detail'],
  ['manila/policies/share_server.py', ADMIN, 'share_server:', 'index'],
  ['manila/policies/share_access.py', READER, 'share_access_rule:', 'get index'],
  ['manila/policies/share_access_metadata.py', MEMBER, 'share_access_metadata:', 'update delete'],
  ['manila/policies/share_export_location.py', READER, 'share_export_location:', 'index show'],
  ['manila/policies/share_snapshot.py', READER, 'share_snapshot:', 'get_snapshot get_all_snapshots'],
  ['manila/policies/share_snapshot.py', ADMIN, 'share_snapshot:', 'reset_status'],
  ['manila/policies/share_type.py', READER, 'share_type:', 'index show default'],
  [
    'manila/policies/share_type.py',
    ADMIN,
    'share_type:',
    'create update delete list_project_access add_project_access',
  ],
  [
    'manila/policies/share_types_extra_spec.py',
    ADMIN,
    'share_types_extra_spec:',
    'create show index update delete',
  ],
  ['manila/policies/shares.py', READER, 'share:', 'get get_all get_share_metadata access_get access_get_all'],
  [
    'manila/policies/shares.py',
    MEMBER,
    'share:',
    `create delete update extend shrink soft_delete restore create_snapshot delete_snapshot snapshot_update
     update_share_metadata delete_share_metadata allow_access deny_access`,
  ],
  [
    'manila/policies/shares.py',
    ADMIN,
    'share:',
    `create_public_share set_public_share force_delete reset_status reset_task_state unmanage
     migration_start migration_complete migration_cancel migration_get_progress`,
  ],
  // Keystone
  ['keystone/common/policies/auth.py', ANYBODY, 'identity:', 'get_auth_catalog get_auth_projects'],
  ['keystone/common/policies/domain.py', ADMIN_OR_PROJECT, 'identity:', 'get_domain'],
  [
    'keystone/common/policies/grant.py',
    ADMIN,
    'identity:',
    'check_grant list_grants create_grant revoke_grant',
  ],
  ['keystone/common/policies/group.py', ADMIN, 'identity:', 'list_groups'],
  [
    'keystone/common/policies/group.py',
    'role:admin or user_id:%(target.user.id)s',
    'identity:',
    'list_groups_for_user',
  ],
  [
    'keystone/common/policies/project.py',
    ADMIN,
    'identity:',
    'list_projects create_project update_project delete_project',
  ],
  [
    'keystone/common/policies/project.py',
    'role:admin or project_id:%(target.project.id)s',
    'identity:',
    'get_project',
  ],
  [
    'keystone/common/policies/project.py',
    'role:admin or user_id:%(target.user.id)s',
    'identity:',
    'list_user_projects',
  ],
  ['keystone/common/policies/role.py', ADMIN, 'identity:', 'list_roles get_role create_role delete_role'],
  ['keystone/common/policies/role_assignment.py', ADMIN, 'identity:', 'list_role_assignments'],
  ['keystone/common/policies/user.py', ADMIN, 'identity:', 'list_users create_user update_user delete_user'],
  ['keystone/common/policies/user.py', 'role:admin or user_id:%(target.user.id)s', 'identity:', 'get_user'],
  [
    'keystone/common/policies/application_credential.py',
    ADMIN_OR_OWNER_USER,
    'identity:',
    'get_application_credential list_application_credentials delete_application_credential',
  ],
  [
    'keystone/common/policies/application_credential.py',
    OWNER_USER,
    'identity:',
    'create_application_credential',
  ],
  [
    'keystone/common/policies/token.py',
    'role:admin or user_id:%(target.token.user_id)s',
    'identity:',
    'check_token revoke_token',
  ],
  [
    'keystone/common/policies/token.py',
    'role:admin or role:service or user_id:%(target.token.user_id)s',
    'identity:',
    'validate_token',
  ],
]

/** Where upstream asks no policy: what it does instead. */
const NO_POLICY_UPSTREAM: Table = {
  'limits:index': 'Manila asks nobody: the limits are those of the project of the token.',
  'os_compute_api:flavors':
    'Nova asks nobody; flavors that are not public are only for projects with access.',
  'share:create:only_host': 'Manila asks its rule context_is_host_admin, which is an admin.',
  'identity:change_password':
    'Keystone asks for the old password alone; here it must be the own one besides.',
}

const NO_PROJECT =
  'The list is that of the caller, so no projects are compared; upstream finds that no project equals no project.'

/** Where Berth's rule is another one, and why. */
const DIFFERENT: Table = {
  'identity:get_domain':
    'There is one domain, named in every token; upstream wants a token of a project in it.',
  get_images: NO_PROJECT,
  get_metadef_namespaces: NO_PROJECT,
  list_metadef_resource_types: NO_PROJECT,
}

/** Rules of older releases, which hold beside the new ones with `rbac` = `legacy`. */
const OLDER: readonly (readonly [rule: string, names: string])[] = [
  [ADMIN_OR_SERVICE, 'placement:reshaper:reshape'],
  [
    ADMIN_OR_PROJECT,
    `os_compute_api:os-flavor-access os_compute_api:os-flavor-extra-specs:index
     os_compute_api:os-flavor-extra-specs:show os_compute_api:os-server-groups:index
     os_compute_api:os-server-groups:show os_compute_api:os-server-groups:create
     os_compute_api:os-server-groups:delete os_compute_api:os-quota-sets:show
     os_compute_api:os-quota-sets:detail os_compute_api:os-simple-tenant-usage:show
     os_compute_api:os-instance-actions:list os_compute_api:os-volumes-attachments:index
     os_compute_api:servers:index os_compute_api:servers:detail os_compute_api:servers:show
     os_compute_api:servers:show:flavor-extra-specs security_service:index security_service:detail
     share_group:get_all share_group_snapshot:get_all share_group_type:index share_network:index
     share_network:detail
     availability_zone:index message:get message:get_all message:delete quota_set:show
     share:get_all share_snapshot:get_all_snapshots share_type:default share_type:index
     share_type:show`,
  ],
  [
    ANYBODY,
    `get_images get_metadef_namespaces list_metadef_resource_types get_metadef_namespace get_metadef_object
     get_metadef_objects get_metadef_property get_metadef_properties get_metadef_tag get_metadef_tags
     get_metadef_resource_type`,
  ],
]

const words = (text: string): string[] => text.split(/\s+/)

function upstreamRules(): Map<string, string> {
  const found = new Map<string, string>()
  for (const [file, rule, prefix, names] of UPSTREAM)
    for (const name of words(names).map(one => `${prefix}${one === '~' ? '' : one}`)) {
      expect(found.has(name), `${name} of ${file} is there twice`).toBe(false)
      found.set(name, rule)
    }
  return found
}

const policyWith = (rules: ReadonlyMap<string, string>): Policy =>
  compilePolicy(
    'secure',
    [...rules].map(([name, rule], at) => ({ name, rule, line: at + 1 })),
  )

/** How far each role gets, with a project and without. */
const reaches = (policy: Policy, operation: string) =>
  Object.fromEntries(
    Object.entries(ROLES).map(([role, roles]) => [
      role,
      [reach(policy, operation, roles), reach(policy, operation, roles, null)],
    ]),
  )

const ours = operations.map(({ name }) => name).filter(name => !name.startsWith('berth:'))
const upstream = upstreamRules()

describe("upstream's defaults", () => {
  test('every operation of an OpenStack API is compared, and nothing is that does not exist', () => {
    const compared = [...upstream.keys(), ...Object.keys(NO_POLICY_UPSTREAM)]
    expect(compared.toSorted()).toEqual(ours.toSorted())
    for (const name of Object.keys(DIFFERENT)) expect(upstream.has(name)).toBe(true)
  })

  test('are those of Berth, but for differences with a reason', () => {
    const [berth, theirs] = [compilePolicy('secure'), policyWith(upstream)]
    for (const name of upstream.keys())
      if (DIFFERENT[name] === undefined)
        expect({ name, ...reaches(berth, name) }).toEqual({ name, ...reaches(theirs, name) })
      else expect({ name, ...reaches(berth, name) }).not.toEqual({ name, ...reaches(theirs, name) })
  })

  test('of older releases grant no more with legacy than upstream does', () => {
    const older = new Map(OLDER.flatMap(([rule, names]) => words(names).map(name => [name, rule] as const)))
    expect([...older.keys()].toSorted()).toEqual(
      operations
        .flatMap(({ name, olderRule }) => (olderRule === null || name.startsWith('berth:') ? [] : [name]))
        .toSorted(),
    )
    const both = new Map([...older].map(([name, rule]) => [name, `(${upstream.get(name)}) or (${rule})`]))
    const [berth, theirs] = [compilePolicy('legacy'), policyWith(both)]
    for (const name of older.keys())
      for (const roles of Object.values(ROLES)) {
        const [mine, most] = [reach(berth, name, roles), reach(theirs, name, roles)]
        expect(most === 'all' || most.split('+').includes(mine) || mine === '-', `${name}: ${mine}`).toBe(
          true,
        )
      }
  })

  test('a role that means nothing gets no further than no role', () => {
    const policy = compilePolicy('secure')
    for (const name of ours)
      expect([name, reach(policy, name, ['dancer'])]).toEqual([name, reach(policy, name, [])])
  })
})
