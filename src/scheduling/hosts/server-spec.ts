import { consumerSlot } from '../../kernel/ids.ts'
import type { FlavorRow, GroupRow, RequestRow } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'
import type { JsonObject, JsonValue } from '../framework/json-value.ts'
import { memoizeByIdentity } from '../framework/memoize.ts'
import { isHost } from '../hosts/hosts.ts'
import type { PlacementQuery } from './query/placement-query.ts'
import {
  type FlavorView,
  GROUP_POLICIES,
  type Hints,
  type SchedulingRequest,
  type ServerGroupView,
} from './request-view.ts'

/** What a server needs on any host. Plain data, stored with the server, so that a move requests the same. */
export interface ServerSpec {
  /** As it was when the server was requested: later changes of the flavor do not affect the server. */
  readonly flavor: FlavorSpec
  /** Replaces the flavor's Placement query. */
  readonly groups: readonly GroupSpec[] | null
  readonly group_policy: 'none' | 'isolate' | null
  readonly image: ImageSpec | null
  readonly volume_backed: boolean
  readonly zone: string | null
  readonly hints: HintSpec
}

export interface FlavorSpec {
  readonly id: string
  readonly name: string
  readonly vcpus: number
  readonly ram: number
  readonly disk: number
  readonly ephemeral: number
  readonly swap: number
  readonly extra_specs: Readonly<Record<string, string>>
}

export interface GroupSpec {
  readonly suffix: string
  readonly resources: Readonly<Record<string, number>>
  /** One of each list. */
  readonly required: readonly (readonly string[])[]
  readonly forbidden: readonly string[]
  /** One of each list of aggregates. */
  readonly member_of: readonly (readonly string[])[]
  readonly in_tree: string | null
}

export interface ImageSpec {
  readonly id: string | null
  readonly disk_format: string | null
  readonly properties: JsonObject
}

interface HintSpec {
  readonly same_host: readonly string[]
  readonly different_host: readonly string[]
  readonly query: JsonValue
}

/** What is to be placed now, and by what rules. */
export interface ServerAsk {
  readonly operation: 'create' | 'move'
  readonly spec: ServerSpec
  /** The consumers, one per server. */
  readonly instances: readonly string[]
  /** The names of new servers, in the order of `instances`; a server that moves keeps its name. */
  readonly names?: readonly string[]
  /** For a move, the generation of the consumer when the move was requested. */
  readonly generation: number | null
  readonly project: string
  readonly user: string
  /** The uuid of the only host allowed. */
  readonly host: string | null
  /** Uuids of excluded hosts. */
  readonly not_hosts: readonly string[]
  /** The uuid of the server group that new servers join. */
  readonly group: string | null
  /** The uuid of the reservation whose places these are, instead of servers. */
  readonly reserves?: string
}

/** Parsed once. */
export const specOf = memoizeByIdentity((row: RequestRow) => JSON.parse(row.request) as ServerSpec)

/** As it is stored. One request needs it several times. */
export const renderSpec = memoizeByIdentity((spec: ServerSpec) => JSON.stringify(spec))

export const toFlavorSpec = (row: FlavorRow, extraSpecs: ReadonlyMap<string, string>): FlavorSpec => ({
  id: row.flavorid,
  name: row.name,
  vcpus: row.vcpus,
  ram: row.memory_mb,
  disk: row.root_gb,
  ephemeral: row.ephemeral_gb,
  swap: row.swap,
  extra_specs: Object.fromEntries(extraSpecs),
})

const toFlavorView = (flavor: FlavorSpec): FlavorView => ({
  id: flavor.id,
  name: flavor.name,
  vcpus: flavor.vcpus,
  ramMib: flavor.ram,
  rootGb: flavor.disk,
  ephemeralGb: flavor.ephemeral,
  swapMib: flavor.swap,
  extraSpecs: new Map(Object.entries(flavor.extra_specs)),
})

const toHints = ({ same_host, different_host, query }: HintSpec): Hints => ({
  sameHost: same_host,
  differentHost: different_host,
  query,
})

/** The request of one server, on the current world: the group's members may move. */
export function makeRequest(world: World, ask: ServerAsk, instance: string): SchedulingRequest {
  const { spec, operation, project, user } = ask
  const group = ask.group === null ? undefined : world.compute.groups.find(ask.group)
  const target = ask.host === null ? undefined : world.providers.find(ask.host)
  return {
    operation,
    instance,
    project,
    user,
    zone: spec.zone,
    isVolumeBacked: spec.volume_backed,
    flavor: toFlavorView(spec.flavor),
    targetHost: target === undefined ? null : world.providers.name(target),
    hints: toHints(spec.hints),
    image:
      spec.image === null
        ? null
        : {
            id: spec.image.id,
            diskFormat: spec.image.disk_format,
            properties: new Map(Object.entries(spec.image.properties)),
          },
    group: group === undefined ? null : makeGroupView(world, group, instance),
  }
}

type GroupPolicy = ServerGroupView['policy']
const isPolicy = (text: string): text is GroupPolicy => GROUP_POLICIES.includes(text as GroupPolicy)

/** Members per host, other than the server itself. */
function makeGroupView(world: World, row: GroupRow, instance: string): ServerGroupView | null {
  if (!isPolicy(row.policy)) return null
  const { compute, consumers, providers } = world
  const membersByHost = new Map<string, number>()
  for (const { consumer_id } of compute.listMembers(row.id)) {
    if (consumers.row(consumerSlot(consumer_id)).uuid === instance) continue
    const roots = consumers
      .holdings(consumerSlot(consumer_id))
      .map(({ provider }) => providers.rootOf(provider))
    for (const root of new Set(roots))
      if (isHost(world, root)) {
        const name = providers.name(root)
        membersByHost.set(name, (membersByHost.get(name) ?? 0) + 1)
      }
  }
  return {
    uuid: row.uuid,
    policy: row.policy,
    maxServerPerHost: row.max_server_per_host ?? 1,
    membersByHost,
  }
}

/** The query of a spec with explicit groups. */
export const makeRawQuery = (
  groups: readonly GroupSpec[],
  groupPolicy: ServerSpec['group_policy'],
  limit: number,
): PlacementQuery => ({
  groupPolicy,
  rootRequired: [],
  rootForbidden: [],
  limit,
  groups: groups.map(group => ({
    suffix: group.suffix,
    resources: new Map(Object.entries(group.resources).map(([name, amount]) => [name, BigInt(amount)])),
    required: group.required.flatMap(traits => (traits.length === 1 ? traits : [])),
    anyOf: group.required.filter(traits => traits.length !== 1),
    forbidden: group.forbidden,
    memberOf: group.member_of,
    forbiddenAggregates: [],
    inTree: group.in_tree,
  })),
})
