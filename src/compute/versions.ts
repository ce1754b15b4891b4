import { defineMicroversions, type FeatureRow } from '../kernel/microversions.ts'

/**
 * Microversions of Nova that change something for the resources that Berth has. All versions from the first to the last are
 * accepted: those not listed concern servers, volumes, networks and the like.
 */
const rows = [
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
] as const satisfies readonly FeatureRow[]

type Feature = (typeof rows)[number][1]
export type Features = { readonly [F in Feature]: boolean }

const MINOR_MAX = 93
export const versions = defineMicroversions<Features>(2, 1, MINOR_MAX, rows)
