import { recordOf } from '../kernel/records.ts'
import { shadowSettings } from './shadow-tables.ts'
import { shareTables } from './share-tables.ts'
import {
  integer,
  nullable,
  type RowOf,
  real,
  reference,
  secretText,
  type Table,
  table,
  text,
} from './table.ts'

/** References to rows of these tables. */
const provider = reference('resource_providers', 'provider')
const resourceClass = reference('resource_classes', 'resource_class')
const trait = reference('traits', 'trait')
const aggregate = reference('aggregates', 'aggregate')
const consumer = reference('consumers', 'consumer')
const namespace = reference('metadef_namespaces', 'namespace')
const resourceType = reference('metadef_resource_types', 'resource_type')
const flavor = reference('flavors', 'flavor')
const hostAggregate = reference('host_aggregates', 'host_aggregate')
const serverGroup = reference('server_groups', 'server_group')
const user = reference('users', 'user')
const project = reference('projects', 'project')
const role = reference('roles', 'role')

/** `updated_at`: milliseconds since 1970 of the last write of the row. */

const resourceClasses = table(
  'resource_classes',
  { id: integer, name: text, updated_at: integer },
  ['id'],
  [['name']],
)

const traits = table('traits', { id: integer, name: text, updated_at: integer }, ['id'], [['name']])

const aggregates = table('aggregates', { id: integer, uuid: text }, ['id'], [['uuid']])

export const resourceProviders = table(
  'resource_providers',
  {
    id: integer,
    uuid: text,
    name: text,
    generation: integer,
    parent_id: nullable(reference('resource_providers', 'parent')),
    updated_at: integer,
  },
  ['id'],
  [['uuid'], ['name']],
)

const inventories = table(
  'inventories',
  {
    provider_id: provider,
    class_id: resourceClass,
    total: integer,
    reserved: integer,
    min_unit: integer,
    max_unit: integer,
    step_size: integer,
    allocation_ratio: real,
    updated_at: integer,
  },
  ['provider_id', 'class_id'],
)

const providerTraits = table('provider_traits', { provider_id: provider, trait_id: trait }, [
  'provider_id',
  'trait_id',
])

const providerAggregates = table('provider_aggregates', { provider_id: provider, aggregate_id: aggregate }, [
  'provider_id',
  'aggregate_id',
])

export const consumers = table(
  'consumers',
  {
    id: integer,
    uuid: text,
    generation: integer,
    project_id: text,
    user_id: text,
    consumer_type: nullable(text),
    updated_at: integer,
  },
  ['id'],
  [['uuid']],
)

export const allocations = table(
  'allocations',
  { consumer_id: consumer, provider_id: provider, class_id: resourceClass, used: integer },
  ['consumer_id', 'provider_id', 'class_id'],
)

/** The catalog. Numbers grow with age; `json_schema` and `required` are JSON as given. */

const metadefNamespaces = table(
  'metadef_namespaces',
  {
    id: integer,
    namespace: text,
    display_name: nullable(text),
    description: nullable(text),
    visibility: text,
    protected: integer,
    owner: text,
    applied_by: nullable(text),
    created_at: integer,
    updated_at: integer,
  },
  ['id'],
  [['namespace']],
)

const metadefResourceTypes = table(
  'metadef_resource_types',
  { id: integer, name: text, created_at: integer, updated_at: integer },
  ['id'],
  [['name']],
)

const metadefAssociations = table(
  'metadef_associations',
  {
    id: integer,
    namespace_id: namespace,
    resource_type_id: resourceType,
    prefix: nullable(text),
    properties_target: nullable(text),
    created_at: integer,
    updated_at: integer,
  },
  ['id'],
  [['namespace_id', 'resource_type_id']],
)

const metadefProperties = table(
  'metadef_properties',
  {
    id: integer,
    namespace_id: namespace,
    name: text,
    json_schema: text,
    created_at: integer,
    updated_at: integer,
  },
  ['id'],
  [['namespace_id', 'name']],
)

const metadefObjects = table(
  'metadef_objects',
  {
    id: integer,
    namespace_id: namespace,
    name: text,
    description: nullable(text),
    required: nullable(text),
    json_schema: nullable(text),
    created_at: integer,
    updated_at: integer,
  },
  ['id'],
  [['namespace_id', 'name']],
)

