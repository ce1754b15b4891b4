/**
 * Every operation that the policy is asked about, under OpenStack's name where there is one, with its rule. One line
 * makes an operation known; the golden file beside this one shows what it means for every role.
 */
interface Operation {
  readonly name: string
  readonly what: string
  readonly rule: string
  /** The rule of older releases, which also holds while `rbac` is `legacy`. */
  readonly olderRule: string | null
}

/** Rules that others refer to. */
export const namedRules: Readonly<Record<string, string>> = {
  context_is_admin: 'role:admin',
  admin_required: 'role:admin',
  admin_api: 'role:admin',
  service_api: 'role:service',
  admin_or_service_api: 'role:admin or role:service',
  project_reader_api: 'role:reader and project_id:%(project_id)s',
  project_member_api: 'role:member and project_id:%(project_id)s',
  project_reader_or_admin: 'rule:project_reader_api or rule:context_is_admin',
  project_member_or_admin: 'rule:project_member_api or rule:context_is_admin',
  admin_or_owner: 'is_admin:True or project_id:%(project_id)s',
  owner: 'user_id:%(user_id)s',
  own_or_public: "project_id:%(project_id)s or 'public':%(visibility)s",
}

type Texts = Readonly<Record<string, string>>

const describeAll = (rule: string, texts: Texts, olderRule: string | null = null): Operation[] =>
  Object.entries(texts).map(([name, what]) => ({ name, what, rule, olderRule }))

const EVERYBODY = '@'
const NOBODY = '!'

const berth: readonly Operation[] = [
  ...describeAll('rule:admin_or_service_api', {
    'berth:attention': 'See what needs attention',
    'berth:catalog:drift': 'List metadata that does not match the catalog',
    'berth:changes': 'Follow every change',
    'berth:decisions': 'List and replay decisions',
    'berth:explain:hosts': 'See hosts in an explanation',
    'berth:export': 'Export the whole cloud',
    'berth:flavors:query': 'Show the Placement query of a flavor',
    'berth:fleet': 'Read all providers at once',
    'berth:history': 'See usage over time, and forecasts',
    'berth:hosts': 'List and show hosts',
    'berth:import': 'Import a whole cloud',
    'berth:reconcile': 'Show what a comparison with Nova found',
    'berth:shadow': 'See how Berth and the Placement that it shadows compare',
    'berth:schedule': 'Schedule, move and rebuild servers',
    'berth:simulate': 'Simulate: what fits, now and after changes',
    'berth:verify': 'Compare memory with the store',
  }),
  // These compute for the caller, so a token without a project or a role may not.
  ...describeAll('rule:admin_or_service_api or rule:project_reader_api', {
    'berth:catalog:check': 'Check specs against the catalog',
    'berth:explain': 'Explain why a request fits, or does not',
    'berth:filters': 'List filters and weighers, and try them',
    'berth:operators': 'Try the operators of extra specs',
  }),
  ...describeAll('rule:project_reader_or_admin', {
    'berth:project': 'Show the servers of a project, what it uses and may use',
    'berth:project:fit': 'Count how many more servers a project could get',
  }),
  ...describeAll(NOBODY, {
    'berth:explain:boot:own': 'Explain boots of the own project, without hosts',
  }),
  ...describeAll(EVERYBODY, {
    'berth:openapi': 'Read the description of the API',
    'berth:policy:roles': 'See which roles an operation needs',
    'berth:whoami': 'Show the caller and what it may do',
  }),
  ...describeAll('rule:context_is_admin', {
    'berth:accounts': 'See where users are, and what the server knows of them',
    'berth:activity': 'Read what changed, by whom, in words',
    'berth:apply': 'Apply a file of hosts, flavors and aggregates',
    'berth:audit': 'Read the audit log',
    'berth:backup': 'Copy the whole database, with the hashes of passwords',
    'berth:catalog:import': 'Import definitions into the catalog',
    'berth:changes:projects': 'Follow changes of all projects',
    'berth:credentials': 'List the application credentials of users',
    'berth:hosts:write': 'Add, change and remove hosts',
    'berth:policy': 'Read the policy in force',
    'berth:projects': 'List all projects, and what each uses and may use',
    'berth:pull': 'Pull from a cloud, and see what belongs to clouds',
    'berth:shadow:set': 'Switch between Berth and the Placement that it shadows',
    'berth:standard-traits': 'Add standard traits that are newer than this version',
    'berth:tokens': 'Create, list and revoke static tokens',
    'berth:tokens:users': 'List and revoke tokens of users',
  }),
  ...describeAll(
    'rule:context_is_admin or role:reader',
    { 'berth:catalog:export': 'Export definitions of the catalog' },
    EVERYBODY,
  ),
]

