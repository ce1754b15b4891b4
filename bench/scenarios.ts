/** The scenarios and their targets. Queries have `{names}` that are filled in for every request. */
import { Random } from '../src/kernel/random.ts'
import { hostUuid, type Shape, zoneUuid } from './clouds.ts'
import type { Request } from './measure.ts'

export interface ReadScenario {
  readonly name: string
  readonly about: string
  readonly query: string
}

const FLAVOR = 'resources=VCPU:1,MEMORY_MB:1024,DISK_GB:10'

const groups = (count: number, policy: string, tree: string): string =>
  [
    ...['resources=VCPU:1,MEMORY_MB:1024', `group_policy=${policy}`, 'limit=1000'],
    ...(tree === '' ? [] : [`in_tree=${tree}`]),
    ...Array.from({ length: count }, (_, nth) => `resources_G${nth}=PGPU:1`),
    ...Array.from({ length: tree === '' ? 0 : count }, (_, nth) => `in_tree_G${nth}=${tree}`),
  ].join('&')

const FLAT: readonly ReadScenario[] = [
  {
    name: 'ac-typical',
    about: 'a flavor, two required traits',
    query: `${FLAVOR}&required=HW_CPU_X86_AVX2,COMPUTE_IMAGE_TYPE_QCOW2&limit=1000`,
  },
  {
    name: 'ac-nova',
    about: 'as the scheduler of Nova asks',
    query: `limit=1000&${FLAVOR}&root_required=COMPUTE_IMAGE_TYPE_QCOW2,!COMPUTE_STATUS_DISABLED`,
  },
  { name: 'ac-limit10', about: 'ten candidates', query: `${FLAVOR}&limit=10` },
  { name: 'ac-in_tree', about: 'one host', query: `${FLAVOR}&in_tree={host}` },
  {
    name: 'ac-any-traits',
    about: 'one of two traits',
    query: `${FLAVOR}&required=in:CUSTOM_GOLD,CUSTOM_SILVER&required=HW_CPU_X86_SSE42&limit=1000`,
  },
  { name: 'ac-member_of', about: 'one of ten zones', query: `${FLAVOR}&member_of={zone}&limit=1000` },
  {
    name: 'ac-granular',
    about: 'two groups',
    query:
      'resources1=VCPU:1,MEMORY_MB:1024&resources2=DISK_GB:10&required1=HW_CPU_X86_AVX2&group_policy=none&limit=1000',
  },
  {
    name: 'ac-none-fits',
    about: 'more than any host has',
    query: 'resources=VCPU:65,MEMORY_MB:1024&limit=1000',
  },
  { name: 'ac-unlimited', about: 'all hosts', query: FLAVOR },
]

const NESTED: readonly ReadScenario[] = [
  {
    name: 'ac-typical',
    about: 'a flavor over NUMA nodes and shared disks',
    query: `${FLAVOR}&limit=1000`,
  },
  {
    name: 'ac-any-traits',
    about: 'a function of either network, golden hosts',
    query:
      'resources=VCPU:1,MEMORY_MB:1024&resources_N=SRIOV_NET_VF:1&required_N=in:CUSTOM_PHYSNET_0,CUSTOM_PHYSNET_1&group_policy=none&root_required=CUSTOM_GOLD&limit=1000',
  },
  {
    name: 'ac-isolate',
    about: 'a NUMA node with both its devices, and a disk',
    query:
      'resources_D=DISK_GB:10&resources_C=VCPU:2,MEMORY_MB:2048&resources_N1=SRIOV_NET_VF:1&required_N1=CUSTOM_PHYSNET_0&resources_N2=SRIOV_NET_VF:1&required_N2=CUSTOM_PHYSNET_1&group_policy=isolate&same_subtree=_C,_N1,_N2&limit=1000',
  },
  {
    name: 'ac-subtree1',
    about: 'a NUMA node with a device below it',
    query:
      'resources_D=DISK_GB:10&resources_C=VCPU:1,MEMORY_MB:256&required_C=HW_NUMA_ROOT&resources_N=SRIOV_NET_VF:1&group_policy=none&same_subtree=_C,_N&limit=1000',
  },
]

const WIDE: readonly ReadScenario[] = [
  { name: 'ac-gpu3', about: 'three devices of eight, any host', query: groups(3, 'none', '') },
  { name: 'ac-gpu5-tree', about: 'five devices of eight, one host', query: groups(5, 'none', hostUuid(0)) },
  { name: 'ac-gpu8', about: 'eight devices of eight, any host', query: groups(8, 'none', '') },
]

const FULL: readonly ReadScenario[] = [
  { name: 'ac-few-fit', about: 'only one host in 1,000 has room', query: `${FLAVOR}&limit=1000` },
]

