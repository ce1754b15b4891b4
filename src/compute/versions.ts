/**
 * The microversions of the compute API that change something for the resources that Berth has. Every version from the
 * first to the last is honoured: those that are not here differ in servers, volumes, networks and the like only.
 */
const history = [
  [7, 'accessNeedsPrivate', 'access cannot be added to a public flavor'],
  [11, 'forcedDown', 'services can be forced down'],
  [13, 'groupOwner', 'server groups show project and user'],
  [15, 'softPolicies', 'soft affinity and soft anti-affinity'],
  [28, 'cpuInfoObject', 'cpu_info of a hypervisor is an object'],
  [33, 'hypervisorPages', 'hypervisors come in pages'],
  [41, 'aggregateUuids', 'aggregates show their uuid'],
  [43, 'noHosts', 'os-hosts is gone'],
  [53, 'uuids', 'services and hypervisors are known by uuids'],
  [55, 'flavorDescription', 'flavors have a description'],
  [61, 'flavorExtraSpecs', 'flavors show their extra specs'],
  [64, 'groupRules', 'a server group has one policy, and rules'],
  [75, 'strictQueries', 'unknown query parameters are refused, swap is a number'],
  [81, 'aggregateImages', 'images can be cached on the hosts of an aggregate'],
  [86, 'checkedExtraSpecs', 'extra specs of known namespaces are checked'],
  [88, 'plainHypervisors', 'hypervisors show their uptime, and statistics no longer'],
] as const

export type Feature = (typeof history)[number][1]
export type Features = { readonly [F in Feature]: boolean }

export const MINOR_MIN = 1
export const MINOR_MAX = 93
export const VERSION_MIN = `2.${MINOR_MIN}`
export const VERSION_MAX = `2.${MINOR_MAX}`

/** The features of version 2.`minor`, which must exist. */
export function featuresOf(minor: number): Features {
  return Object.fromEntries(history.map(([since, name]) => [name, minor >= since])) as Features
}

export const versionHistory: readonly { readonly version: string; readonly brings: string }[] = history.map(
  ([since, , brings]) => ({ version: `2.${since}`, brings }),
)