const placement: readonly Operation[] = [
  ...describeAll('rule:admin_or_service_api', {
    'placement:allocation_candidates:list': 'List allocation candidates',
    'placement:allocations:delete': 'Delete the allocations of a consumer',
    'placement:allocations:list': 'Show the allocations of a consumer',
    'placement:allocations:manage': 'Replace the allocations of several consumers',
    'placement:allocations:update': 'Replace the allocations of a consumer',
    'placement:resource_classes:create': 'Create a resource class',
    'placement:resource_classes:delete': 'Delete a resource class',
    'placement:resource_classes:list': 'List resource classes',
    'placement:resource_classes:show': 'Show a resource class',
    'placement:resource_classes:update': 'Rename or ensure a resource class',
    'placement:resource_providers:aggregates:list': 'List the aggregates of a provider',
    'placement:resource_providers:aggregates:update': 'Replace the aggregates of a provider',
    'placement:resource_providers:allocations:list': 'List the allocations of a provider',
    'placement:resource_providers:create': 'Create a resource provider',
    'placement:resource_providers:delete': 'Delete a resource provider',
    'placement:resource_providers:inventories:create': 'Create an inventory of a provider',
    'placement:resource_providers:inventories:delete': 'Delete inventories of a provider',
    'placement:resource_providers:inventories:list': 'List the inventories of a provider',
    'placement:resource_providers:inventories:show': 'Show an inventory of a provider',
    'placement:resource_providers:inventories:update': 'Change inventories of a provider',
    'placement:resource_providers:list': 'List resource providers',
    'placement:resource_providers:show': 'Show a resource provider',
    'placement:resource_providers:traits:delete': 'Delete all traits of a provider',
    'placement:resource_providers:traits:list': 'List the traits of a provider',
    'placement:resource_providers:traits:update': 'Replace the traits of a provider',
    'placement:resource_providers:update': 'Change a resource provider',
    'placement:resource_providers:usages': 'Show how much of a provider is used',
    'placement:traits:delete': 'Delete a trait',
    'placement:traits:list': 'List traits',
    'placement:traits:show': 'Show a trait',
    'placement:traits:update': 'Create a trait',
  }),
  ...describeAll('rule:admin_or_service_api or rule:project_reader_api', {
    'placement:usages': 'Show how much a project uses',
  }),
  ...describeAll(
    'rule:service_api',
    { 'placement:reshaper:reshape': 'Change inventories and allocations in one request' },
    'rule:admin_or_service_api',
  ),
]

const COMPUTE = 'os_compute_api'