const metadefTags = table(
  'metadef_tags',
  { id: integer, namespace_id: namespace, name: text, created_at: integer, updated_at: integer },
  ['id'],
  [['namespace_id', 'name']],
)

/** The built-in namespaces that this store ever had: a missing one was deleted on purpose. */
const metadefBuiltins = table(
  'metadef_builtins',
  { id: integer, namespace: text, loaded_at: integer },
  ['id'],
  [['namespace']],
)

/**
 * Compute. Numbers grow with age. `applied_by` is the set of declarations that created a row and may delete it; only
 * `berth apply` sets it, and `berth pull`, with the name of a cloud (cloud-owned.ts). Without `updated_at`, the row was never changed.
 */

const flavors = table(
  'flavors',
  {
    id: integer,
    flavorid: text,
    name: text,
    memory_mb: integer,
    vcpus: integer,
    root_gb: integer,
    ephemeral_gb: integer,
    swap: integer,
    rxtx_factor: real,
    is_public: integer,
    description: nullable(text),
    applied_by: nullable(text),
    created_at: integer,
    updated_at: nullable(integer),
  },
  ['id'],
  [['flavorid'], ['name']],
)

const flavorExtraSpecs = table('flavor_extra_specs', { flavor_id: flavor, key: text, value: text }, [
  'flavor_id',
  'key',
])

/** The projects that may use a private flavor. */
const flavorAccess = table('flavor_access', { flavor_id: flavor, project_id: text }, [
  'flavor_id',
  'project_id',
])

/**
 * Settings of hosts. A host without settings has no row. `capabilities` is a JSON object. `is_down`: the service of a pulled cloud
 * does not report.
 */
const hosts = table(
  'hosts',
  {
    provider_id: provider,
    is_declared: integer,
    is_disabled: integer,
    disabled_reason: nullable(text),
    is_forced_down: integer,
    is_down: integer,
    capabilities: text,
    applied_by: nullable(text),
    created_at: integer,
    updated_at: nullable(integer),
  },
  ['provider_id'],
)

const hostAggregates = table(
  'host_aggregates',
  {
    id: integer,
    uuid: text,
    name: text,
    applied_by: nullable(text),
    created_at: integer,
    updated_at: nullable(integer),
  },
  ['id'],
  [['uuid'], ['name']],
)

/** The zone of an aggregate is in its metadata, as `availability_zone`. */
const hostAggregateMetadata = table(
  'host_aggregate_metadata',
  { aggregate_id: hostAggregate, key: text, value: text },
  ['aggregate_id', 'key'],
)

/** `made_member`: 1 if this also added the provider to the Placement aggregate of that uuid. */
const hostAggregateHosts = table(
  'host_aggregate_hosts',
  { aggregate_id: hostAggregate, provider_id: provider, made_member: integer },
  ['aggregate_id', 'provider_id'],
)

const serverGroups = table(
  'server_groups',
  {
    id: integer,
    uuid: text,
    name: text,
    policy: text,
    max_server_per_host: nullable(integer),
    project_id: text,
    user_id: text,
    applied_by: nullable(text),
    created_at: integer,
  },
  ['id'],
  [['uuid']],
)

/** A consumer is in at most one group, while it holds anything. */
const serverGroupMembers = table('server_group_members', { consumer_id: consumer, group_id: serverGroup }, [
  'consumer_id',
])

/**
 * The request of a server that was scheduled here, so that a move asks for the same; the decision that placed it, empty for a
 * server of a pulled cloud; and its name, if it was told.
 */
const serverRequests = table(
  'server_requests',
  {
    consumer_id: consumer,
    name: nullable(text),
    decision: text,
    request: text,
    applied_by: nullable(text),
  },
  ['consumer_id'],
)

/**
 * Identity. The API's id of a user or project is the `uuid` here, and need not be one. Only hashes of secrets are
 * stored.
 */

/** Tokens issued before `tokens_since` are invalid. */
const users = table(
  'users',
  {
    id: integer,
    uuid: text,
    name: text,
    password_hash: nullable(secretText),
    is_enabled: integer,
    default_project: nullable(text),
    description: nullable(text),
    email: nullable(text),
    tokens_since: integer,
    created_at: integer,
  },
  ['id'],
  [['uuid'], ['name']],
)

const projects = table(
  'projects',
  { id: integer, uuid: text, name: text, description: text, is_enabled: integer, created_at: integer },
  ['id'],
  [['uuid'], ['name']],
)

