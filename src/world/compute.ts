import type { ConsumerSlot, ProviderSlot } from '../kernel/ids.ts'
import { HostSets } from './host-sets.ts'
import { Groups, IndexedRows, KeyedRows, OwnedRows } from './indexed-rows.ts'
import { RequestShapes } from './request-shapes.ts'
import type { Row } from './tables.ts'

export type FlavorRow = Row<'flavors'>
export type HostRow = Row<'hosts'>
export type AggregateRow = Row<'host_aggregates'>
export type AggregateHostRow = Row<'host_aggregate_hosts'>
export type GroupRow = Row<'server_groups'>
type MemberRow = Row<'server_group_members'>
export type RequestRow = Row<'server_requests'>

/** An aggregate with its metadata. Caches are keyed by identity: a change creates a new object. */
export interface HostAggregate {
  readonly id: number
  readonly uuid: string
  readonly name: string
  /** Includes the zone, as `availability_zone`. */
  readonly metadata: ReadonlyMap<string, string>
}

/** Flavors, hosts, host aggregates and server groups. */
export class Compute {
  /** The index of the unique name in aggregates and flavors. */
  static readonly BY_NAME = 1

  readonly flavors = new IndexedRows<FlavorRow>([row => row.flavorid, row => row.name])
  readonly extraSpecs = new OwnedRows<Row<'flavor_extra_specs'>, string>(
    row => row.flavor_id,
    row => row.key,
    flavor => this.#specs.delete(flavor),
  )
  readonly flavorAccess = new OwnedRows<Row<'flavor_access'>, string>(
    row => row.flavor_id,
    row => row.project_id,
  )
  readonly #hosts = new KeyedRows<HostRow, number>(row => row.provider_id)
  readonly aggregates = new IndexedRows<AggregateRow>([row => row.uuid, row => row.name], id =>
    this.#forget(id),
  )
  readonly metadata = new OwnedRows<Row<'host_aggregate_metadata'>, string>(
    row => row.aggregate_id,
    row => row.key,
    id => this.#forget(id),
  )
  /** By the slot of the provider. */
  readonly aggregateHosts = new OwnedRows<AggregateHostRow, number>(
    row => row.aggregate_id,
    row => row.provider_id,
  )
  readonly groups = new IndexedRows<GroupRow>([row => row.uuid])
  readonly #groupOf = new KeyedRows<MemberRow, number>(row => row.consumer_id)
  /** The consumers of a group, by its number. */
  readonly #members = new Groups<number>()

  readonly #requests = new KeyedRows<RequestRow, number>(row => row.consumer_id)
  readonly requestShapes = new RequestShapes()

  readonly #specs = new Map<number, ReadonlyMap<string, string>>()
  readonly #views = new Map<number, HostAggregate>()
  #all: readonly HostAggregate[] | null = null
  readonly #sets = new HostSets<HostAggregate>(id => this.aggregate(id))

  readonly mirrors = {
    flavors: this.flavors,
    flavor_extra_specs: this.extraSpecs,
    flavor_access: this.flavorAccess,
    hosts: this.#hosts,
    host_aggregates: this.aggregates,
    host_aggregate_metadata: this.metadata,
    host_aggregate_hosts: {
      put: (before: AggregateHostRow | null, after: AggregateHostRow | null) => {
        this.aggregateHosts.put(before, after)
        if (before === null && after !== null) this.#sets.add(after.provider_id, after.aggregate_id)
        if (before !== null && after === null) this.#sets.delete(before.provider_id, before.aggregate_id)
      },
      rows: () => this.aggregateHosts.rows(),
    },
    server_groups: this.groups,
    server_group_members: {
      put: (before: MemberRow | null, after: MemberRow | null) => this.#putMember(before, after),
      rows: () => this.#groupOf.rows(),
    },
    server_requests: {
      put: (before: RequestRow | null, after: RequestRow | null) => {
        this.#requests.put(before, after)
        this.requestShapes.put(before, after)
      },
      rows: () => this.#requests.rows(),
    },
  }

  findFlavorByName(name: string): FlavorRow | undefined {
    return this.flavors.find(name, Compute.BY_NAME)
  }

  findAggregateByName(name: string): AggregateRow | undefined {
    return this.aggregates.find(name, Compute.BY_NAME)
  }

  /** The same object until a spec of the flavor changes. */
  getExtraSpecs(flavorId: number): ReadonlyMap<string, string> {
    let specs = this.#specs.get(flavorId)
    if (specs === undefined) {
      specs = new Map(this.extraSpecs.list(flavorId).map(({ key, value }) => [key, value]))
      this.#specs.set(flavorId, specs)
    }
    return specs
  }

  /** The row of a host, by its root provider. */
  host(provider: ProviderSlot): HostRow | undefined {
    return this.#hosts.get(provider)
  }

  hosts(): Iterable<HostRow> {
    return this.#hosts.rows()
  }

  /** The same object until the aggregate's name or metadata changes. */
  aggregate(id: number): HostAggregate {
    let view = this.#views.get(id)
    if (view === undefined) {
      const { uuid, name } = this.aggregates.row(id)
      const metadata = new Map(this.metadata.list(id).map(({ key, value }) => [key, value]))
      view = { id, uuid, name, metadata }
      this.#views.set(id, view)
    }
    return view
  }

  /** The oldest first. The same list until an aggregate changes. */
  listAggregates(): readonly HostAggregate[] {
    this.#all ??= this.aggregates.all().map(({ id }) => this.aggregate(id))
    return this.#all
  }

  /** The oldest first: one list for all hosts in the same aggregates. */
  getAggregates(provider: ProviderSlot): readonly HostAggregate[] {
    return this.#sets.get(provider)
  }

  groupOf(consumer: ConsumerSlot): MemberRow | undefined {
    return this.#groupOf.get(consumer)
  }

  /** The request of a server that was scheduled here. */
  getRequest(consumer: ConsumerSlot): RequestRow | undefined {
    return this.#requests.get(consumer)
  }

  /** The name of a server, if it was told with its request or pulled from a cloud. */
  nameOf(consumer: ConsumerSlot): string | null {
    return this.#requests.get(consumer)?.name ?? null
  }

  listMembers(groupId: number): MemberRow[] {
    const consumers = [...this.#members.get(groupId)].sort((a, b) => a - b)
    return consumers.map(id => this.#groupOf.get(id) as MemberRow)
  }

  #forget(aggregate: number): void {
    this.#all = null
    this.#views.delete(aggregate)
    this.#sets.invalidate(aggregate)
  }

  #putMember(before: MemberRow | null, after: MemberRow | null): void {
    this.#groupOf.put(before, after)
    if (before !== null) this.#members.delete(before.group_id, before.consumer_id)
    if (after !== null) this.#members.add(after.group_id, after.consumer_id)
  }
}
