import { DEFAULT_SETTINGS } from '../scheduling/framework/settings.ts'
import { ALL_FILTERS, ALL_WEIGHERS, DEFAULT_FILTERS, DEFAULT_WEIGHERS } from '../scheduling/hosts/registry.ts'
import type { Key } from './keys.ts'
import { decimal, flag, integer, type Kind, list, numbers, optional, words } from './kinds.ts'

const key = <T>(kind: Kind<T>, value: T, description: string): Key<T> => ({
  kind,
  default: value,
  group: 'Scheduling',
  description,
})

const namesOf = (parts: readonly { readonly name: string }[]): string[] => parts.map(({ name }) => name)

/** A list of names out of those that there are. */
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
 * How hosts are chosen, by the names of Nova's options. The multipliers of weighers are one key and not one each: a
 * weigher stays one file and one line in its registry, and `--help` stays readable.
 */
export const schedulingKeys = {
  enabled_filters: key(
    namesOutOf('filter', namesOf(ALL_FILTERS)),
    namesOf(DEFAULT_FILTERS),
    'The filters that every host must pass, in the order in which they are asked. Nova’s option of the same name. The order decides nothing but which filter is counted as the one that removed a host; what is cheap and removes most had better come first. See `docs/reference/filters.md`.',
  ),
  weight_classes: key(
    namesOutOf('weigher', namesOf(ALL_WEIGHERS)),
    namesOf(DEFAULT_WEIGHERS),
    'The weighers that put the hosts that pass in order. Nova’s option of the same name, with names where Nova has paths of classes. Empty, hosts stay in the order in which they were found.',
  ),
  weight_multipliers: key(
    multipliers,
    d.weightMultipliers,
    'The multipliers of weighers, by the names of Nova’s options, such as `ram_weight_multiplier=-1`. One that is not named has its default, which `docs/reference/filters.md` lists; the metadata of an aggregate overrides it for the hosts in it, under the same name.',
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
    'What MetricsWeigher says of a host that lacks one of the metrics. Nova’s option `weight_of_unavailable` of its group `metrics`.',
  ),
  host_subset_size: key(
    integer(1, COUNT_MAX),
    d.hostSubsetSize,
    'Of how many of the best hosts one is drawn. Nova’s option of the same name. 1 takes the best.',
  ),
  shuffle_best_same_weighed_hosts: key(
    flag(),
    d.shuffleBestSameWeighedHosts,
    'Put the hosts that share the best weight in random order. Nova’s option of the same name.',
  ),
  max_placement_results: key(
    integer(1, COUNT_MAX),
    d.candidatesMax,
    'The most candidates that a request looks at. Nova’s option of the same name. A request for a named host, with a server group or about the hosts of other instances looks at all of them, so that what it needs is not lost to the limit; and so does one that finds nothing among those.',
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
    'The architecture of images that do not say theirs, for ImagePropertiesFilter. Nova’s option of the same name. Absent, such images go to hosts of any.',
  ),
  isolated_hosts: key(
    texts('names of hosts', 'host'),
    d.isolatedHosts,
    'The hosts that IsolatedHostsFilter keeps for isolated images. Nova’s option of the same name.',
  ),
  isolated_images: key(
    texts('ids of images', 'id'),
    d.isolatedImages,
    'The images that IsolatedHostsFilter keeps to isolated hosts. Nova’s option of the same name.',
  ),
  restrict_isolated_hosts_to_isolated_images: key(
    flag(),
    d.restrictIsolatedHostsToIsolatedImages,
    'Keep other images away from isolated hosts. Nova’s option of the same name.',
  ),
  enable_isolated_aggregate_filtering: key(
    flag(),
    d.isolateAggregates,
    'Keep requests out of aggregates with `trait:X = required` in their metadata unless they require X. Nova’s option of the same name, whose default is false; but who writes such metadata wants nothing else by it.',
  ),
  limit_tenants_to_placement_aggregate: key(
    flag(),
    d.limitProjectsToAggregates,
    'Keep a project to the aggregates whose `filter_tenant_id*` names it. Nova’s option of the same name.',
  ),
  placement_aggregate_required_for_tenants: key(
    flag(),
    d.aggregateRequiredForProjects,
    'With `limit_tenants_to_placement_aggregate`, a project that no aggregate names gets no host at all. Nova’s option of the same name.',
  ),
  query_placement_for_image_type_support: key(
    flag(),
    d.requireImageTypeSupport,
    'Ask only for hosts that say, by a trait, that they can read the disk format of the image. Nova’s option of the same name.',
  ),
  image_metadata_prefilter: key(
    flag(),
    d.requireImageMetadataTraits,
    'Ask only for hosts that say, by traits, that they have the devices that the image names. Nova’s option of the same name.',
  ),
}
