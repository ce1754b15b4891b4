import type { JsonValue } from '../framework/json-value.ts'
import type { HostClaim } from './packing/host-claim.ts'

/**
 * What filters and weighers can read of a host. It is read-only and may be computed lazily, because most
 * requests read few fields of most hosts.
 */

/** Caches are keyed by identity, so a change of metadata makes a new object. */
export interface AggregateView {
  readonly id: number
  readonly uuid: string
  readonly name: string
  /** As in Nova, includes the zone as `availability_zone`. */
  readonly metadata: ReadonlyMap<string, string>
}

export interface HostView {
  readonly name: string
  readonly isEnabled: boolean
  readonly disabledReason: string | null
  readonly isUp: boolean
  /** An operator forced it down. */
  readonly isForcedDown: boolean
  /** Hosts in the same aggregates should share one list: results that depend only on it are then computed once. */
  readonly aggregates: readonly AggregateView[]

  /** Negative if an inventory shrank below its usage; claims never make it negative. */
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
  /** The candidate that is considered, and the room before it, where a weigher compares candidates. */
  readonly claim?: HostClaim | undefined

  hasInstance(uuid: string): boolean
  /** Whether the provider that would serve a request group has the trait; for group '', any provider of the host. */
  hasTrait(trait: string, group: string): boolean
  /** Image properties, one map per instance. */
  instanceImages(): Iterable<ReadonlyMap<string, JsonValue>>
  /** Undefined if it is not measured. */
  metric(name: string): number | undefined
  /**
   * By Nova's name: a figure such as `free_ram_mb`, or what the host declares: `hypervisor_type`, `cpu_info`, `stats`.
   * Undefined if it has no such attribute, null if the attribute has no value.
   */
  attribute(name: string): JsonValue | undefined
}

/**
 * Whether a further claim on the host changes a member. `simulate` can compute how many servers fit on a host
 * only if no filter reads a member that changes. The compiler requires a line for every member. `attribute`
 * reads figures through the members.
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
  claim: true,
  // Only asked about existing servers, and the counted servers are new.
  hasInstance: false,
  // A claim may leave a group to another provider.
  hasTrait: true,
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

/** Nova's figures of a host. A view's `attribute` adds the declared ones. */
export const getFigure = (host: HostView, name: string): JsonValue | undefined => figures.get(name)?.(host)