const compute: readonly Operation[] = [
  ...describeAll('rule:context_is_admin', {
    context_is_admin: 'Act as an admin, who sees the objects of all projects',
    'compute:aggregates:images': 'Cache images on the hosts of an aggregate',
    [`${COMPUTE}:os-aggregates:add_host`]: 'Add a host to an aggregate',
    [`${COMPUTE}:os-aggregates:create`]: 'Create a host aggregate',
    [`${COMPUTE}:os-aggregates:delete`]: 'Delete a host aggregate',
    [`${COMPUTE}:os-aggregates:index`]: 'List host aggregates',
    [`${COMPUTE}:os-aggregates:remove_host`]: 'Remove a host from an aggregate',
    [`${COMPUTE}:os-aggregates:set_metadata`]: 'Change the metadata of an aggregate',
    [`${COMPUTE}:os-aggregates:show`]: 'Show a host aggregate',
    [`${COMPUTE}:os-aggregates:update`]: 'Change name or zone of an aggregate',
    [`${COMPUTE}:os-availability-zone:detail`]: 'List zones with their hosts',
    [`${COMPUTE}:os-flavor-access:add_tenant_access`]: 'Give a project access to a flavor',
    [`${COMPUTE}:os-flavor-access:remove_tenant_access`]: 'Remove the access of a project to a flavor',
    [`${COMPUTE}:os-flavor-extra-specs:create`]: 'Set extra specs of a flavor',
    [`${COMPUTE}:os-flavor-extra-specs:delete`]: 'Delete an extra spec of a flavor',
    [`${COMPUTE}:os-flavor-extra-specs:update`]: 'Change an extra spec of a flavor',
    [`${COMPUTE}:os-flavor-manage:create`]: 'Create a flavor',
    [`${COMPUTE}:os-flavor-manage:delete`]: 'Delete a flavor',
    [`${COMPUTE}:os-flavor-manage:update`]: 'Change the description of a flavor',
    [`${COMPUTE}:limits:other_project`]: 'Show the limits of another project',
    [`${COMPUTE}:os-extended-server-attributes`]: 'Show on which host a server is',
    [`${COMPUTE}:os-hosts:list`]: 'List hosts',
    [`${COMPUTE}:os-hosts:reboot`]: 'Reboot a host',
    [`${COMPUTE}:os-hosts:show`]: 'Show a host',
    [`${COMPUTE}:os-hosts:shutdown`]: 'Shut a host down',
    [`${COMPUTE}:os-hosts:start`]: 'Start a host',
    [`${COMPUTE}:os-hosts:update`]: 'Enable or disable a host',
    [`${COMPUTE}:os-hypervisors:list`]: 'List hypervisors',
    [`${COMPUTE}:os-hypervisors:list-detail`]: 'List hypervisors with their figures',
    [`${COMPUTE}:os-hypervisors:search`]: 'Search hypervisors by name',
    [`${COMPUTE}:os-hypervisors:servers`]: 'List the servers of a hypervisor',
    [`${COMPUTE}:os-hypervisors:show`]: 'Show a hypervisor',
    [`${COMPUTE}:os-hypervisors:statistics`]: 'Show the statistics of all hypervisors',
    [`${COMPUTE}:os-hypervisors:uptime`]: 'Show the uptime of a hypervisor',
    [`${COMPUTE}:os-server-groups:index:all_projects`]: 'List server groups of all projects',
    [`${COMPUTE}:os-services:delete`]: 'Delete a compute service',
    [`${COMPUTE}:os-services:list`]: 'List compute services',
    [`${COMPUTE}:os-services:update`]: 'Enable, disable or force down a service',
    [`${COMPUTE}:os-simple-tenant-usage:list`]: 'Show the usage of all projects',
    [`${COMPUTE}:servers:allow_all_filters`]: 'List servers by any field',
    [`${COMPUTE}:servers:detail:get_all_tenants`]: 'List servers of all projects with details',
    [`${COMPUTE}:servers:index:get_all_tenants`]: 'List servers of all projects',
    [`${COMPUTE}:servers:show:host_status`]: 'Show the state of the host of a server',
  }),
  ...describeAll(EVERYBODY, {
    [`${COMPUTE}:flavors`]: 'List and show flavors',
    [`${COMPUTE}:limits`]: 'Show the limits of the project',
    [`${COMPUTE}:os-availability-zone:list`]: 'List availability zones',
    [`${COMPUTE}:os-quota-sets:defaults`]: 'Show the default quotas of servers',
  }),
  ...describeAll('rule:context_is_admin or user_id:%(user_id)s', {
    [`${COMPUTE}:os-keypairs:index`]: 'List key pairs (always empty)',
  }),
  ...describeAll(
    'rule:context_is_admin',
    { [`${COMPUTE}:os-flavor-access`]: 'List the projects that have access to a flavor' },
    'rule:admin_or_owner',
  ),
  ...describeAll(
    'rule:project_reader_or_admin',
    {
      [`${COMPUTE}:os-flavor-extra-specs:index`]: 'List the extra specs of a flavor',
      [`${COMPUTE}:os-flavor-extra-specs:show`]: 'Show an extra spec of a flavor',
      [`${COMPUTE}:os-instance-actions:list`]: 'List the actions on a server',
      [`${COMPUTE}:os-volumes-attachments:index`]: 'List the volumes of a server',
      [`${COMPUTE}:os-quota-sets:detail`]: 'Show the quotas of a project and what it uses',
      [`${COMPUTE}:os-quota-sets:show`]: 'Show the quotas of a project',
      [`${COMPUTE}:os-server-groups:index`]: 'List server groups',
      [`${COMPUTE}:os-server-groups:show`]: 'Show a server group',
      [`${COMPUTE}:os-simple-tenant-usage:show`]: 'Show the usage of a project',
      [`${COMPUTE}:servers:detail`]: 'List servers with details',
      [`${COMPUTE}:servers:index`]: 'List servers',
      [`${COMPUTE}:servers:show`]: 'Show a server',
      [`${COMPUTE}:servers:show:flavor-extra-specs`]: 'Show the extra specs of the flavor of a server',
    },
    'rule:admin_or_owner',
  ),
  ...describeAll(
    'rule:project_member_or_admin',
    {
      [`${COMPUTE}:os-server-groups:create`]: 'Create a server group',
      [`${COMPUTE}:os-server-groups:delete`]: 'Delete a server group',
    },
    'rule:admin_or_owner',
  ),
]

