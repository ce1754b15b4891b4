import type { JsonValue } from '../framework/json-value.ts'

/**
 * What filters and weighers may know of a host. It is read-only and can be backed lazily, by getters: most requests
 * look at few of the fields of most hosts.
 */

/** What is worked out from the metadata is kept by identity: whoever changes it makes a new object. */
export interface AggregateView {
  readonly id: number
  readonly uuid: string
  readonly name: string
  /** As Nova keeps it: the zone is in it too, as `availability_zone`. */
  readonly metadata: ReadonlyMap<string, string>
}

export interface HostView {
  readonly name: string
  readonly isEnabled: boolean
  readonly disabledReason: string | null
  readonly isUp: boolean
  /** Why it is not up: an operator said so. */
  readonly isForcedDown: boolean
  /** Hosts in the same aggregates had better share the list: what depends on it alone is then worked out once. */
  readonly aggregates: readonly AggregateView[]

  /** What may be below nothing: claims never make it so, but a shrunken inventory does. */
  readonly ramMibFree: number
  readonly diskMibFree: number
  readonly vcpusTotal: number
  readonly vcpusUsed: number
  readonly cpuAllocationRatio: number
  readonly instanceCount: number
  /** Instances that are being built, moved, rescued and the like. */
  readonly ioOpsCount: number
  readonly failedBuilds: number
  readonly pciDevicesFree: number

  hasInstance(uuid: string): boolean
  /** What the images of its instances said, one of each instance. */
  instanceImages(): Iterable<ReadonlyMap<string, JsonValue>>
  /** Measured on the host; undefined where nobody measures it. */
  metric(name: string): number | undefined
  /**
   * By Nova's name: a figure such as `free_ram_mb`, or what the host declares: `hypervisor_type`, `cpu_info`, `stats`.
   * Undefined where it has no such attribute, null where it has one without a value.
   */
  attribute(name: string): JsonValue | undefined
}

/**
 * Whether a further claim on the host changes a member. `simulate` counts a host at once only if no filter reads what changes, so
 * every member is declared here: one without a line does not compile. `attribute` reads figures through the members.
 */
export const CHANGED_BY_CLAIMS: Readonly<Record<keyof HostView, boolean>> = {
  name: false,
  isEnabled: false,
  disabledReason: false,
  isUp: false,
  isForcedDown: false,
  aggregates: false,
  ramMibFree: true,
  diskMibFree: true,
  vcpusTotal: false,
  vcpusUsed: true,
  cpuAllocationRatio: false,
  instanceCount: true,
  ioOpsCount: false,
  failedBuilds: false,
  pciDevicesFree: true,
  // Asked about a server that is there already; the servers that are counted are new.
  hasInstance: false,
  instanceImages: true,
  metric: false,
  attribute: false,
}

const figures: ReadonlyMap<string, (host: HostView) => JsonValue> = new Map<
  string,
  (host: HostView) => JsonValue
>([
  ['host', host => host.name],
  ['nodename', host => host.name],
  ['hypervisor_hostname', host => host.name],
  ['free_ram_mb', host => host.ramMibFree],
  ['free_disk_mb', host => host.diskMibFree],
  ['vcpus_total', host => host.vcpusTotal],
  ['vcpus_used', host => host.vcpusUsed],
  ['cpu_allocation_ratio', host => host.cpuAllocationRatio],
  ['num_instances', host => host.instanceCount],
  ['num_io_ops', host => host.ioOpsCount],
  ['failed_builds', host => host.failedBuilds],
])

/** What a host has of Nova's figures, for the `attribute` of a view that adds what the host declares. */
export const figureOf = (host: HostView, name: string): JsonValue | undefined => figures.get(name)?.(host)
