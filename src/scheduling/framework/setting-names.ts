import type { SchedulingSettings } from './settings.ts'

/** The name of each setting for operators and callers: Nova's option, if there is one. */
export const SETTING_NAMES = {
  maxInstancesPerHost: 'max_instances_per_host',
  maxIoOpsPerHost: 'max_io_ops_per_host',
  defaultAvailabilityZone: 'default_availability_zone',
  defaultImageArchitecture: 'image_properties_default_architecture',
  isolatedHosts: 'isolated_hosts',
  isolatedImages: 'isolated_images',
  restrictIsolatedHostsToIsolatedImages: 'restrict_isolated_hosts_to_isolated_images',
  isolateAggregates: 'enable_isolated_aggregate_filtering',
  limitProjectsToAggregates: 'limit_tenants_to_placement_aggregate',
  aggregateRequiredForProjects: 'placement_aggregate_required_for_tenants',
  requireImageTypeSupport: 'query_placement_for_image_type_support',
  requireImageMetadataTraits: 'image_metadata_prefilter',
  candidatesMax: 'max_placement_results',
  requestGroupsMax: 'max_request_groups',
  searchStepsMax: 'max_search_steps',
  hostSubsetSize: 'host_subset_size',
  shuffleBestSameWeighedHosts: 'shuffle_best_same_weighed_hosts',
  nearEqualWeight: 'near_equal_weight',
  bestFitWeights: 'best_fit_weight_setting',
  fragmentationWeights: 'fragmentation_weight_setting',
  weightMultipliers: 'weight_multipliers',
  imagePropertyWeights: 'image_props_weight_setting',
  metricWeights: 'metrics_weight_setting',
  weightOfUnavailableMetric: 'metrics_weight_of_unavailable',
} as const satisfies Record<keyof SchedulingSettings, string>

/** Settings by these names. */
export type NamedSettings = {
  readonly [F in keyof SchedulingSettings as (typeof SETTING_NAMES)[F]]: SchedulingSettings[F]
}

/** The given settings; all others come from the base. */
export function mergeSettings(given: Partial<NamedSettings>, base: SchedulingSettings): SchedulingSettings {
  const named = Object.entries(SETTING_NAMES).flatMap(([field, name]) =>
    given[name] === undefined ? [] : [[field, given[name]] as const],
  )
  return named.length === 0 ? base : { ...base, ...Object.fromEntries(named) }
}
