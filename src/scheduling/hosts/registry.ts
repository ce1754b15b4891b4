import type { Filter } from '../framework/filter.ts'
import type { Weigher } from '../framework/weigher.ts'
import { aggregateImagePropertiesIsolation } from './filters/aggregate-image-properties-isolation.ts'
import { aggregateInstanceExtraSpecsFilter } from './filters/aggregate-instance-extra-specs.ts'
import { aggregateInstanceTypeFilter } from './filters/aggregate-instance-type/aggregate-instance-type.ts'
import { aggregateMultiTenancyIsolation } from './filters/aggregate-multi-tenancy-isolation.ts'
import { aggregateTypeAffinityFilter } from './filters/aggregate-type-affinity.ts'
import { allHostsFilter } from './filters/all-hosts.ts'
import { availabilityZoneFilter } from './filters/availability-zone.ts'
import { computeFilter } from './filters/compute.ts'
import { computeCapabilitiesFilter } from './filters/compute-capabilities.ts'
import { differentHostFilter } from './filters/different-host.ts'
import { imagePropertiesFilter } from './filters/image-properties.ts'
import { isolatedHostsFilter } from './filters/isolated-hosts.ts'
import { jsonFilter } from './filters/json.ts'
import {
  aggregateIoOpsFilter,
  aggregateNumInstancesFilter,
  ioOpsFilter,
  numInstancesFilter,
} from './filters/limits.ts'
import { sameHostFilter } from './filters/same-host.ts'
import { serverGroupAffinityFilter } from './filters/server-group-affinity.ts'
import { serverGroupAntiAffinityFilter } from './filters/server-group-anti-affinity.ts'
import { bestFitWeigher } from './weighers/best-fit.ts'
import { buildFailureWeigher } from './weighers/build-failure.ts'
import { cpuWeigher } from './weighers/cpu.ts'
import { crossCellWeigher } from './weighers/cross-cell.ts'
import { diskWeigher } from './weighers/disk.ts'
import { fragmentationWeigher } from './weighers/fragmentation.ts'
import { hypervisorVersionWeigher } from './weighers/hypervisor-version.ts'
import { imagePropertiesWeigher } from './weighers/image-properties.ts'
import { ioOpsWeigher } from './weighers/io-ops.ts'
import { metricsWeigher } from './weighers/metrics.ts'
import { numInstancesWeigher } from './weighers/num-instances.ts'
import { pciWeigher } from './weighers/pci.ts'
import { preferredTraitsWeigher } from './weighers/preferred-traits.ts'
import { ramWeigher } from './weighers/ram.ts'
import {
  serverGroupSoftAffinityWeigher,
  serverGroupSoftAntiAffinityWeigher,
} from './weighers/server-group-soft.ts'

interface Entry<T> {
  readonly part: T
  readonly isDefault: boolean
}
const byDefault = <T>(part: T): Entry<T> => ({ part, isDefault: true })
const onDemand = <T>(part: T): Entry<T> => ({ part, isDefault: false })

/** In the default order: cheap filters that remove most hosts come first. */
const FILTERS: readonly Entry<Filter>[] = [
  byDefault(computeFilter),
  byDefault(computeCapabilitiesFilter),
  byDefault(imagePropertiesFilter),
  byDefault(serverGroupAntiAffinityFilter),
  byDefault(serverGroupAffinityFilter),
  byDefault(availabilityZoneFilter),
  byDefault(sameHostFilter),
  byDefault(differentHostFilter),
  byDefault(aggregateInstanceTypeFilter),
  onDemand(aggregateInstanceExtraSpecsFilter),
  onDemand(aggregateTypeAffinityFilter),
  onDemand(aggregateMultiTenancyIsolation),
  onDemand(aggregateImagePropertiesIsolation),
  onDemand(numInstancesFilter),
  onDemand(aggregateNumInstancesFilter),
  onDemand(ioOpsFilter),
  onDemand(aggregateIoOpsFilter),
  onDemand(jsonFilter),
  onDemand(isolatedHostsFilter),
  onDemand(allHostsFilter),
]

const WEIGHERS: readonly Entry<Weigher>[] = [
  byDefault(ramWeigher),
  byDefault(cpuWeigher),
  byDefault(diskWeigher),
  byDefault(ioOpsWeigher),
  byDefault(pciWeigher),
  byDefault(buildFailureWeigher),
  byDefault(serverGroupSoftAffinityWeigher),
  byDefault(serverGroupSoftAntiAffinityWeigher),
  byDefault(hypervisorVersionWeigher),
  byDefault(numInstancesWeigher),
  byDefault(imagePropertiesWeigher),
  byDefault(metricsWeigher),
  byDefault(crossCellWeigher),
  byDefault(preferredTraitsWeigher),
  onDemand(bestFitWeigher),
  onDemand(fragmentationWeigher),
]

const parts = <T>(entries: readonly Entry<T>[]): readonly T[] => entries.map(({ part }) => part)
const defaults = <T>(entries: readonly Entry<T>[]): readonly T[] =>
  parts(entries.filter(({ isDefault }) => isDefault))

export const ALL_FILTERS = parts(FILTERS)
export const DEFAULT_FILTERS = defaults(FILTERS)
export const ALL_WEIGHERS = parts(WEIGHERS)
export const DEFAULT_WEIGHERS = defaults(WEIGHERS)

const filtersByName = new Map(ALL_FILTERS.map(filter => [filter.name, filter]))
const weighersByName = new Map(ALL_WEIGHERS.map(weigher => [weigher.name, weigher]))

export const filterNamed = (name: string): Filter | undefined => filtersByName.get(name)

interface Chosen<T> {
  readonly chosen: readonly T[]
  /** Unknown names. */
  readonly unknown: readonly string[]
  readonly warnings: readonly ListWarning[]
}

export type ListWarning =
  | { readonly code: 'named-twice'; readonly name: string }
  /** The two read the same keys with different meanings; a host must pass both. */
  | { readonly code: 'read-the-same-keys'; readonly names: readonly [string, string] }

/** The filters of an operator's list, in its order. */
export function chooseFilters(names: readonly string[]): Chosen<Filter> {
  const chosen = chooseFrom(filtersByName, names)
  const both = [aggregateInstanceTypeFilter.name, aggregateInstanceExtraSpecsFilter.name] as const
  if (!both.every(name => names.includes(name))) return chosen
  return { ...chosen, warnings: [...chosen.warnings, { code: 'read-the-same-keys', names: both }] }
}

export const chooseWeighers = (names: readonly string[]): Chosen<Weigher> => chooseFrom(weighersByName, names)

function chooseFrom<T>(byName: ReadonlyMap<string, T>, names: readonly string[]): Chosen<T> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const distinct = [...counts.keys()]
  return {
    chosen: distinct.flatMap(name => byName.get(name) ?? []),
    unknown: distinct.filter(name => !byName.has(name)),
    warnings: distinct
      .filter(name => (counts.get(name) as number) > 1)
      .map(name => ({ code: 'named-twice', name }) as const),
  }
}

/** Hints without effect, because no filter or weigher in use reads them. */
export function findUnreadHints(
  hints: Iterable<string>,
  inUse: readonly { readonly reads: { readonly hints?: readonly string[] } }[],
): string[] {
  const read = new Set(inUse.flatMap(({ reads }) => reads.hints ?? []))
  return [...hints].filter(hint => !read.has(hint))
}
