import type { NovaFlavor, NovaGroup, NovaServer, NovaService, NovaState } from './nova-state.ts'
import type { PullLine } from './pull-line.ts'

/** A host of Nova as Berth knows it: the provider of its hypervisor. */
export interface HostProvider {
  readonly uuid: string
  readonly name: string
}

const flag = (value: boolean): number => (value ? 1 : 0)

export function makeFlavorLines({ flavors, access }: Pick<NovaState, 'flavors' | 'access'>): PullLine[] {
  return flavors.flatMap(flavor => [
    { table: 'flavors', row: flavorRow(flavor) },
    ...Object.entries(flavor.extra_specs ?? {}).map(([key, value]) => ({
      table: 'flavor_extra_specs',
      row: { flavor: flavor.id, key, value },
    })),
    ...(access.get(flavor.id) ?? []).map(project_id => ({
      table: 'flavor_access',
      row: { flavor: flavor.id, project_id },
    })),
  ])
}

const flavorRow = (flavor: NovaFlavor) => ({
  flavorid: flavor.id,
  name: flavor.name,
  memory_mb: flavor.ram,
  vcpus: flavor.vcpus,
  root_gb: flavor.disk,
  ephemeral_gb: flavor['OS-FLV-EXT-DATA:ephemeral'],
  swap: flavor.swap === '' ? 0 : flavor.swap,
  rxtx_factor: flavor.rxtx_factor ?? 1,
  is_public: flag(flavor['os-flavor-access:is_public']),
  description: flavor.description ?? null,
  applied_by: null,
  created_at: 0,
  updated_at: null,
})

/** The providers of each compute service: with bare metal it has several. */
export function findProviders(
  { hypervisors }: Pick<NovaState, 'hypervisors'>,
  providers: ReadonlyMap<string, HostProvider>,
): { readonly byService: ReadonlyMap<string, readonly HostProvider[]>; readonly unknown: readonly string[] } {
  const byService = new Map<string, HostProvider[]>()
  const unknown: string[] = []
  for (const { hypervisor_hostname: name, service } of hypervisors) {
    const found = providers.get(name)
    if (found === undefined) {
      unknown.push(name)
      continue
    }
    const some = byService.get(service.host)
    if (some === undefined) byService.set(service.host, [found])
    else some.push(found)
  }
  return { byService, unknown }
}

type ByService = ReadonlyMap<string, readonly HostProvider[]>

export function makeHostLines(
  { services, hypervisors }: Pick<NovaState, 'services' | 'hypervisors'>,
  byService: ByService,
): PullLine[] {
  const facts = new Map(hypervisors.map(one => [one.hypervisor_hostname, one]))
  return services.flatMap(service =>
    (byService.get(service.host) ?? []).map(({ uuid, name }) => {
      const { hypervisor_type, hypervisor_version } = facts.get(name) ?? {}
      return { table: 'hosts', row: hostRow(service, uuid, { hypervisor_type, hypervisor_version }) }
    }),
  )
}

const hostRow = (service: NovaService, provider: string, capabilities: object) => ({
  provider,
  is_declared: 0,
  is_disabled: flag(service.status === 'disabled'),
  disabled_reason: service.status === 'disabled' ? service.disabled_reason : null,
  is_forced_down: flag(service.forced_down === true),
  // A service that was forced down is not asked for its own state.
  is_down: flag(service.state === 'down' && service.forced_down !== true),
  capabilities: JSON.stringify(capabilities),
  applied_by: null,
  created_at: 0,
  updated_at: null,
})

export function makeAggregateLines(
  { aggregates }: Pick<NovaState, 'aggregates'>,
  byService: ByService,
): PullLine[] {
  return aggregates.flatMap(({ uuid, name, metadata, hosts }) => [
    { table: 'host_aggregates', row: { uuid, name, applied_by: null, created_at: 0, updated_at: null } },
    ...Object.entries(metadata).map(([key, value]) => ({
      table: 'host_aggregate_metadata',
      row: { host_aggregate: uuid, key, value },
    })),
    ...hosts
      .flatMap(host => byService.get(host) ?? [])
      .map(({ uuid: provider }) => ({
        table: 'host_aggregate_hosts',
        row: { host_aggregate: uuid, provider, made_member: 0 },
      })),
  ])
}

export const makeGroupLines = ({ groups }: Pick<NovaState, 'groups'>): PullLine[] =>
  groups.map(group => ({ table: 'server_groups', row: groupRow(group) }))

const groupRow = (group: NovaGroup) => ({
  uuid: group.id,
  name: group.name,
  policy: group.policy ?? group.policies?.[0] ?? 'anti-affinity',
  max_server_per_host: group.rules?.max_server_per_host ?? null,
  project_id: group.project_id,
  user_id: group.user_id,
  applied_by: null,
  created_at: 0,
})

/** Members that hold nothing in the ledger have no place in a group here. */
export const makeMemberLines = (
  { groups }: Pick<NovaState, 'groups'>,
  isConsumer: (uuid: string) => boolean,
): PullLine[] =>
  groups.flatMap(({ id, members }) =>
    members
      .filter(isConsumer)
      .map(consumer => ({ table: 'server_group_members', row: { consumer, server_group: id } })),
  )

/** The request and the name of a server, so that a move or a what-if asks for the same. */
export function makeServerLine(server: NovaServer, flavorIds: ReadonlyMap<string, string>): PullLine {
  const { original_name: name, vcpus, ram, disk, ephemeral, swap, extra_specs = {} } = server.flavor
  const flavor = { id: flavorIds.get(name) ?? name, name, vcpus, ram, disk, ephemeral, swap, extra_specs }
  const image = typeof server.image === 'object' ? (server.image?.id ?? null) : null
  const request = {
    flavor,
    groups: null,
    group_policy: null,
    image: image === null ? null : { id: image, disk_format: null, properties: {} },
    volume_backed: image === null,
    zone: server.pinned_availability_zone ?? null,
    hints: {
      same_host: listHint(server, 'same_host'),
      different_host: listHint(server, 'different_host'),
      query: null,
    },
  }
  return {
    table: 'server_requests',
    row: {
      consumer: server.id,
      name: server.name === '' ? null : server.name,
      decision: '',
      request: JSON.stringify(request),
      applied_by: null,
    },
  }
}

function listHint({ scheduler_hints }: NovaServer, name: string): string[] {
  const value = scheduler_hints?.[name] ?? []
  return (Array.isArray(value) ? value : [value]).filter(one => typeof one === 'string')
}
