/**
 * Valid requests by route, for mutations to start from. `$kind` stands for something that exists, `$name` and
 * `$uuid` for something new, `$generation` for the generation of the provider in the path.
 */
const inventory = { total: 64, reserved: 0, min_unit: 1, max_unit: 64, step_size: 1, allocation_ratio: 2.0 }
const allocations = {
  allocations: { $provider: { resources: { VCPU: 1 } } },
  project_id: 'p',
  user_id: 'u',
  consumer_generation: null,
  consumer_type: 'INSTANCE',
}
const flavor = { name: '$name', ram: 128, vcpus: 1, disk: 1 }
const property = { name: '$property', title: 'T', type: 'string', operators: ['<or>'], enum: ['a', 'b'] }
const object = {
  name: '$object',
  description: 'd',
  properties: { p: { title: 'P', type: 'integer', minimum: 0 } },
}
const quotas = { shares: 10, gigabytes: 1000, snapshots: 10, force: true }
const user = { name: '$name', password: 'secret', email: 'a@b' }
const specs = {
  'hw:cpu_policy': 'dedicated',
  'trait:CUSTOM_FAST': 'required',
  'resources:VCPU': '1',
  rack: '<or> a <or> b',
}
const definition = {
  namespace: '$name',
  visibility: 'public',
  resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'x:' }],
  properties: { tier: { title: 'Tier', type: 'string' } },
  objects: [object],
  tags: [{ name: 't' }],
}

const placement: Readonly<Record<string, readonly unknown[]>> = {
  'POST /resource_classes': [{ name: 'CUSTOM_$upper' }],
  'PUT /resource_classes/{name}': [{ name: 'CUSTOM_$upper' }, null],
  'PUT /traits/{name}': [null],
  'PUT /resource_providers/{uuid}/traits': [
    { resource_provider_generation: '$generation', traits: ['CUSTOM_FAST', '$trait'] },
  ],
  'POST /resource_providers': [
    { name: '$name', uuid: '$uuid' },
    { name: '$name', uuid: '$uuid', parent_provider_uuid: '$provider' },
  ],
  'PUT /resource_providers/{uuid}': [{ name: '$name' }, { name: '$name', parent_provider_uuid: '$provider' }],
  'PUT /resource_providers/{uuid}/inventories': [
    {
      resource_provider_generation: '$generation',
      inventories: { VCPU: inventory, MEMORY_MB: { total: 65536 }, DISK_GB: { total: 1000 } },
    },
  ],
  'POST /resource_providers/{uuid}/inventories': [
    { resource_provider_generation: '$generation', resource_class: '$class', ...inventory },
  ],
  'PUT /resource_providers/{uuid}/inventories/{resource_class}': [
    { resource_provider_generation: '$generation', ...inventory },
  ],
  'PUT /resource_providers/{uuid}/aggregates': [
    { resource_provider_generation: '$generation', aggregates: ['00000000-0000-4000-8000-00000000000a'] },
    ['00000000-0000-4000-8000-00000000000a'],
  ],
  'PUT /allocations/{consumer_uuid}': [allocations, { ...allocations, mappings: { '': ['$provider'] } }],
  'POST /allocations': [{ $consumer: allocations, $uuid: allocations }],
  'POST /reshaper': [
    {
      inventories: {
        $provider: { resource_provider_generation: '$generation', inventories: { VCPU: inventory } },
      },
      allocations: { $consumer: allocations },
    },
  ],
}

