import type { ConsumerSlot } from '../kernel/ids.ts'
import { providerSlot } from '../kernel/ids.ts'
import type { AnyRow } from '../world/table.ts'
import type { Row } from '../world/tables.ts'
import type { World } from '../world/world.ts'
import type { RowTable } from './exported-tables.ts'

type Find<N extends RowTable> = (world: World, row: Row<N>) => Row<N> | undefined

/** The existing row that a line is about, by its natural key, because its number belongs to another store. */
const finders: { readonly [N in RowTable]: Find<N> } = {
  metadef_namespaces: ({ catalog }, row) => catalog.namespaces.find(row.namespace),
  metadef_resource_types: ({ catalog }, row) => catalog.resourceTypes.find(row.name),
  metadef_associations: ({ catalog }, row) =>
    catalog.associations.find(row.namespace_id, row.resource_type_id),
  metadef_properties: ({ catalog }, row) => catalog.properties.find(row.namespace_id, row.name),
  metadef_objects: ({ catalog }, row) => catalog.objects.find(row.namespace_id, row.name),
  metadef_tags: ({ catalog }, row) => catalog.tags.find(row.namespace_id, row.name),
  metadef_builtins: ({ catalog }, row) => catalog.builtins.find(row.namespace),
  flavors: ({ compute }, row) => compute.flavors.find(row.flavorid),
  flavor_extra_specs: ({ compute }, row) => compute.extraSpecs.find(row.flavor_id, row.key),
  flavor_access: ({ compute }, row) => compute.flavorAccess.find(row.flavor_id, row.project_id),
  hosts: ({ compute }, row) => compute.host(providerSlot(row.provider_id)),
  host_aggregates: ({ compute }, row) => compute.aggregates.find(row.uuid),
  host_aggregate_metadata: ({ compute }, row) => compute.metadata.find(row.aggregate_id, row.key),
  host_aggregate_hosts: ({ compute }, row) => compute.aggregateHosts.find(row.aggregate_id, row.provider_id),
  server_groups: ({ compute }, row) => compute.groups.find(row.uuid),
  server_group_members: ({ compute }, row) => compute.groupOf(row.consumer_id as ConsumerSlot),
  server_requests: ({ compute }, row) => compute.getRequest(row.consumer_id as ConsumerSlot),
  reservations: (world, row) => world.reservations.rows.find(row.uuid),
  reservation_slots: (world, row) => world.reservations.slotOf(row.consumer_id as ConsumerSlot),
  users: ({ identity }, row) => identity.users.find(row.uuid),
  projects: ({ identity }, row) => identity.projects.find(row.uuid),
  roles: ({ identity }, row) => identity.findRoleByName(row.name),
  role_assignments: ({ identity }, row) => identity.findAssignment(row),
  share_types: ({ shares }, row) => shares.types.find(row.uuid),
  share_type_extra_specs: ({ shares }, row) => shares.extraSpecs.find(row.type_id, row.key),
  share_type_access: ({ shares }, row) => shares.typeAccess.find(row.type_id, row.project_id),
  share_backends: ({ shares }, row) => shares.backends.get(row.provider_id),
  share_pools: ({ shares }, row) => shares.pools.get(row.provider_id),
  shares: ({ shares }, row) => shares.findShare(row.uuid),
  share_metadata: ({ shares }, row) => shares.metadata.find(row.share_id, row.key),
  share_hints: ({ shares }, row) => shares.hints.find(row.share_id, `${row.kind} ${row.other}`),
  share_snapshots: ({ shares }, row) => shares.snapshots.find(row.uuid),
  share_access_rules: ({ shares }, row) => shares.accessRules.find(row.uuid),
  share_quotas: ({ shares }, row) => shares.quotas.get(`${row.scope} ${row.resource}`),
}

export const findRow = (world: World, table: RowTable, row: AnyRow): AnyRow | undefined =>
  (finders[table] as (world: World, row: AnyRow) => AnyRow | undefined)(world, row)

type Numbered = (world: World) => { nextId(): number }

/** The tables whose rows have a number. */
const numbered: { readonly [N in RowTable]?: Numbered } = {
  metadef_namespaces: ({ catalog }) => catalog.namespaces,
  metadef_resource_types: ({ catalog }) => catalog.resourceTypes,
  metadef_associations: ({ catalog }) => catalog.associations,
  metadef_properties: ({ catalog }) => catalog.properties,
  metadef_objects: ({ catalog }) => catalog.objects,
  metadef_tags: ({ catalog }) => catalog.tags,
  metadef_builtins: ({ catalog }) => catalog.builtins,
  flavors: ({ compute }) => compute.flavors,
  host_aggregates: ({ compute }) => compute.aggregates,
  server_groups: ({ compute }) => compute.groups,
  reservations: ({ reservations }) => reservations.rows,
  users: ({ identity }) => identity.users,
  projects: ({ identity }) => identity.projects,
  roles: ({ identity }) => identity.roles,
  share_types: ({ shares }) => shares.types,
  shares: ({ shares }) => shares.shares,
  share_snapshots: ({ shares }) => shares.snapshots,
  share_access_rules: ({ shares }) => shares.accessRules,
}

/** Numbers new rows. Searching the first free number takes time in proportion to the table, so it searches once. */
export class NewIds {
  readonly #world: World
  readonly #next = new Map<RowTable, number>()

  constructor(world: World) {
    this.#world = world
  }

  /** Null if the rows have no number. */
  of(table: RowTable): number | null {
    const rows = numbered[table]?.(this.#world)
    if (rows === undefined) return null
    const id = this.#next.get(table) ?? rows.nextId()
    this.#next.set(table, id + 1)
    return id
  }
}
