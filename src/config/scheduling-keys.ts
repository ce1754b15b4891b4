import { DEFAULT_SETTINGS } from '../scheduling/framework/settings.ts'
import { ALL_FILTERS, ALL_WEIGHERS, DEFAULT_FILTERS, DEFAULT_WEIGHERS } from '../scheduling/hosts/registry.ts'
import { WEIGHT_PROFILE_NAMES } from '../scheduling/hosts/weight-profiles.ts'
import type { Key } from './keys.ts'
import {
  choice,
  decimal,
  decimalIn,
  flag,
  integer,
  type Kind,
  list,
  numbers,
  optional,
  words,
} from './kinds.ts'

const key = <T>(kind: Kind<T>, value: T, description: string): Key<T> => ({
  kind,
  default: value,
  group: 'Scheduling',
  description,
})

const namesOf = (parts: readonly { readonly name: string }[]): string[] => parts.map(({ name }) => name)

/** A list of known names. */
function namesOutOf(what: string, known: readonly string[]): Kind<readonly string[]> {
  const allowed = `any of ${known.map(name => `\`${name}\``).join(', ')}`
  return list(allowed, `${what},...`, name => (known.includes(name) ? null : `is no ${what}`))
}

const multiplierByKey = new Map(ALL_WEIGHERS.map(weigher => [weigher.multiplierKey, weigher]))

const multipliers = numbers(
  `\`name=number\`, the names being ${[...multiplierByKey.keys()].map(name => `\`${name}\``).join(', ')}`,
  'name=number,...',
  (name, value) => {
    const weigher = multiplierByKey.get(name)
    if (weigher === undefined) return 'is the multiplier of no weigher'
    const min = weigher.multiplierMin ?? Number.NEGATIVE_INFINITY
    return value < min ? `is less than ${min}` : null
  },
)

const weights = (what: string): Kind<Readonly<Record<string, number>>> =>
  numbers(`\`name=number\`, the names being ${what}`, 'name=number,...', () => null)

const texts = (what: string, placeholder: string): Kind<readonly string[]> =>
  list(what, `${placeholder},...`, () => null)

const d = DEFAULT_SETTINGS
const COUNT_MAX = 1_000_000_000

/**
 * The scheduler's options, with Nova's names. One key holds the multipliers of all weighers: so a weigher
 * needs only one file and one line in its registry, and `--help` stays readable.
 */