const compute: Readonly<Record<string, readonly unknown[]>> = {
  'POST /flavors': [
    { flavor },
    { flavor: { ...flavor, id: '$uuid', swap: 0, rxtx_factor: 1.5, 'os-flavor-access:is_public': false } },
  ],
  'PUT /flavors/{flavor_id}': [{ flavor: { description: 'for everybody' } }],
  'POST /flavors/{flavor_id}/os-extra_specs': [{ extra_specs: specs }],
  'PUT /flavors/{flavor_id}/os-extra_specs/{key}': [{ $key: 'large' }],
  'POST /flavors/{flavor_id}/action': [
    { addTenantAccess: { tenant: '$project' } },
    { removeTenantAccess: { tenant: '$project' } },
  ],
  'POST /os-aggregates': [{ aggregate: { name: '$name', availability_zone: 'zone-1' } }],
  'PUT /os-aggregates/{aggregate_id}': [{ aggregate: { name: '$name' } }],
  'POST /os-aggregates/{aggregate_id}/action': [
    { add_host: { host: '$host' } },
    { remove_host: { host: '$host' } },
    { set_metadata: { metadata: { rack: 'a', 'class:key': '<in> x', gone: null } } },
  ],
  'POST /os-aggregates/{aggregate_id}/images': [{ cache: [{ id: '$uuid' }] }],
  'POST /os-server-groups': [
    { server_group: { name: '$name', policy: 'anti-affinity', rules: { max_server_per_host: 2 } } },
    { server_group: { name: '$name', policies: ['affinity'] } },
  ],
  'PUT /os-services/{service_id}': [
    { status: 'disabled', disabled_reason: 'fuzz', forced_down: false },
    { status: 'enabled' },
    { host: '$host', binary: 'nova-compute', disabled_reason: 'why' },
  ],
  'PUT /os-hosts/{host}': [{ status: 'enable', maintenance_mode: 'disable' }],
}

const image: Readonly<Record<string, readonly unknown[]>> = {
  'POST /v2/metadefs/namespaces': [definition, { namespace: '$name', display_name: 'D', protected: false }],
  'PUT /v2/metadefs/namespaces/{namespace}': [
    { namespace: '$namespace', description: 'other', visibility: 'public' },
  ],
  'POST /v2/metadefs/namespaces/{namespace}/properties': [property],
  'PUT /v2/metadefs/namespaces/{namespace}/properties/{property}': [property],
  'POST /v2/metadefs/namespaces/{namespace}/objects': [object],
  'PUT /v2/metadefs/namespaces/{namespace}/objects/{object}': [object],
  'POST /v2/metadefs/namespaces/{namespace}/tags': [{ tags: [{ name: 'a' }, { name: '$tag' }] }],
  'POST /v2/metadefs/namespaces/{namespace}/tags/{tag}': [null],
  'PUT /v2/metadefs/namespaces/{namespace}/tags/{tag}': [{ name: '$name' }],
  'POST /v2/metadefs/namespaces/{namespace}/resource_types': [
    { name: 'OS::Nova::Flavor', prefix: 'x:', properties_target: 'image' },
  ],
}