const catalog: readonly Operation[] = [
  ...describeAll('rule:context_is_admin', {
    add_metadef_namespace: 'Create a namespace',
    modify_metadef_namespace: 'Change a namespace',
    delete_metadef_namespace: 'Delete a namespace',
    add_metadef_object: 'Create an object',
    modify_metadef_object: 'Change an object',
    delete_metadef_object: 'Delete an object',
    add_metadef_property: 'Create a property',
    modify_metadef_property: 'Change a property',
    remove_metadef_property: 'Delete a property',
    add_metadef_tag: 'Create a tag',
    add_metadef_tags: 'Create tags',
    modify_metadef_tag: 'Rename a tag',
    delete_metadef_tag: 'Delete a tag',
    delete_metadef_tags: 'Delete all tags of a namespace',
    add_metadef_resource_type_association: 'Associate a resource type',
    remove_metadef_resource_type_association: 'Remove the association with a resource type',
  }),
  // These lists only contain the caller's own, so the project need not be compared.
  ...describeAll(
    'rule:context_is_admin or role:reader',
    {
      get_images: 'List images (always empty)',
      get_metadef_namespaces: 'List namespaces, public ones and those of the project',
      list_metadef_resource_types: 'List resource types',
    },
    EVERYBODY,
  ),
  ...describeAll(
    'rule:context_is_admin or (role:reader and rule:own_or_public)',
    {
      get_metadef_namespace: 'Show a namespace',
      get_metadef_object: 'Show an object',
      get_metadef_objects: 'List objects',
      get_metadef_property: 'Show a property',
      get_metadef_properties: 'List properties',
      get_metadef_tag: 'Show a tag',
      get_metadef_tags: 'List tags',
      get_metadef_resource_type: 'Show the resource types of a namespace',
    },
    'rule:context_is_admin or rule:own_or_public',
  ),
]

const shares: readonly Operation[] = [
  ...describeAll(EVERYBODY, { 'limits:index': 'Show the limits of the project' }),
  // The route checks the owner.
  ...describeAll('rule:project_reader_or_admin', {
    'quota_class_set:show': 'Show the default quotas',
    'share:get': 'Show a share',
    'share:get_share_metadata': 'Show the metadata of a share',
    'share:access_get': 'Show an access rule of a share, before 2.45',
    'share:access_get_all': 'List the access rules of a share, before 2.45',
    'share_access_rule:get': 'Show an access rule of a share',
    'share_access_rule:index': 'List the access rules of a share',
    'share_export_location:index': 'List the export locations of a share',
    'share_export_location:show': 'Show an export location of a share',
    'share_snapshot:get_snapshot': 'Show a snapshot',
  }),
  ...describeAll(
    'rule:project_reader_or_admin',
    {
      'availability_zone:index': 'List availability zones of back ends',
      'message:get': 'Show a user message',
      'message:get_all': 'List user messages',
      'quota_set:show': 'Show the quota of a project',
      'share:get_all': 'List shares',
      'security_service:detail': 'List security services in detail',
      'security_service:index': 'List security services',
      'share_group:get_all': 'List share groups',
      'share_group_snapshot:get_all': 'List snapshots of share groups',
      'share_group_type:index': 'List types of share groups',
      'share_network:detail': 'List share networks in detail',
      'share_network:index': 'List share networks',
      'share_snapshot:get_all_snapshots': 'List snapshots',
      'share_type:default': 'Show the default share type',
      'share_type:index': 'List share types',
      'share_type:show': 'Show a share type',
    },
    'rule:admin_or_owner',
  ),
  ...describeAll(
    'rule:project_member_or_admin',
    { 'message:delete': 'Delete a user message' },
    'rule:admin_or_owner',
  ),
  ...describeAll('rule:project_member_or_admin', {
    'share:allow_access': 'Add an access rule to a share',
    'share:create': 'Create a share',
    'share:create_snapshot': 'Create a snapshot',
    'share:delete': 'Delete a share',
    'share:delete_share_metadata': 'Delete metadata of a share',
    'share:delete_snapshot': 'Delete a snapshot',
    'share:deny_access': 'Delete an access rule of a share',
    'share:extend': 'Extend a share',
    'share:restore': 'Restore a soft-deleted share',
    'share:shrink': 'Shrink a share',
    'share:snapshot_update': 'Change name and description of a snapshot',
    'share:soft_delete': 'Soft-delete a share',
    'share:update': 'Change name and description of a share',
    'share:update_share_metadata': 'Change metadata of a share',
    'share_access_metadata:delete': 'Delete metadata of an access rule',
    'share_access_metadata:update': 'Change metadata of an access rule',
  }),
  ...describeAll('rule:context_is_admin', {
    'quota_class_set:update': 'Change the default quotas',
    'quota_set:delete': 'Reset the quota of a project to the default',
    'quota_set:update': 'Change the quota of a project',
    'scheduler_stats:pools:detail': 'List pools with their figures',
    'scheduler_stats:pools:index': 'List pools',
    'service:index': 'List share services',
    'service:update': 'Enable or disable a share service',
    'share:create:only_host': 'Create a share on a named pool',
    'share:create_public_share': 'Create a public share',
    'share:force_delete': 'Delete a share in any state',
    'share:migration_cancel': 'Cancel the migration of a share',
    'share:migration_complete': 'Complete the migration of a share',
    'share:migration_get_progress': 'Show the progress of a migration',
    'share:migration_start': 'Migrate a share',
    'share:reset_status': 'Set the state of a share',
    'share:reset_task_state': 'Set the task state of a share',
    'share:set_public_share': 'Make a share public',
    'share:unmanage': 'Remove a share from Berth and keep its files',
    'share_instance:index': 'List share instances',
    'share_server:index': 'List share servers',
    'share_snapshot:reset_status': 'Set the state of a snapshot',
    'share_type:add_project_access': 'Give a project access to a share type, or remove it',
    'share_type:create': 'Create a share type',
    'share_type:delete': 'Delete a share type',
    'share_type:list_project_access': 'List the projects that have access to a share type',
    'share_type:update': 'Change a share type',
    'share_types_extra_spec:create': 'Set extra specs of a share type',
    'share_types_extra_spec:delete': 'Delete an extra spec of a share type',
    'share_types_extra_spec:index': 'List the extra specs of a share type',
    'share_types_extra_spec:show': 'Show an extra spec of a share type',
    'share_types_extra_spec:update': 'Change an extra spec of a share type',
  }),
]