const roles = table(
  'roles',
  { id: integer, uuid: text, name: text, created_at: integer },
  ['id'],
  [['uuid'], ['name']],
)

const roleAssignments = table('role_assignments', { user_id: user, project_id: project, role_id: role }, [
  'user_id',
  'project_id',
  'role_id',
])

/** `roles` is a JSON array of names. */
const applicationCredentials = table(
  'application_credentials',
  {
    id: integer,
    uuid: text,
    user_id: user,
    project_id: project,
    name: text,
    description: nullable(text),
    secret_hash: secretText,
    roles: text,
    is_unrestricted: integer,
    expires_at: nullable(integer),
    created_at: integer,
  },
  ['id'],
  [['uuid'], ['user_id', 'name']],
)

/** Tokens for machines, without a user. `roles` is a JSON array of names. */
const staticTokens = table(
  'static_tokens',
  {
    id: integer,
    uuid: text,
    name: text,
    token_hash: secretText,
    project: nullable(text),
    roles: text,
    expires_at: nullable(integer),
    created_by: text,
    created_at: integer,
  },
  ['id'],
  [['uuid'], ['name'], ['token_hash']],
)

/**
 * Consumers that another service is about to place as members of a server group: a claim for one is checked against `policy` until
 * `expires_at`. `members` is a JSON array of the uuids of the other members.
 */
const groupClaims = table(
  'group_claims',
  {
    consumer: text,
    group_uuid: text,
    policy: text,
    max_per_host: integer,
    members: text,
    expires_at: integer,
  },
  ['consumer'],
)

/**
 * Shares of a Manila that Berth has placed: until `expires_at` they count at `backend`, because Manila may not know it yet. `same_host` and
 * `different_host` are the uuids that these hints name, joined by commas. A row with `is_kept` stays, without a back end, because Manila
 * lacks some of its hints.
 */
const manilaClaims = table(
  'manila_claims',
  {
    share: text,
    operation: text,
    backend: nullable(text),
    same_host: text,
    different_host: text,
    is_kept: integer,
    placed_at: integer,
    expires_at: integer,
  },
  ['share'],
)

/**
 * Capacity that is kept: of `servers` places for a project, or for failover within a host aggregate, by its uuid. `request` is what one server
 * asks for, as JSON. `used` places were used up by servers; `short` is how much is missing: places, or for failover servers without a place in
 * the worst case.
 */
const reservations = table(
  'reservations',
  {
    id: integer,
    uuid: text,
    name: text,
    kind: text,
    project_id: nullable(text),
    aggregate: nullable(text),
    servers: integer,
    request: text,
    from_at: integer,
    until_at: nullable(integer),
    used: integer,
    short: integer,
    created_at: integer,
  },
  ['id'],
  [['uuid'], ['name']],
)

/** The consumers that hold reservations. */
const reservationSlots = table(
  'reservation_slots',
  { consumer_id: consumer, reservation_id: reference('reservations', 'reservation') },
  ['consumer_id'],
)

/** Revoked tokens that have not expired yet. */
const revokedTokens = table('revoked_tokens', { audit_id: text, expires_at: integer }, ['audit_id'])

/** Parents before children: the order of DDL and of loading. */
export const mirroredTables = [
  resourceClasses,
  traits,
  aggregates,
  resourceProviders,
  inventories,
  providerTraits,
  providerAggregates,
  consumers,
  allocations,
  metadefNamespaces,
  metadefResourceTypes,
  metadefAssociations,
  metadefProperties,
  metadefObjects,
  metadefTags,
  metadefBuiltins,
  flavors,
  flavorExtraSpecs,
  flavorAccess,
  hosts,
  hostAggregates,
  hostAggregateMetadata,
  hostAggregateHosts,
  serverGroups,
  serverGroupMembers,
  serverRequests,
  reservations,
  reservationSlots,
  groupClaims,
  manilaClaims,
  users,
  projects,
  roles,
  roleAssignments,
  applicationCredentials,
  staticTokens,
  revokedTokens,
  shadowSettings,
  ...shareTables,
] as const

type Mirrored = (typeof mirroredTables)[number]
export type TableName = Mirrored['name']
export type Row<N extends TableName> =
  Extract<Mirrored, { name: N }> extends Table<N, infer C> ? RowOf<C> : never

export const tableByName: { readonly [N in TableName]: Table<TableName> } = recordOf(
  mirroredTables.map(described => [described.name, described]),
)
