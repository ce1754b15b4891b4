import type { RowOp } from './change.ts'
import { type Rule, type Rules, refuse } from './decision.ts'
import type { TableName } from './tables.ts'
import type { World } from './world.ts'

/**
 * Rows that `berth pull` created belong to their cloud: `applied_by` is `cloud:NAME`. Only another pull changes
 * or removes them.
 */
const PREFIX = 'cloud:'

/** The driver of a share back end that Berth does not serve. */
export const CLOUD_DRIVER = 'cloud'

export const cloudMark = (cloud: string): string => `${PREFIX}${cloud}`

/** The name of the cloud in an `applied_by`; null if the row belongs to none. */
export const cloudOf = (appliedBy: string | null | undefined): string | null =>
  appliedBy?.startsWith(PREFIX) === true ? appliedBy.slice(PREFIX.length) : null

/** Refused: this belongs to a cloud. */
export interface CloudOwned {
  readonly kind: 'cloud-owned'
  readonly cloud: string
  readonly what: string
}

export const describeCloudOwned = ({ what, cloud }: CloudOwned): string =>
  `The ${what} belongs to cloud ${cloud}, from which it was pulled. Change it there, ` +
  `or end that with berth pull --cloud ${cloud} --forget.`

type RejectingOwned<R extends Rules> = {
  readonly [Kind in keyof R]: R[Kind] extends Rule<infer Command, infer Answer, infer Refusal>
    ? Rule<Command, Answer, Refusal | CloudOwned>
    : never
}

/** The same rules, but they refuse to change rows of a cloud. */
export function rejectCloudOwned<R extends Rules>(rules: R): RejectingOwned<R> {
  const entries = Object.entries(rules).map(([kind, rule]) => [kind, rejectingOwned(rule)])
  return Object.fromEntries(entries) as RejectingOwned<R>
}

export const rejectingOwned =
  <Command, Answer, Refusal>(
    rule: Rule<Command, Answer, Refusal>,
  ): Rule<Command, Answer, Refusal | CloudOwned> =>
  (world, command, nowMs) => {
    const decision = rule(world, command, nowMs)
    if (!decision.ok) return decision
    const owned = findCloudOwned(world, decision.change.ops)
    return owned === null ? decision : refuse(owned)
  }

/** The first row of a cloud that one of these ops would change. */
export function findCloudOwned(world: World, ops: readonly RowOp[]): CloudOwned | null {
  for (const op of ops) {
    const owner = findOwner(world, op)
    const cloud = cloudOf(owner?.applied_by)
    if (owner !== null && cloud !== null) return { kind: 'cloud-owned', cloud, what: owner.what }
  }
  return null
}

interface Owner {
  readonly what: string
  readonly applied_by: string | null
}

type Find<N extends TableName> = (
  world: World,
  row: Extract<RowOp, { readonly table: N }>['before'] & object,
) => Owner | null

const named = (kind: string, name: string, row: { readonly applied_by: string | null } | undefined) =>
  row === undefined ? null : { what: `${kind} ${name}`, applied_by: row.applied_by }

const ofFlavor = ({ compute }: World, id: number): Owner | null => {
  const row = compute.flavors.get(id)
  return named('flavor', row?.name ?? '', row)
}
const ofAggregate = ({ compute }: World, id: number): Owner | null => {
  const row = compute.aggregates.get(id)
  return named('host aggregate', row?.name ?? '', row)
}
const ofNamespace = ({ catalog }: World, id: number): Owner | null => {
  const row = catalog.namespaces.get(id)
  return named('namespace', row?.namespace ?? '', row)
}
const ofType = ({ shares }: World, id: number): Owner | null => {
  const row = shares.types.get(id)
  return named('share type', row?.name ?? '', row)
}
const ofBackend = ({ shares }: World, id: number): Owner | null => {
  const row = shares.backends.get(id)
  return named('share back end', `${row?.host}@${row?.name}`, row)
}
const ofShare = ({ shares }: World, id: number): Owner | null => {
  const row = shares.shares.get(id)
  return named('share', row?.uuid ?? '', row)
}

/** The owner of a row, or of the row that it is a part of. */
const owners: { readonly [N in TableName]?: Find<N> } = {
  flavors: (_, row) => named('flavor', row.name, row),
  flavor_extra_specs: (world, row) => ofFlavor(world, row.flavor_id),
  flavor_access: (world, row) => ofFlavor(world, row.flavor_id),
  hosts: ({ providers }, row) => named('host', providers.name(row.provider_id as never), row),
  host_aggregates: (_, row) => named('host aggregate', row.name, row),
  host_aggregate_metadata: (world, row) => ofAggregate(world, row.aggregate_id),
  host_aggregate_hosts: (world, row) => ofAggregate(world, row.aggregate_id),
  server_groups: (_, row) => named('server group', row.uuid, row),
  server_requests: ({ consumers }, row) => named('server', consumers.row(row.consumer_id as never).uuid, row),
  metadef_namespaces: (_, row) => named('namespace', row.namespace, row),
  metadef_associations: (world, row) => ofNamespace(world, row.namespace_id),
  metadef_properties: (world, row) => ofNamespace(world, row.namespace_id),
  metadef_objects: (world, row) => ofNamespace(world, row.namespace_id),
  metadef_tags: (world, row) => ofNamespace(world, row.namespace_id),
  share_types: (_, row) => named('share type', row.name, row),
  share_type_extra_specs: (world, row) => ofType(world, row.type_id),
  share_type_access: (world, row) => ofType(world, row.type_id),
  share_backends: (_, row) => named('share back end', `${row.host}@${row.name}`, row),
  share_pools: (world, row) => ofBackend(world, row.backend_id),
  // Nothing would create a new share in a pool of the cloud.
  shares: (world, row) => {
    const pool =
      row.applied_by === null && row.pool_id !== null ? world.shares.pools.get(row.pool_id) : undefined
    return pool === undefined ? named('share', row.uuid, row) : ofBackend(world, pool.backend_id)
  },
  share_metadata: (world, row) => ofShare(world, row.share_id),
  share_hints: (world, row) => ofShare(world, row.share_id),
  share_snapshots: (world, row) => ofShare(world, row.share_id),
  share_access_rules: (world, row) => ofShare(world, row.share_id),
  share_steps: (world, row) => ofBackend(world, row.backend_id),
}

function findOwner(world: World, { table, before, after }: RowOp): Owner | null {
  const find = owners[table] as ((world: World, row: object) => Owner | null) | undefined
  return find === undefined ? null : find(world, (before ?? after) as object)
}
