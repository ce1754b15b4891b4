import { type ConsumerSlot, providerSlot } from '../kernel/ids.ts'
import { shareTables } from './share-tables.ts'
import type { AnyRow } from './table.ts'
import type { TableName } from './tables.ts'
import type { World } from './world.ts'

/**
 * What is computed from hosts and kept, such as verdicts of filters, must know when it is outdated. A row of these tables
 * concerns the trees of its provider or consumer: their stamps are raised. Any other row that may concern hosts, such as
 * one of a trait or an aggregate, raises `World.cloudChanges`: then nothing that was kept is used any more. In doubt leave
 * a table out of both lists: too much is computed again, and nothing is wrong.
 */
const OF_TREES: ReadonlySet<TableName> = new Set<TableName>([
  'allocations',
  'consumers',
  'hosts',
  'server_requests',
])

/** No filter or weigher reads these of a host. Flavors and server groups come with the request. */
const OF_NO_HOST: ReadonlySet<TableName> = new Set<TableName>([
  ...shareTables.map(({ name }) => name),
  ...(['flavors', 'flavor_extra_specs', 'flavor_access', 'server_groups', 'server_group_members'] as const),
  ...(['metadef_namespaces', 'metadef_resource_types', 'metadef_associations'] as const),
  ...(['metadef_properties', 'metadef_objects', 'metadef_tags', 'metadef_builtins'] as const),
  ...(['reservations', 'reservation_slots', 'group_claims', 'manila_claims', 'shadow_settings'] as const),
  ...(['users', 'projects', 'roles', 'role_assignments', 'application_credentials'] as const),
  ...(['static_tokens', 'revoked_tokens'] as const),
])

/** Call after the row was written. */
export function noteHostChange(
  world: World,
  table: TableName,
  before: AnyRow | null,
  after: AnyRow | null,
): void {
  if (OF_NO_HOST.has(table)) return
  const row = (after ?? before) as AnyRow
  if (table === 'resource_providers') {
    // Claims raise the generation. The table itself has raised the stamp.
    if (before?.name !== after?.name || before?.parent_id !== after?.parent_id) world.cloudChanges++
  } else if (!OF_TREES.has(table)) world.cloudChanges++
  else if (table === 'hosts') world.providers.touch(row.provider_id as number)
  else if (table !== 'allocations') touchHolder(world, (row.consumer_id ?? row.id) as ConsumerSlot)
}

/** Allocations have raised the stamps of their trees, also when they were there before their consumer's other rows. */
function touchHolder({ consumers, providers }: World, consumer: ConsumerSlot): void {
  for (const { provider } of consumers.holdings(consumer)) providers.touch(providerSlot(provider))
}
