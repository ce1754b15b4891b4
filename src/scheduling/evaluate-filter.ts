import { queryIn } from './hints.ts'
import type { AggregateView, HostView } from './host-view.ts'
import { isList, type Json, type JsonObject, memberOf } from './json-value.ts'
import type { Note, Reason } from './refusal.ts'
import { filterNamed } from './registry.ts'
import type { FlavorView, Hints, SchedulingRequest, ServerGroupView } from './request-view.ts'
import { DEFAULT_SETTINGS, type SchedulingSettings } from './settings.ts'

/** One question to a filter: what it reads of a request and of a host. What it does not read can be left out. */
export interface FilterItem {
  readonly extra_specs?: Readonly<Record<string, string>>
  /** The metadata of each aggregate that the host is in. */
  readonly aggregates?: readonly Readonly<Record<string, string>>[]
  /** By name. */
  readonly flavor?: string
  readonly project?: string | null
  readonly zone?: string | null
  readonly image?: string | null
  readonly image_properties?: JsonObject
  readonly hints?: JsonObject
  /** The instance itself, where it exists already. */
  readonly instance?: string | null
  readonly server_group?: {
    readonly policy: ServerGroupView['policy']
    readonly max_server_per_host?: number
    /** How many members are on which host. */
    readonly members?: Readonly<Record<string, number>>
  } | null
  readonly host?: HostItem
  /** Instead of what is set for this server. */
  readonly settings?: SettingsItem
}

export interface HostItem {
  readonly name?: string
  readonly enabled?: boolean
  readonly disabled_reason?: string | null
  readonly up?: boolean
  readonly forced_down?: boolean
  readonly num_instances?: number
  readonly num_io_ops?: number
  readonly instances?: readonly string[]
  /** By Nova's names; statistics are under `stats`. */
  readonly attributes?: JsonObject
}

export interface SettingsItem {
  readonly max_instances_per_host?: number
  readonly max_io_ops_per_host?: number
  readonly default_availability_zone?: string
  readonly default_image_architecture?: string | null
  readonly isolated_hosts?: readonly string[]
  readonly isolated_images?: readonly string[]
  readonly restrict_isolated_hosts_to_isolated_images?: boolean
}

export interface FilterResult {
  readonly passes: boolean
  readonly reasons: readonly Reason[]
  readonly notes: readonly Note[]
}

/** What a filter says to each item, in their order; null if there is no such filter. */
export function evaluateFilter(
  name: string,
  items: readonly FilterItem[],
  settings: SchedulingSettings = DEFAULT_SETTINGS,
): FilterResult[] | null {
  const filter = filterNamed(name)
  if (filter === undefined) return null
  return items.map(item => {
    const verdict = filter.check(requestOf(item), hostOf(item), settingsOf(item.settings ?? {}, settings))
    return { reasons: [], ...verdict }
  })
}

const settingsOf = (item: SettingsItem, settings: SchedulingSettings): SchedulingSettings => ({
  ...settings,
  maxInstancesPerHost: item.max_instances_per_host ?? settings.maxInstancesPerHost,
  maxIoOpsPerHost: item.max_io_ops_per_host ?? settings.maxIoOpsPerHost,
  defaultAvailabilityZone: item.default_availability_zone ?? settings.defaultAvailabilityZone,
  defaultImageArchitecture: item.default_image_architecture ?? settings.defaultImageArchitecture,
  isolatedHosts: item.isolated_hosts ?? settings.isolatedHosts,
  isolatedImages: item.isolated_images ?? settings.isolatedImages,
  restrictIsolatedHostsToIsolatedImages:
    item.restrict_isolated_hosts_to_isolated_images ?? settings.restrictIsolatedHostsToIsolatedImages,
})

function requestOf(item: FilterItem): SchedulingRequest {
  const { project = null, zone = null, image = null, instance = null, image_properties = {} } = item
  return {
    operation: 'create',
    instance,
    flavor: flavorOf(item),
    project,
    user: null,
    zone,
    targetHost: null,
    hints: hintsOf(item.hints ?? {}),
    image: { id: image, diskFormat: null, properties: new Map(Object.entries(image_properties)) },
    isVolumeBacked: false,
    group: groupOf(item.server_group ?? null),
  }
}

const flavorOf = ({ flavor = '', extra_specs = {} }: FilterItem): FlavorView => ({
  id: flavor,
  name: flavor,
  vcpus: 0,
  ramMib: 0,
  rootGb: 0,
  ephemeralGb: 0,
  swapMib: 0,
  extraSpecs: new Map(Object.entries(extra_specs)),
})

/** As they are given: who tries a filter out may name instances as they like. */
function hintsOf(given: JsonObject): Hints {
  const names = (hint: string): string[] => {
    const value = memberOf(given, hint) ?? null
    const all: readonly Json[] = isList(value) ? value : value === null ? [] : [value]
    return all.map(String)
  }
  return { sameHost: names('same_host'), differentHost: names('different_host'), query: queryIn(given) }
}

function groupOf(group: NonNullable<FilterItem['server_group']> | null): ServerGroupView | null {
  if (group === null) return null
  const { policy, max_server_per_host: maxServerPerHost = 1, members = {} } = group
  return { uuid: '', policy, maxServerPerHost, membersByHost: new Map(Object.entries(members)) }
}

function hostOf({ host = {}, aggregates = [] }: FilterItem): HostView {
  const instances = new Set(host.instances)
  const attributes = host.attributes ?? {}
  return {
    name: host.name ?? '',
    isEnabled: host.enabled ?? true,
    disabledReason: host.disabled_reason ?? null,
    isUp: host.forced_down === true ? false : (host.up ?? true),
    isForcedDown: host.forced_down ?? false,
    aggregates: aggregates.map(aggregateOf),
    ramMibFree: 0,
    diskMibFree: 0,
    vcpusTotal: 0,
    vcpusUsed: 0,
    cpuAllocationRatio: 1,
    instanceCount: host.num_instances ?? instances.size,
    ioOpsCount: host.num_io_ops ?? 0,
    failedBuilds: 0,
    pciDevicesFree: 0,
    hasInstance: uuid => instances.has(uuid),
    instanceImages: () => [],
    metric: () => undefined,
    attribute: name => memberOf(attributes, name) ?? GIVEN.get(name)?.(host),
  }
}

/** Attributes that may be given as fields of their own. */
const GIVEN: ReadonlyMap<string, (host: HostItem) => Json | undefined> = new Map<
  string,
  (host: HostItem) => Json | undefined
>([
  ['host', ({ name }) => name],
  ['num_instances', ({ num_instances }) => num_instances],
  ['num_io_ops', ({ num_io_ops }) => num_io_ops],
])

/** Named by their place, from 1. */
const aggregateOf = (metadata: Readonly<Record<string, string>>, at: number): AggregateView => ({
  id: at + 1,
  uuid: '',
  name: `#${at + 1}`,
  metadata: new Map(Object.entries(metadata)),
})
