import { defineMicroversions, type FeatureRow } from '../kernel/microversions.ts'

/**
 * Microversions of Nova that change something for the resources that Berth has. All versions from the first to the last are
 * accepted: those not listed concern volumes, networks, writes to servers and the like.
 */
const rows = [
  [3, 'serverAttributes', 'servers show more attributes to admins'],
  [7, 'accessNeedsPrivate', 'access cannot be added to a public flavor'],
  [9, 'serverLocks', 'servers show whether they are locked'],
  [10, 'keysOfOthers', 'admins list the key pairs of another user'],
  [11, 'forcedDown', 'services can be forced down'],
  [13, 'groupOwner', 'server groups show project and user'],
  [15, 'softPolicies', 'soft affinity and soft anti-affinity'],
  [16, 'hostStatus', 'servers show the state of their host to admins'],
  [19, 'serverDescription', 'servers have a description'],
  [26, 'serverTags', 'servers have tags'],
  [28, 'cpuInfoObject', 'cpu_info of a hypervisor is an object'],
  [33, 'hypervisorPages', 'hypervisors come in pages'],
  [36, 'noNetworkQuotas', 'no limits and quotas of networks'],
  [38, 'strictStatus', 'an unknown status in a list of servers is refused'],
  [39, 'noImageMetadata', 'no limit for metadata of images'],
  [40, 'usagePages', 'usage of projects comes in pages'],
  [41, 'aggregateUuids', 'aggregates show their uuid'],
  [43, 'noHosts', 'os-hosts is gone'],
  [47, 'serverFlavors', 'servers show the sizes of their flavor in place of its id'],
  [53, 'uuids', 'services and hypervisors have uuids'],
  [55, 'flavorDescription', 'flavors have a description'],
  [57, 'noFileQuotas', 'no limits and quotas of injected files'],
  [61, 'flavorExtraSpecs', 'flavors show their extra specs'],
  [63, 'serverCertificates', 'servers show trusted certificates'],
  [64, 'groupRules', 'a server group has one policy, and rules'],
  [66, 'changesBefore', 'servers can be listed by their last change, until a time'],
  [71, 'serverGroupsOfServers', 'a server shows its server groups'],
  [73, 'lockReasons', 'servers show why they are locked'],
  [75, 'strictQueries', 'unknown query parameters are refused, swap is a number'],
  [81, 'aggregateImages', 'images can be cached on the hosts of an aggregate'],
  [83, 'moreFilters', 'every user can filter servers by zone, state, user and so on'],
  [86, 'checkedExtraSpecs', 'extra specs of known namespaces are checked'],
  [88, 'plainHypervisors', 'hypervisors show their uptime, and no statistics'],
  [90, 'openHostname', 'servers show their hostname to every user'],
] as const satisfies readonly FeatureRow[]

type Feature = (typeof rows)[number][1]
export type Features = { readonly [F in Feature]: boolean }

const MINOR_MAX = 93
export const versions = defineMicroversions<Features>(2, 1, MINOR_MAX, rows)
