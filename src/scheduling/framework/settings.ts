/** What operators set for filters, prefilters and weighers, with Nova's defaults unless said otherwise. */
export interface SchedulingSettings {
  readonly maxInstancesPerHost: number
  readonly maxIoOpsPerHost: number
  /** The zone of hosts that are in no aggregate with a zone. */
  readonly defaultAvailabilityZone: string
  /** Of images that do not say theirs. */
  readonly defaultImageArchitecture: string | null
  readonly isolatedHosts: readonly string[]
  readonly isolatedImages: readonly string[]
  readonly restrictIsolatedHostsToIsolatedImages: boolean

  /** Keep requests out of aggregates with `trait:X = required` whose X they do not require. */
  readonly isolateAggregates: boolean
  /** Keep a project to the aggregates that name it; and whether a project that none names may go anywhere. */
  readonly limitProjectsToAggregates: boolean
  readonly aggregateRequiredForProjects: boolean
  readonly requireImageTypeSupport: boolean
  readonly requireImageMetadataTraits: boolean
  readonly candidatesMax: number
  /** How many groups a request may have, and how many partial combinations may be looked at for it. */
  readonly requestGroupsMax: number
  readonly searchStepsMax: number
  /** So many of the best hosts are as good as each other: one of them is drawn. */
  readonly hostSubsetSize: number
  /** Hosts that share the best weight are put in random order. */
  readonly shuffleBestSameWeighedHosts: boolean

  /** By the name that an aggregate's metadata overrides it with. One that is not here has its weigher's default. */
  readonly weightMultipliers: Readonly<Record<string, number>>
  /** Empty: all properties weigh the same. */
  readonly imagePropertyWeights: Readonly<Record<string, number>>
  readonly metricWeights: Readonly<Record<string, number>>
  /** Of a host that lacks one of these metrics. */
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
  // Nova's default is off; but who writes such metadata wants nothing else by it.
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
  weightMultipliers: {},
  imagePropertyWeights: {},
  metricWeights: {},
  weightOfUnavailableMetric: -10_000,
}
