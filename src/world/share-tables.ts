import { integer, nullable, reference, table, text } from './table.ts'

/**
 * Shares. Back ends and pools are providers: rows here refer to the number of their provider. JSON columns contain
 * objects. Numbers grow with age, times are milliseconds since 1970.
 */

const backend = reference('resource_providers', 'backend')
const pool = reference('resource_providers', 'pool')
const type = reference('share_types', 'share_type')
const share = reference('shares', 'share')

const shareTypes = table(
  'share_types',
  {
    id: integer,
    uuid: text,
    name: text,
    description: nullable(text),
    is_public: integer,
    is_default: integer,
    applied_by: nullable(text),
    created_at: integer,
    updated_at: nullable(integer),
  },
  ['id'],
  [['uuid'], ['name']],
)

const shareTypeExtraSpecs = table('share_type_extra_specs', { type_id: type, key: text, value: text }, [
  'type_id',
  'key',
])

/** The projects that may use a private type. */
const shareTypeAccess = table('share_type_access', { type_id: type, project_id: text }, [
  'type_id',
  'project_id',
])

/** `settings` is for the driver. `applied_by` is the set of declarations that created it. */
const shareBackends = table(
  'share_backends',
  {
    provider_id: backend,
    host: text,
    name: text,
    driver: text,
    settings: text,
    capabilities: text,
    availability_zone: text,
    is_disabled: integer,
    disabled_reason: nullable(text),
    applied_by: nullable(text),
    created_at: integer,
    updated_at: nullable(integer),
  },
  ['provider_id'],
)

/** The size of a pool is its provider's inventory. */
const sharePools = table(
  'share_pools',
  {
    provider_id: pool,
    backend_id: backend,
    name: text,
    reserved_percentage: integer,
    capabilities: text,
    created_at: integer,
    updated_at: nullable(integer),
  },
  ['provider_id'],
)

/**
 * A share with a pool holds its size there; during a move also in the target. `is_forced`: it was moved against its
 * hints.
 */
const shares = table(
  'shares',
  {
    id: integer,
    uuid: text,
    project_id: text,
    user_id: text,
    name: nullable(text),
    description: nullable(text),
    size: integer,
    protocol: text,
    type_id: type,
    pool_id: nullable(pool),
    status: text,
    task_state: nullable(text),
    is_public: integer,
    availability_zone: nullable(text),
    snapshot: nullable(text),
    export_path: nullable(text),
    target_pool_id: nullable(reference('resource_providers', 'target_pool')),
    target_type_id: nullable(reference('share_types', 'target_type')),
    target_path: nullable(text),
    target_size: nullable(integer),
    is_move_forced: integer,
    is_forced: integer,
    applied_by: nullable(text),
    deleted_at: nullable(integer),
    created_at: integer,
    updated_at: nullable(integer),
  },
  ['id'],
  [['uuid']],
)

/** Metadata of users. Hints are shown among it but stored separately. */
const shareMetadata = table('share_metadata', { share_id: share, key: text, value: text }, [
  'share_id',
  'key',
])

/** `kind` is same_host or different_host, `place` the display order. */
const shareHints = table('share_hints', { share_id: share, kind: text, other: text, place: integer }, [
  'share_id',
  'kind',
  'other',
])

const shareSnapshots = table(
  'share_snapshots',
  {
    id: integer,
    uuid: text,
    share_id: share,
    project_id: text,
    user_id: text,
    name: nullable(text),
    description: nullable(text),
    size: integer,
    protocol: text,
    status: text,
    created_at: integer,
    updated_at: nullable(integer),
  },
  ['id'],
  [['uuid']],
)

/**
 * Who may mount a share. `is_denied`: it goes as soon as the back end has withdrawn it, whatever its state says. `metadata` is
 * an object of texts.
 */
const shareAccessRules = table(
  'share_access_rules',
  {
    id: integer,
    uuid: text,
    share_id: share,
    access_type: text,
    access_to: text,
    access_level: text,
    state: text,
    is_denied: integer,
    metadata: text,
    created_at: integer,
    updated_at: nullable(integer),
  },
  ['id'],
  [['uuid']],
)

/**
 * Pending work of a driver; deleted when its result is known. `epoch` is that of the lease under which it last began,
 * `facts` is the driver's input.
 */
const shareSteps = table(
  'share_steps',
  {
    id: integer,
    uuid: text,
    kind: text,
    backend_id: backend,
    pool_id: pool,
    share: text,
    facts: text,
    epoch: nullable(integer),
    attempts: integer,
    created_at: integer,
  },
  ['id'],
  [['uuid']],
)

/** Which process serves a back end, until when by the clock of the database. Each new owner raises the epoch. */
const shareLeases = table(
  'share_leases',
  { backend_id: backend, holder: text, epoch: integer, expires_at: integer },
  ['backend_id'],
)

/** `scope` is `project:ID`, `type:ID:TYPE`, or `class:default`. */
const shareQuotas = table('share_quotas', { scope: text, resource: text, hard_limit: integer }, [
  'scope',
  'resource',
])

export const shareTables = [
  shareTypes,
  shareTypeExtraSpecs,
  shareTypeAccess,
  shareBackends,
  sharePools,
  shares,
  shareMetadata,
  shareHints,
  shareSnapshots,
  shareAccessRules,
  shareSteps,
  shareLeases,
  shareQuotas,
] as const
