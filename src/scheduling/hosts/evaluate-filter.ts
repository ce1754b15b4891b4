import { getMember, isList, type JsonObject, type JsonValue } from '../framework/json-value.ts'
import type { Note, Reason } from '../framework/refusal.ts'
import { mergeSettings } from '../framework/setting-names.ts'
import { DEFAULT_SETTINGS, type SchedulingSettings } from '../framework/settings.ts'
import type { FilterItem, HostItem } from './filter-item.ts'
import type { AggregateView, HostView } from './host-view.ts'
import { readQuery } from './query/hints.ts'
import { filterNamed } from './registry.ts'
import type { FlavorView, Hints, SchedulingRequest, ServerGroupView } from './request-view.ts'

export interface FilterResult {
  readonly passes: boolean
  readonly reasons: readonly Reason[]
  readonly notes: readonly Note[]
}

/** The verdict of a filter on each item, in order; null if there is no such filter. */
export function evaluateFilter(
  name: string,
  items: readonly FilterItem[],
  settings: SchedulingSettings = DEFAULT_SETTINGS,
): FilterResult[] | null {
  const filter = filterNamed(name)
  if (filter === undefined) return null
  return items.map(item => {
    const verdict = filter.check(requestOf(item), hostOf(item), mergeSettings(item.settings ?? {}, settings))
    return { reasons: [], ...verdict }
  })
}

export function requestOf(item: Omit<FilterItem, 'host' | 'aggregates'>): SchedulingRequest {
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

const flavorOf = ({
  flavor = '',
  extra_specs = {},
}: Pick<FilterItem, 'flavor' | 'extra_specs'>): FlavorView => ({
  id: flavor,
  name: flavor,
  vcpus: 0,
  ramMib: 0,
  rootGb: 0,
  ephemeralGb: 0,
  swapMib: 0,
  extraSpecs: new Map(Object.entries(extra_specs)),
})

/** Takes names as given: instances of a dry run may have any name. */
function hintsOf(given: JsonObject): Hints {
  const names = (hint: string): string[] => {
    const value = getMember(given, hint) ?? null
    const all: readonly JsonValue[] = isList(value) ? value : value === null ? [] : [value]
    return all.map(String)
  }
  return { sameHost: names('same_host'), differentHost: names('different_host'), query: readQuery(given) }
}

function groupOf(group: NonNullable<FilterItem['server_group']> | null): ServerGroupView | null {
  if (group === null) return null
  const { policy, max_server_per_host: maxServerPerHost = 1, members = {} } = group
  return { uuid: '', policy, maxServerPerHost, membersByHost: new Map(Object.entries(members)) }
}

export function hostOf({ host = {}, aggregates = [] }: Pick<FilterItem, 'host' | 'aggregates'>): HostView {
  const instances = new Set(host.instances)
  const traits = new Set(host.traits)
  const { attributes = {}, metrics = {}, instance_images = [] } = host
  const images = instance_images.map(properties => new Map(Object.entries(properties)))
  return {
    name: host.name ?? '',
    isEnabled: host.enabled ?? true,
    disabledReason: host.disabled_reason ?? null,
    isUp: host.forced_down === true ? false : (host.up ?? true),
    isForcedDown: host.forced_down ?? false,
    aggregates: aggregates.map(aggregateOf),
    ramMibFree: host.free_ram_mb ?? 0,
    diskMibFree: host.free_disk_mb ?? 0,
    vcpusTotal: host.vcpus_total ?? 0,
    vcpusUsed: host.vcpus_used ?? 0,
    cpuAllocationRatio: host.cpu_allocation_ratio ?? 1,
    instanceCount: host.num_instances ?? instances.size,
    ioOpsCount: host.num_io_ops ?? 0,
    failedBuilds: host.failed_builds ?? 0,
    pciDevicesFree: host.free_pci_devices ?? 0,
    hasInstance: uuid => instances.has(uuid),
    hasTrait: trait => traits.has(trait),
    instanceImages: () => images,
    metric: name => (Object.hasOwn(metrics, name) ? metrics[name] : undefined),
    attribute: name => getMember(attributes, name) ?? GIVEN.get(name)?.(host),
  }
}

/** Attributes that may be given as separate fields, with Nova's names. */
const GIVEN: ReadonlyMap<string, (host: HostItem) => JsonValue | undefined> = new Map<
  string,
  (host: HostItem) => JsonValue | undefined
>([
  ['host', ({ name }) => name],
  ...(
    [
      'free_ram_mb',
      'free_disk_mb',
      'vcpus_total',
      'vcpus_used',
      'cpu_allocation_ratio',
      'num_instances',
      'num_io_ops',
      'failed_builds',
    ] as const
  ).map(name => [name, (host: HostItem) => host[name]] as const),
])

/** Aggregates get their position as name, from 1. */
const aggregateOf = (metadata: Readonly<Record<string, string>>, at: number): AggregateView => ({
  id: at + 1,
  uuid: '',
  name: `#${at + 1}`,
  metadata: new Map(Object.entries(metadata)),
})