const share: Readonly<Record<string, readonly unknown[]>> = {
  'POST /shares': [
    { share: { share_proto: 'NFS', size: 1, name: '$name', metadata: { a: 'b' } } },
    { share: { share_proto: 'NFS', size: '2', snapshot_id: '$snapshot' } },
    {
      share: {
        share_proto: 'NFS',
        size: 1,
        scheduler_hints: { different_host: '$share' },
        share_type: '$type',
      },
    },
    { share: { share_proto: 'NFS', size: 1, availability_zone: 'nova', is_public: true } },
  ],
  'PUT /shares/{share_id}': [{ share: { display_name: '$name', display_description: 'd', is_public: true } }],
  'POST /shares/{share_id}/action': [
    { extend: { new_size: 2 } },
    { shrink: { new_size: 1 } },
    { 'os-extend': { new_size: 3 } },
    { reset_status: { status: 'available' } },
    { reset_task_state: { task_state: null } },
    { force_delete: null },
    { soft_delete: null },
    { restore: null },
    {
      migration_start: {
        host: '$pool',
        writable: false,
        nondisruptive: false,
        preserve_metadata: false,
        preserve_snapshots: false,
      },
    },
    { migration_complete: null },
    { migration_cancel: null },
    { migration_get_progress: null },
    { allow_access: { access_type: 'ip', access_to: '10.0.0.1' } },
    { revert: { snapshot_id: '$snapshot' } },
  ],
  'POST /shares/{share_id}/metadata': [{ metadata: { key: 'value', other: 'x' } }],
  'PUT /shares/{share_id}/metadata': [{ metadata: { key: 'value' } }],
  'PUT /shares/{share_id}/metadata/{key}': [{ meta: { $key: 'value' } }],
  'PUT /share-access-rules/{access_id}/metadata': [{ metadata: { key: 'value' } }],
  'POST /snapshots': [{ snapshot: { share_id: '$share', name: '$name', force: 'false' } }],
  'PUT /snapshots/{snapshot_id}': [{ snapshot: { display_name: '$name' } }],
  'POST /snapshots/{snapshot_id}/action': [{ reset_status: { status: 'available' } }, { force_delete: null }],
  'POST /types': [
    {
      share_type: {
        name: '$name',
        'share_type_access:is_public': true,
        extra_specs: { driver_handles_share_servers: 'False', snapshot_support: 'True' },
      },
    },
  ],
  'PUT /types/{type_id}': [{ share_type: { name: '$name', description: 'd' } }],
  'POST /types/{type_id}/extra_specs': [
    { extra_specs: { share_backend_name: 'alpha', qos: '<or> a <or> b' } },
  ],
  'PUT /types/{type_id}/extra_specs/{key}': [{ $key: 'value' }],
  'POST /types/{type_id}/action': [
    { addProjectAccess: { project: '$project' } },
    { removeProjectAccess: { project: '$project' } },
  ],
  'PUT /services/{action}': [{ host: 'farm@alpha', binary: 'manila-share' }],
  'PUT /os-services/{action}': [{ host: 'farm@alpha', binary: 'manila-share' }],
  'PUT /quota-sets/{project}': [{ quota_set: quotas }],
  'PUT /os-quota-sets/{project}': [{ quota_set: quotas }],
  'PUT /quota-class-sets/{class}': [{ quota_class_set: { shares: 50 } }],
  'PUT /os-quota-class-sets/{class}': [{ quota_class_set: { shares: 50 } }],
}

const identity: Readonly<Record<string, readonly unknown[]>> = {
  'POST /v3/auth/tokens': [
    {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'admin', domain: { id: 'default' }, password: 'wrong' } },
        },
        scope: { project: { name: 'admin', domain: { name: 'Default' } } },
      },
    },
    { auth: { identity: { methods: ['token'], token: { id: '$mytoken' } }, scope: 'unscoped' } },
    {
      auth: {
        identity: {
          methods: ['application_credential'],
          application_credential: { id: '$credential', secret: 'wrong' },
        },
      },
    },
  ],
  'POST /v3/users': [{ user }, { user: { ...user, default_project_id: '$project', enabled: true } }],
  'PATCH /v3/users/{user_id}': [{ user: { name: '$name', enabled: false } }, { user: { email: 'x@y' } }],
  'POST /v3/users/{user_id}/password': [{ user: { password: 'other', original_password: 'secret' } }],
  'POST /v3/projects': [{ project: { name: '$name', description: 'd', domain_id: 'default' } }],
  'PATCH /v3/projects/{project_id}': [{ project: { name: '$name', enabled: true } }],
  'POST /v3/roles': [{ role: { name: '$name' } }],
  'PUT /v3/projects/{project_id}/users/{user_id}/roles/{role_id}': [null],
  'POST /v3/users/{user_id}/application_credentials': [
    {
      application_credential: {
        name: '$name',
        roles: [{ name: 'reader' }],
        expires_at: '2099-01-01T00:00:00Z',
      },
    },
    { application_credential: { name: '$name', unrestricted: true } },
  ],
}

const server = { flavor: '$flavor', count: 1, seed: 1, alternates: 1 }
const groups = { '': { resources: { VCPU: 1, MEMORY_MB: 64 } }, _A: { resources: { DISK_GB: 1 } } }
const shareFarm = {
  host: 'farm',
  backends: [{ name: 'delta', pools: [{ name: 'p', total_gb: 10 }] }],
  share_types: [{ name: 'declared', extra_specs: {} }],
}
const provider = {
  uuid: '$uuid',
  name: '$name',
  generation: 1,
  parent_provider_uuid: null,
  aggregates: [],
  inventories: { VCPU: inventory },
  traits: ['CUSTOM_FAST'],
}
const consumer = {
  uuid: '$uuid',
  generation: 1,
  project_id: 'p',
  user_id: 'u',
  consumer_type: 'INSTANCE',
  allocations: { $provider: { resources: { VCPU: 1 } } },
}