const identity: readonly Operation[] = [
  ...describeAll('rule:admin_required', {
    'identity:check_grant': 'Check whether a user has a role in a project',
    'identity:create_grant': 'Give a user a role in a project',
    'identity:create_project': 'Create a project',
    'identity:create_role': 'Create a role',
    'identity:create_user': 'Create a user',
    'identity:delete_project': 'Delete a project',
    'identity:delete_role': 'Delete a role',
    'identity:delete_user': 'Delete a user',
    'identity:get_role': 'Show a role',
    'identity:list_groups': 'List groups of users (always empty)',
    'identity:list_grants': 'List the roles of a user in a project',
    'identity:list_projects': 'List projects',
    'identity:list_role_assignments': 'List who has which role where',
    'identity:list_roles': 'List roles',
    'identity:list_users': 'List users',
    'identity:revoke_grant': 'Remove a role from a user',
    'identity:update_project': 'Change a project',
    'identity:update_user': 'Change a user',
  }),
  ...describeAll('rule:admin_required or project_id:%(target.project.id)s', {
    'identity:get_project': 'Show a project',
  }),
  ...describeAll('rule:admin_required or user_id:%(target.user.id)s', {
    'identity:get_user': 'Show a user',
    'identity:list_groups_for_user': 'List the groups of a user (always empty)',
    'identity:list_user_projects': 'List the projects of a user',
  }),
  ...describeAll('rule:admin_required or rule:owner', {
    'identity:delete_application_credential': 'Delete an application credential',
    'identity:get_application_credential': 'Show an application credential',
    'identity:list_application_credentials': 'List application credentials',
  }),
  ...describeAll('rule:owner', {
    'identity:change_password': 'Change one’s own password',
    'identity:create_application_credential': 'Create an application credential',
  }),
  ...describeAll('rule:admin_required or user_id:%(target.token.user_id)s', {
    'identity:check_token': 'Check whether a token is valid',
    'identity:revoke_token': 'Revoke a token',
  }),
  ...describeAll('rule:admin_or_service_api or user_id:%(target.token.user_id)s', {
    'identity:validate_token': 'Validate a token and show its user, project and roles',
  }),
  ...describeAll(EVERYBODY, {
    'identity:get_auth_catalog': 'Show the service catalog',
    'identity:get_auth_projects': 'List the projects of the caller',
    'identity:get_domain': 'Show the domain',
  }),
]

export const operations: readonly Operation[] = [
  ...berth,
  ...placement,
  ...compute,
  ...catalog,
  ...shares,
  ...identity,
]
