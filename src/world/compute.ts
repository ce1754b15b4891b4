import type { ConsumerSlot, ProviderSlot } from '../kernel/ids.ts'
import { HostSets } from './host-sets.ts'
import { Groups, IndexedRows, KeyedRows, OwnedRows } from './indexed-rows.ts'
import type { Row } from './tables.ts'

export type FlavorRow = Row<'flavors'>
export type HostRow = Row<'hosts'>
export type AggregateRow = Row<'host_aggregates'>
export type AggregateHostRow = Row<'host_aggregate_hosts'>
export type GroupRow = Row<'server_groups'>
type MemberRow = Row<'server_group_members'>
export type RequestRow = Row<'server_requests'>

/** An aggregate with its metadata. What is worked out from it is kept by identity: a change makes a new object. */
export interface HostAggregate {
  readonly id: number
  readonly uuid: string
  readonly name: string
  /** The zone is in it too, as `availability_zone`. */
  readonly metadata: ReadonlyMap<string, string>
}

/** Flavors, hosts and how they are grouped, and groups of servers. */
export class Compute {
  /** Which of the unique names of an aggregate or a flavor is looked for. */
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
    server_requests: this.#requests,
  }

  flavorNamed(name: string): FlavorRow | undefined {
    return this.flavors.find(name, Compute.BY_NAME)
  }

  aggregateNamed(name: string): AggregateRow | undefined {
    return this.aggregates.find(name, Compute.BY_NAME)
  }

  /** The same object until a spec of the flavor changes. */
  extraSpecsOf(flavorId: number): ReadonlyMap<string, string> {
    let specs = this.#specs.get(flavorId)
    if (specs === undefined) {
      specs = new Map(this.extraSpecs.of(flavorId).map(({ key, value }) => [key, value]))
      this.#specs.set(flavorId, specs)
    }
    return specs
  }

  /** What was said about the host whose root provider this is. */
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
      const metadata = new Map(this.metadata.of(id).map(({ key, value }) => [key, value]))
      view = { id, uuid, name, metadata }
      this.#views.set(id, view)
    }
    return view
  }

  /** The oldest first. The same list until an aggregate changes. */
  allAggregates(): readonly HostAggregate[] {
    this.#all ??= this.aggregates.all().map(({ id }) => this.aggregate(id))
    return this.#all
  }

  /** The aggregates of a host, the oldest first: one list for all hosts that are in the same ones. */
  aggregatesOf(provider: ProviderSlot): readonly HostAggregate[] {
    return this.#sets.of(provider)
  }

  groupOf(consumer: ConsumerSlot): MemberRow | undefined {
    return this.#groupOf.get(consumer)
  }

  /** What was asked for a server, if it was scheduled here. */
  requestOf(consumer: ConsumerSlot): RequestRow | undefined {
    return this.#requests.get(consumer)
  }

  membersOf(groupId: number): MemberRow[] {
    const consumers = [...this.#members.of(groupId)].sort((a, b) => a - b)
    return consumers.map(id => this.#groupOf.get(id) as MemberRow)
  }

  #forget(aggregate: number): void {
    this.#all = null
    this.#views.delete(aggregate)
    this.#sets.changed(aggregate)
  }

  #putMember(before: MemberRow | null, after: MemberRow | null): void {
    this.#groupOf.put(before, after)
    if (before !== null) this.#members.delete(before.group_id, before.consumer_id)
    if (after !== null) this.#members.add(after.group_id, after.consumer_id)
  }
}