/** In addition to those from schemas. A list of lines where the body is lines. */
const v1: Readonly<Record<string, readonly unknown[]>> = {
  'POST /schedule': [
    server,
    { groups, group_policy: 'none' },
    { ...server, dry_run: true, server_group: '$group' },
  ],
  'POST /move': [{ instance: '$consumer' }, { instance: '$consumer', flavor: '$flavor', keep_source: true }],
  'POST /rebuild': [{ instance: '$consumer', image: { id: 'i', properties: { hw_architecture: 'x86_64' } } }],
  'POST /explain/schedule': [server, { groups }, { ...server, hints: { query: '["=", "$free_ram_mb", 1]' } }],
  'POST /explain/share': [{ size: 1, different_host: ['$share'] }],
  'POST /simulate': [server, { groups }],
  'POST /flavors/query': [{ flavor: '$flavor' }],
  'POST /filters/{name}/evaluate': [
    { items: [{ extra_specs: specs, aggregates: [{ rack: 'a' }], host: { name: 'h', free_ram_mb: 1 } }] },
    { items: [{ hints: { query: '["and", [">=", "$free_ram_mb", 1], ["in", "$host", "a"]]' } }] },
  ],
  'POST /weighers/evaluate': [
    {
      items: [
        {
          hosts: [
            { name: 'a', free_ram_mb: 1 },
            { name: 'b', free_ram_mb: 2 },
          ],
        },
      ],
    },
  ],
  'POST /operators/match': [{ dialect: 'nova', items: [{ value: '4', requirement: '>= 4' }] }],
  'POST /operators/parse': [{ dialect: 'manila', texts: ['<or> a <or> b', '<all-in> x y'], repair: true }],
  'POST /operators/format': [
    { dialect: 'nova', forms: [{ kind: 'operator', operator: '<in>', operands: ['a'] }] },
  ],
  'POST /import': [[{ trait: { name: 'CUSTOM_$upper' } }, { provider }, { consumer }]],
  'POST /hosts': [{ name: '$name', inventories: { VCPU: { total: 8 } }, traits: ['CUSTOM_FAST'] }],
  'PUT /hosts/{name}': [
    { disabled: true, disabled_reason: 'x' },
    { capabilities: { hypervisor_type: 'QEMU' } },
  ],
  'POST /apply': [
    {
      hosts: [{ name: '$name', inventories: { VCPU: { total: 8 } } }],
      flavors: [{ ...flavor, extra_specs: specs }],
      aggregates: [{ name: '$name', metadata: { a: 'b' }, hosts: ['$host'] }],
    },
    { shares: shareFarm },
  ],
  'POST /catalog/import': [definition, { definitions: [definition] }],
  'POST /catalog/check': [{ resource_type: 'OS::Nova::Flavor', specs }],
  'POST /catalog/drift': [
    { flavors: [{ name: 'f', extra_specs: specs }], aggregates: [{ name: 'a', metadata: { a: 'b' } }] },
  ],
  'POST /tokens': [{ name: '$name', token_sha256: '$sha256', roles: ['reader'], expires_in_s: 60 }],
}

