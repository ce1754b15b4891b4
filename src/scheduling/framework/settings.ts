/** Settings of filters, prefilters and weighers, with Nova's defaults unless stated otherwise. */
export interface SchedulingSettings {
  readonly maxInstancesPerHost: number
  readonly maxIoOpsPerHost: number
  /** The zone of hosts without one. */
  readonly defaultAvailabilityZone: string
  /** The default of images that name none. */
  readonly defaultImageArchitecture: string | null
  readonly isolatedHosts: readonly string[]
  readonly isolatedImages: readonly string[]
  readonly restrictIsolatedHostsToIsolatedImages: boolean

  /** Keep requests out of aggregates with `trait:X = required` whose X they do not require. */
  readonly isolateAggregates: boolean
  /** Restricts a project to the aggregates that name it. The second setting bars projects that no aggregate names. */
  readonly limitProjectsToAggregates: boolean
  readonly aggregateRequiredForProjects: boolean
  readonly requireImageTypeSupport: boolean
  readonly requireImageMetadataTraits: boolean
  readonly candidatesMax: number
  /** Limits on groups per request, and on partial combinations that the search tries. */
  readonly requestGroupsMax: number
  readonly searchStepsMax: number
  /** One of this many best hosts is chosen at random. */
  readonly hostSubsetSize: number
  /** Shuffle hosts that share the best weight. */
  readonly shuffleBestSameWeighedHosts: boolean
  /** One of the hosts whose weight is at most this much below the best is chosen at random. */
  readonly nearEqualWeight: number

  /** By the metadata key that overrides it. A missing multiplier is the default of its weigher. */
  readonly weightMultipliers: Readonly<Record<string, number>>
  /** What one unit of a class counts for BestFitWeigher. Empty: by the share of the host's capacity. */
  readonly bestFitWeights: Readonly<Record<string, number>>
  /** What one unit of a class counts for FragmentationWeigher. Empty: by what servers have on average. */
  readonly fragmentationWeights: Readonly<Record<string, number>>
  /** Empty: all properties have the same weight. */
  readonly imagePropertyWeights: Readonly<Record<string, number>>
  readonly metricWeights: Readonly<Record<string, number>>
  /** The weight of a host that lacks one of these metrics. */
  readonly weightOfUnavailableMetric: number
}

export const DEFAULT_SETTINGS: SchedulingSettings = {
  maxInstancesPerHost: 50,
  maxIoOpsPerHost: 8,
  defaultAvailabilityZone: 'nova',
  defaultImageArchitecture: null,
  isolatedHosts: [],
  isolatedImages: [],
  restrictIsolatedHostsToIsolatedImages: true,
  // Off by default in Nova; on here, because such metadata has no other purpose.
  isolateAggregates: true,
  limitProjectsToAggregates: false,
  aggregateRequiredForProjects: false,
  requireImageTypeSupport: false,
  requireImageMetadataTraits: false,
  candidatesMax: 1000,
  requestGroupsMax: 200,
  searchStepsMax: 1_000_000,
  hostSubsetSize: 1,
  shuffleBestSameWeighedHosts: false,
  nearEqualWeight: 0,
  weightMultipliers: {},
  bestFitWeights: {},
  fragmentationWeights: {},
  imagePropertyWeights: {},
  metricWeights: {},
  weightOfUnavailableMetric: -10_000,
}