export const reads: Readonly<Record<Shape, readonly ReadScenario[]>> = {
  flat: FLAT,
  nested: NESTED,
  wide: WIDE,
  full: FULL,
  used: FLAT,
}

/** Requests of a scenario, for different hosts and zones. */
export function requestsOf({ query }: ReadScenario, hosts: number): () => Request {
  const random = new Random(1)
  return () => ({
    method: 'GET',
    path: `/allocation_candidates?${query
      .replace('{host}', () => hostUuid(random.below(hosts)))
      .replace('{zone}', () => zoneUuid(random.below(10)))}`,
    body: null,
  })
}

/** The comparison with Placement: how many times less CPU time each scenario must take. */
export interface PeerRun {
  readonly shape: Shape
  readonly hosts: number
  readonly cpuRatioMin: Readonly<Record<string, number>>
  /** Settings of a second Berth that is measured too, by the label of its rows; it has no target. */
  readonly besides?: { readonly name: string; readonly flags: readonly string[] }
  /** Of claims, by the number of clients. Placement is loaded through its API in any case. */
  readonly claims?: { readonly clients: readonly number[]; readonly rateMin: number; readonly cpuMin: number }
  readonly loading?: { readonly apiMin: number; readonly bulkMin: number }
  /** Requests that Placement 8.0 does not finish, by scenario: how long Berth may take. */
  readonly aloneMsMax?: Readonly<Record<string, number>>
}

export const peerRuns: readonly PeerRun[] = [
  {
    shape: 'flat',
    hosts: 1_000,
    cpuRatioMin: {
      'ac-typical': 300,
      'ac-nova': 300,
      'ac-unlimited': 300,
      'ac-granular': 300,
      'ac-in_tree': 500,
      'ac-none-fits': 500,
      'ac-limit10': 500,
    },
    claims: { clients: [8, 64], rateMin: 50, cpuMin: 100 },
    loading: { apiMin: 30, bulkMin: 500 },
  },
  {
    shape: 'nested',
    hosts: 1_000,
    cpuRatioMin: { 'ac-typical': 600, 'ac-isolate': 600, 'ac-subtree1': 600, 'ac-any-traits': 600 },
    besides: { name: 'depth-first', flags: ['--allocation-candidates-generation-strategy', 'depth-first'] },
  },
  { shape: 'wide', hosts: 10, cpuRatioMin: { 'ac-gpu5-tree': 2_000 }, aloneMsMax: { 'ac-gpu8': 20 } },
  {
    shape: 'flat',
    hosts: 5_000,
    cpuRatioMin: { 'ac-nova': 1_000, 'ac-granular': 1_000, 'ac-limit10': 1_000 },
  },
]

/** Goals against upstream's newest: how many times less CPU time. */
export const newestGoals = { candidatesMin: 50, medianMin: 100, claimMin: 50 } as const

/** Goals under load. */
export const loadGoals = {
  sizes: [1_000, 100_000],
  /** From this gain on, reads would get a process of their own. */
  apartMin: 1.5,
  overload: {
    hosts: 1_000,
    factor: 3,
    /** What a modest caller asks for, as a part of the capacity. */
    modestShare: 0.2,
    modestMin: 99,
    answeredMin: 0.6,
    healthMsMax: 100,
    mibMax: 512,
  },
} as const

/** Goals with a million hosts. */
export const millionGoals = {
  startSecondsMax: 20,
  gibMax: 24,
  growthMax: 2,
  /** These request at most 1,000 candidates. */
  limited: ['ac-nova', 'ac-limit10', 'ac-in_tree', 'ac-none-fits'],
} as const

/** The targets for Berth alone. */
export const bounds = {
  sizes: [100, 1_000, 10_000, 100_000],
  /** CPU time of a whole request for the first 1,000 candidates of the largest cloud. */
  limitedCpuMsMax: 3,
  /** The same against 1,000 hosts. */
  limitedGrowthMax: 2,
  /** These request at most 1,000 candidates, and 1,000 hosts have nearly as many. */
  limited: ['ac-nova', 'ac-limit10', 'ac-in_tree'],
  wideMsMax: 20,
  claimsPerSecondMin: 4_000,
  startMsMax: 5_000,
  bytesPerProviderMax: 2_048,
  /** With 1,000 candidates to choose from. */
  decisionMsMax: 6,
  answersHosts: 10_000,
  explainMsMax: 50,
  whatIfMsMax: 100,
  /** How long an explanation or a what-if may hold up others. */
  holdUpMsMax: 10,
  /** From the start of the process to the end of its first answer. */
  coldStartMsMax: 150,
  schedule: {
    sizes: [1_000, 10_000, 100_000],
    warmUps: 3_000,
    perSecondMin: 2_000,
    halfP99MsMax: 20,
    /** CPU of 100,000 hosts against 10,000. */
    growthMax: 2,
  },
} as const
