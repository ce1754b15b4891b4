import { countMembersByHost } from '../../placement/allocations/group-policy.ts'
import type { World } from '../../world/world.ts'
import { getOrCompute } from '../framework/memoize.ts'
import { hostOf, requestOf } from './evaluate-filter.ts'
import type { HostItem } from './filter-item.ts'
import type { AggregateView, HostView } from './host-view.ts'
import type { SchedulingRequest, ServerGroupView } from './request-view.ts'
import { WorldHost } from './world-host.ts'

/**
 * What Nova's scheduler knows about a request, with Nova's names. Here Nova is authoritative for hosts and
 * aggregates, not the world.
 */
export interface NovaRequest {
  readonly operation: 'create' | 'rebuild'
  readonly instance: string | null
  readonly project: string | null
  readonly user?: string | null
  readonly zone: string | null
  readonly flavor: NovaFlavor
  readonly image?: {
    readonly id?: string | null
    readonly disk_format?: string | null
    readonly properties?: Readonly<Record<string, unknown>>
  } | null
  readonly volume_backed?: boolean
  readonly hints: Readonly<Record<string, unknown>>
  readonly group: NovaGroup | null
  readonly aggregates: readonly NovaAggregate[]
  readonly hosts: readonly NovaHost[]
}

interface NovaFlavor {
  readonly id: string
  readonly name: string
  readonly vcpus: number
  readonly ram: number
  readonly disk: number
  readonly ephemeral: number
  readonly swap: number
  readonly extra_specs: Readonly<Record<string, string>>
}

interface NovaGroup {
  readonly uuid: string
  readonly policy: ServerGroupView['policy']
  readonly max_server_per_host: number
  readonly members: readonly string[]
  /** The names of the hosts where Nova has members. */
  readonly hosts: readonly string[]
}

interface NovaAggregate {
  readonly id: number
  readonly uuid: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
}

interface NovaHost extends HostItem {
  readonly name: string
  /** The uuid of the compute node, which is also that of its provider. */
  readonly uuid?: string | null
  /** By their numbers. */
  readonly aggregates: readonly number[]
}

/**
 * The position of the first host that names an aggregate which the request does not describe; -1 if there is
 * none.
 */
export function findUnlistedAggregate({ aggregates, hosts }: NovaRequest): number {
  const known = new Set(aggregates.map(({ id }) => id))
  return hosts.findIndex(host => host.aggregates.some(id => !known.has(id)))
}

/** Makes the view of a host from its position in the request. */
export function makeHostViews(world: World, { aggregates, hosts }: NovaRequest): (at: number) => HostView {
  const byId = new Map(aggregates.map(one => [one.id, toAggregateView(one)]))
  // Hosts in the same aggregates share the list: verdicts are cached by it.
  const lists = new Map<string, readonly AggregateView[]>()
  return at => {
    const { aggregates: ids, uuid = null, ...host } = hosts[at] as NovaHost
    const slot = uuid === null ? undefined : world.providers.find(uuid)
    const list = getOrCompute(lists, ids.join(' '), () => ids.flatMap(id => byId.get(id) ?? []))
    // Nova does not say which provider would serve a group: any of the host counts.
    const hasTrait = (trait: string): boolean =>
      slot !== undefined && new WorldHost(world, slot).hasTrait(trait, '')
    return { ...hostOf({ host }), aggregates: list, hasTrait }
  }
}

const toAggregateView = ({ id, uuid, name, metadata }: NovaAggregate): AggregateView => ({
  id,
  uuid,
  name,
  metadata: new Map(Object.entries(metadata)),
})

export function toSchedulingRequest(world: World, asked: NovaRequest): SchedulingRequest {
  const { flavor, image, instance } = asked
  const view = requestOf({
    instance,
    project: asked.project,
    zone: asked.zone,
    hints: asked.hints as NonNullable<Parameters<typeof requestOf>[0]['hints']>,
    image: image?.id ?? null,
    image_properties: (image?.properties ?? {}) as NonNullable<
      Parameters<typeof requestOf>[0]['image_properties']
    >,
  })
  return {
    ...view,
    operation: asked.operation,
    user: asked.user ?? null,
    isVolumeBacked: asked.volume_backed ?? false,
    image: view.image && { ...view.image, diskFormat: image?.disk_format ?? null },
    flavor: {
      id: flavor.id,
      name: flavor.name,
      vcpus: flavor.vcpus,
      ramMib: flavor.ram,
      rootGb: flavor.disk,
      ephemeralGb: flavor.ephemeral,
      swapMib: flavor.swap,
      extraSpecs: new Map(Object.entries(flavor.extra_specs)),
    },
    group: asked.group && toGroupView(world, asked, asked.group),
  }
}

/** Members by host: as Nova counts them, or by their allocations if that is more. */
function toGroupView(world: World, { hosts, instance }: NovaRequest, group: NovaGroup): ServerGroupView {
  const members = new Set(group.members.filter(member => member !== instance))
  const claimed = countMembersByHost(world, group.uuid, group.members, instance ?? '')
  const membersByHost = new Map<string, number>()
  for (const { name, uuid = null, instances = [] } of hosts) {
    const slot = uuid === null ? undefined : world.providers.find(uuid)
    const inLedger = slot === undefined ? 0 : (claimed.get(slot) ?? 0)
    const inNova = instances.filter(one => members.has(one)).length
    const count = Math.max(inLedger, inNova)
    if (count > 0) membersByHost.set(name, Math.max(count, membersByHost.get(name) ?? 0))
  }
  if (group.policy === 'affinity')
    for (const name of group.hosts) if (!membersByHost.has(name)) membersByHost.set(name, 1)
  return {
    uuid: group.uuid,
    policy: group.policy,
    maxServerPerHost: group.max_server_per_host,
    membersByHost,
  }
}