export const schedulingKeys = {
  enabled_filters: key(
    namesOutOf('filter', namesOf(ALL_FILTERS)),
    namesOf(DEFAULT_FILTERS),
    'The filters that every host must pass, in the order in which they run. Nova’s option of the same name. The order only decides which filter counts as the one that removed a host; put cheap filters that remove many hosts first. See `docs/reference/filters.md`.',
  ),
  weight_classes: key(
    namesOutOf('weigher', namesOf(ALL_WEIGHERS)),
    namesOf(DEFAULT_WEIGHERS),
    'The weighers that rank the hosts that pass the filters. Nova’s option of the same name, with names instead of class paths. Empty, hosts stay in the order in which they were found.',
  ),
  weight_profile: key(
    choice(...WEIGHT_PROFILE_NAMES),
    'spread',
    'How hosts are ranked, in one word. `spread`, like Nova’s default: the hosts with most left. `pack`: the hosts with least left, over all classes. `pack-gpu`: the host and the devices where the expected mix of requests loses least. A profile adds its weighers to `weight_classes` and sets their multipliers, unless `weight_multipliers` names them; it does not touch `nova_weighers`. See `docs/reference/scheduling.md`.',
  ),
  nova_filters: key(
    namesOutOf('filter', namesOf(ALL_FILTERS)),
    ['AggregateInstanceTypeFilter'],
    'The filters that `POST /v1/nova/filter` runs for Nova’s scheduler, in this order. Nova’s own filters run beside them, so name here what Nova lacks. See `docs/how-to/nova-plugin.md`.',
  ),
  nova_weighers: key(
    namesOutOf('weigher', namesOf(ALL_WEIGHERS)),
    namesOf(DEFAULT_WEIGHERS),
    'The weighers that `POST /v1/nova/weigh` adds up for Nova’s scheduler, with `weight_multipliers`.',
  ),
  nova_group_claim_seconds: key(
    integer(60, 86_400),
    3_600,
    'How long a claim for a server is checked against the policy of its server group after Nova’s scheduler asked about it. Longer than a build may take with all its attempts.',
  ),
  manila_claim_seconds: key(
    integer(60, 86_400),
    600,
    'How long a pool that `POST /v1/manila/place` chose for a share of Manila counts as its place, unless Manila’s database shows where the share is. See `docs/how-to/manila-plugin.md`.',
  ),
  refused_requests_per_hour: key(
    integer(0, 100_000),
    1_000,
    'How many refused requests of one user of Placement are kept as decisions in an hour, so that `berth explain` finds them: so many searches without a candidate, and so many claims that were answered with 409. The log counts those that are left out. 0 keeps none. See `docs/how-to/why-no-host.md`.',
  ),
  weight_multipliers: key(
    multipliers,
    d.weightMultipliers,
    'The multipliers of weighers, by the names of Nova’s options, such as `ram_weight_multiplier=-1`. Weighers that are not named have the defaults of `docs/reference/filters.md`. Metadata of an aggregate under the same name overrides the multiplier for its hosts.',
  ),
  image_props_weight_setting: key(
    weights('properties of images'),
    d.imagePropertyWeights,
    'How much each property of an image counts for ImagePropertiesWeigher. Nova’s option of the same name. Empty, all count the same.',
  ),
  metrics_weight_setting: key(
    weights('metrics of hosts'),
    d.metricWeights,
    'How much each metric counts for MetricsWeigher. Nova’s option `weight_setting` of its group `metrics`.',
  ),
  metrics_weight_of_unavailable: key(
    decimal(),
    d.weightOfUnavailableMetric,
    'The weight that MetricsWeigher gives a host without one of the metrics. Nova’s option `weight_of_unavailable` of its group `metrics`.',
  ),
  host_subset_size: key(
    integer(1, COUNT_MAX),
    d.hostSubsetSize,
    'The scheduler picks at random among this many of the best hosts. Nova’s option of the same name. 1 picks the best.',
  ),
  shuffle_best_same_weighed_hosts: key(
    flag(),
    d.shuffleBestSameWeighedHosts,
    'Put the hosts that share the best weight in random order. Nova’s option of the same name.',
  ),
  near_equal_weight: key(
    decimalIn(0, 1e15),
    d.nearEqualWeight,
    'The scheduler picks at random among the hosts whose weight is at most this much below the best. So parallel schedulers take different hosts, and a new host does not get every server. The seed of the choice is kept with the decision, which can be replayed. 0 picks the best.',
  ),
  best_fit_weight_setting: key(
    weights('resource classes'),
    d.bestFitWeights,
    'How much one unit of each resource class counts for BestFitWeigher. Empty, each class of a host counts by the share of its capacity.',
  ),
  fragmentation_weight_setting: key(
    weights('resource classes'),
    d.fragmentationWeights,
    'How much one unit of each resource class counts for FragmentationWeigher. Empty, each class counts by what the servers have of it on average.',
  ),
  max_placement_results: key(
    integer(1, COUNT_MAX),
    d.candidatesMax,
    'The most candidates that a request examines. Nova’s option of the same name. A request that names a host, a server group or other instances examines all candidates, so that the limit does not hide the ones it needs; so does a request that finds no host among the first.',
  ),
  default_availability_zone: key(
    words('a name', 'name'),
    d.defaultAvailabilityZone,
    'The zone of hosts that are in no aggregate with a zone. Nova’s option of the same name.',
  ),
  max_instances_per_host: key(
    integer(1, COUNT_MAX),
    d.maxInstancesPerHost,
    'The limit of NumInstancesFilter and AggregateNumInstancesFilter. Nova’s option of the same name.',
  ),
  max_io_ops_per_host: key(
    integer(0, COUNT_MAX),
    d.maxIoOpsPerHost,
    'The limit of IoOpsFilter and AggregateIoOpsFilter. Nova’s option of the same name.',
  ),
  image_properties_default_architecture: key(
    optional(words('an architecture such as `x86_64`', 'name')),
    d.defaultImageArchitecture,
    'The architecture of images without one, for ImagePropertiesFilter. Nova’s option of the same name. Absent, such images can go to hosts of any architecture.',
  ),
  isolated_hosts: key(
    texts('names of hosts', 'host'),
    d.isolatedHosts,
    'The hosts that IsolatedHostsFilter reserves for isolated images. Nova’s option of the same name.',
  ),
  isolated_images: key(
    texts('ids of images', 'id'),
    d.isolatedImages,
    'The images that IsolatedHostsFilter allows on isolated hosts only. Nova’s option of the same name.',
  ),
  restrict_isolated_hosts_to_isolated_images: key(
    flag(),
    d.restrictIsolatedHostsToIsolatedImages,
    'Keep other images away from isolated hosts. Nova’s option of the same name.',
  ),
  enable_isolated_aggregate_filtering: key(
    flag(),
    d.isolateAggregates,
    'Keep requests out of aggregates with `trait:X = required` in their metadata unless they require X. Nova’s option of the same name, whose default is false; such metadata has no other purpose, so Berth’s is true.',
  ),
  limit_tenants_to_placement_aggregate: key(
    flag(),
    d.limitProjectsToAggregates,
    'Restrict a project to the aggregates whose `filter_tenant_id*` names it. Nova’s option of the same name.',
  ),
  placement_aggregate_required_for_tenants: key(
    flag(),
    d.aggregateRequiredForProjects,
    'With `limit_tenants_to_placement_aggregate`, refuse every host to a project that no aggregate names. Nova’s option of the same name.',
  ),
  query_placement_for_image_type_support: key(
    flag(),
    d.requireImageTypeSupport,
    'Require hosts that have the trait for the disk format of the image. Nova’s option of the same name.',
  ),
  image_metadata_prefilter: key(
    flag(),
    d.requireImageMetadataTraits,
    'Require hosts that have the traits for the devices that the image names. Nova’s option of the same name.',
  ),
}