/** Meaningful queries; those of /v1 come from their schemas. */
const queries: Readonly<Record<string, readonly string[]>> = {
  'GET /placement/allocation_candidates': [
    'resources=VCPU:1,MEMORY_MB:64&limit=5',
    'resources1=VCPU:1&resources2=VCPU:1&group_policy=isolate&required1=CUSTOM_FAST',
    'resources=VCPU:1&required=in:CUSTOM_FAST,HW_CPU_X86_AVX&member_of=!00000000-0000-4000-8000-00000000000a',
    'resources=VCPU:1&in_tree=$provider&root_required=!CUSTOM_FAST',
    'resources_A=VCPU:1&resources_B=DISK_GB:1&same_subtree=_A,_B&group_policy=none',
  ],
  'GET /placement/resource_providers': [
    'name=a',
    'resources=VCPU:1',
    'in_tree=$provider',
    'member_of=in:a,b&required=CUSTOM_FAST',
  ],
  'GET /placement/usages': ['project_id=p', 'project_id=p&user_id=u&consumer_type=INSTANCE'],
  'GET /placement/traits': ['name=startswith:CUSTOM', 'associated=true', 'name=in:CUSTOM_FAST'],
  'GET /compute/v2.1/flavors': [
    'limit=2&marker=$flavor',
    'sort_key=name&sort_dir=desc&minRam=1&is_public=None',
  ],
  'GET /compute/v2.1/flavors/detail': ['limit=2', 'minDisk=1'],
  'GET /compute/v2.1/os-hypervisors': ['limit=2', 'hypervisor_hostname_pattern=a&with_servers=true'],
  'GET /compute/v2.1/os-server-groups': ['all_projects=True&limit=1&offset=1'],
  'GET /compute/v2.1/os-services': ['binary=nova-compute&host=$host'],
  'DELETE /compute/v2.1/os-services/{service_id}': [''],
  'GET /image/v2/metadefs/namespaces': [
    'limit=3&marker=$namespace',
    'visibility=public&sort_key=namespace',
    'resource_types=OS::Nova::Flavor',
  ],
  'GET /image/v2/metadefs/namespaces/{namespace}/tags': ['limit=2&sort_dir=asc'],
  'GET /image/v2/metadefs/namespaces/{namespace}': ['resource_type=OS::Nova::Flavor'],
  'GET /share/v2/shares': [
    'all_tenants=1&limit=2&offset=1',
    "metadata={'a': 'b'}",
    'name~=a&sort_key=size&sort_dir=asc',
    'with_count=True',
  ],
  'GET /share/v2/shares/detail': ['status=available', 'share_type_id=$type', 'host=$pool', 'is_public=True'],
  'GET /share/v2/snapshots': ['limit=1', 'share_id=$share', 'all_tenants=1'],
  'GET /share/v2/scheduler-stats/pools': [
    'host=farm&backend=.*&pool=p',
    'share_type=$type',
    'capabilities=x',
  ],
  'GET /share/v2/types': ['is_public=all', "extra_specs={'snapshot_support': 'True'}"],
  'GET /share/v2/messages': ['limit=1&sort_key=created_at', 'resource_id=$share'],
  'GET /share/v2/quota-sets/{project}': ['share_type=$type', 'user_id=u'],
  'GET /identity/v3/users': ['name=a&enabled=true', 'domain_id=default'],
  'GET /identity/v3/projects': ['name=a', 'limit=1'],
  'GET /identity/v3/roles': ['name=reader'],
  'GET /identity/v3/role_assignments': [
    'user.id=$user&effective',
    'scope.project.id=$project&include_names=true',
  ],
  'GET /v1/explain/allocation_candidates': ['resources=VCPU:1', 'resources=VCPU:100000&required=CUSTOM_FAST'],
}

const ROOTS: Readonly<Record<string, readonly [string, Readonly<Record<string, readonly unknown[]>>]>> = {
  placement: ['/placement', placement],
  compute: ['/compute/v2.1', compute],
  image: ['/image', image],
  share: ['/share/v2', share],
  identity: ['/identity', identity],
  v1: ['/v1', v1],
}

/** May contain null: a request without a body. Undefined: there is no example. */
export function bodiesFor(method: string, path: string): readonly unknown[] | undefined {
  const [, service = ''] = path.split('/')
  const [root, bodies] = ROOTS[service] ?? ['', {}]
  const rest = path.slice(root.length).replace(/^\/\{project_id\}/, '')
  return bodies[`${method} ${rest}`]
}

export const queriesFor = (method: string, path: string): readonly string[] =>
  queries[`${method} ${path.replace(/^(\/(?:compute\/v2\.1|share\/v2))\/\{project_id\}/, '$1')}`] ?? []
