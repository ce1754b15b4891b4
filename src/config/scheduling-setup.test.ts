import { describe, expect, test } from 'vitest'
import { DEFAULT_SETUP } from '../scheduling/framework/setup.ts'
import { ALL_WEIGHERS } from '../scheduling/hosts/registry.ts'
import { WEIGHT_PROFILE_NAMES, WEIGHT_PROFILES } from '../scheduling/hosts/weight-profiles.ts'
import { keyNames, keyOf } from './keys.ts'
import { problemText, resolveConfig } from './resolve.ts'
import { novaSetup, schedulingSetup, schedulingWarnings } from './scheduling-setup.ts'

const resolved = (flags: Record<string, string>, content: unknown = null) =>
  resolveConfig({
    flags,
    env: {},
    file: content === null ? null : { path: 'berth.json', content },
    terminal: false,
  })

function setupOf(flags: Record<string, string>, content: unknown = null) {
  const found = resolved(flags, content)
  if (!found.ok) throw new Error(found.problems.map(problemText).join('\n'))
  return schedulingSetup(found.values)
}

function wrong(flags: Record<string, string>, content: unknown = null): string[] {
  const found = resolved(flags, content)
  return found.ok ? [] : found.problems.map(problemText)
}

test('unset keys have the defaults of the code', () => {
  expect(setupOf({})).toEqual(DEFAULT_SETUP)
})

test('the lists keep their order, and what is named twice counts once', () => {
  const setup = setupOf({
    enabled_filters: 'JsonFilter, ComputeFilter,JsonFilter',
    weight_classes: 'CPUWeigher,RAMWeigher',
  })
  expect(setup.filters).toEqual(['JsonFilter', 'ComputeFilter'])
  expect(setup.weighers).toEqual(['CPUWeigher', 'RAMWeigher'])
  expect(setupOf({ enabled_filters: '' }, {}).filters).toEqual([])
})

test('a profile adds its weighers and multipliers, which the others override', () => {
  const setup = setupOf({ weight_profile: 'pack', weight_multipliers: 'cpu_weight_multiplier=2' })
  expect(setup.weighers).toEqual([...DEFAULT_SETUP.weighers, 'BestFitWeigher'])
  expect(setup.settings.weightMultipliers).toEqual({
    ram_weight_multiplier: 0,
    cpu_weight_multiplier: 2,
    disk_weight_multiplier: 0,
  })
})

test('a profile leaves what runs for Nova as it is', () => {
  const found = resolved({ weight_profile: 'pack' })
  const setup = novaSetup((found as Extract<typeof found, { ok: true }>).values)
  expect(setup.weighers).toEqual(DEFAULT_SETUP.weighers)
  expect(setup.settings).toEqual(DEFAULT_SETUP.settings)
})

test.each(WEIGHT_PROFILE_NAMES)('profile %s names weighers that exist', name => {
  const { weighers, multipliers } = WEIGHT_PROFILES[name]
  const known = new Map(ALL_WEIGHERS.map(weigher => [weigher.name, weigher.multiplierKey]))
  for (const weigher of weighers) expect(known.has(weigher)).toBe(true)
  for (const key of Object.keys(multipliers)) expect([...known.values()]).toContain(key)
})

test('what runs for Nova has lists of its own and the same settings', () => {
  const found = resolved({ nova_filters: 'JsonFilter,JsonFilter', max_io_ops_per_host: '3' })
  const setup = novaSetup((found as Extract<typeof found, { ok: true }>).values)
  expect(setup.filters).toEqual(['JsonFilter'])
  expect(setup.settings.maxIoOpsPerHost).toBe(3)
})

test('every setting is reached by its key, from text and from the file alike', () => {
  const given = {
    max_instances_per_host: 1,
    max_io_ops_per_host: 2,
    default_availability_zone: 'east',
    image_properties_default_architecture: 'aarch64',
    isolated_hosts: ['a', 'b'],
    isolated_images: ['i'],
    restrict_isolated_hosts_to_isolated_images: false,
    enable_isolated_aggregate_filtering: false,
    limit_tenants_to_placement_aggregate: true,
    placement_aggregate_required_for_tenants: true,
    query_placement_for_image_type_support: true,
    image_metadata_prefilter: true,
    max_placement_results: 3,
    max_request_groups: 5,
    max_search_steps: 6_000,
    host_subset_size: 4,
    shuffle_best_same_weighed_hosts: true,
    near_equal_weight: 0.25,
    best_fit_weight_setting: { VCPU: 0.5 },
    fragmentation_weight_setting: { PGPU: 2 },
    weight_multipliers: { ram_weight_multiplier: -1.5, cpu_weight_multiplier: 0 },
    image_props_weight_setting: { os_distro: 2 },
    metrics_weight_setting: { heat: -0.5 },
    metrics_weight_of_unavailable: -1e6,
  }
  const settings = {
    maxInstancesPerHost: 1,
    maxIoOpsPerHost: 2,
    defaultAvailabilityZone: 'east',
    defaultImageArchitecture: 'aarch64',
    isolatedHosts: ['a', 'b'],
    isolatedImages: ['i'],
    restrictIsolatedHostsToIsolatedImages: false,
    isolateAggregates: false,
    limitProjectsToAggregates: true,
    aggregateRequiredForProjects: true,
    requireImageTypeSupport: true,
    requireImageMetadataTraits: true,
    candidatesMax: 3,
    requestGroupsMax: 5,
    searchStepsMax: 6_000,
    hostSubsetSize: 4,
    shuffleBestSameWeighedHosts: true,
    nearEqualWeight: 0.25,
    bestFitWeights: { VCPU: 0.5 },
    fragmentationWeights: { PGPU: 2 },
    weightMultipliers: { ram_weight_multiplier: -1.5, cpu_weight_multiplier: 0 },
    imagePropertyWeights: { os_distro: 2 },
    metricWeights: { heat: -0.5 },
    weightOfUnavailableMetric: -1e6,
  }
  expect(Object.keys(settings).sort()).toEqual(Object.keys(DEFAULT_SETUP.settings).sort())
  expect(setupOf({}, given).settings).toEqual(settings)
  const texts = Object.entries(given).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.join(',')]
    if (typeof value !== 'object') return [name, String(value)]
    return [
      name,
      Object.entries(value)
        .map(pair => pair.join('='))
        .join(', '),
    ]
  })
  expect(setupOf(Object.fromEntries(texts)).settings).toEqual(settings)
  const { max_request_groups: _, max_search_steps: __, ...own } = given
  const names = keyNames.filter(name => keyOf(name).group === 'Scheduling')
  const lists = ['enabled_filters', 'weight_classes', 'weight_profile', 'nova_filters', 'nova_weighers']
  const others = ['nova_group_claim_seconds', 'manila_claim_seconds', 'refused_requests_per_hour']
  expect(names.toSorted()).toEqual([...Object.keys(own), ...lists, ...others].sort())
})

describe('what is wrong stops the program with one line', () => {
  test('a filter that does not exist, with those that do', () => {
    const [line, ...others] = wrong({ enabled_filters: 'ComputeFilter,RamFilter' })
    expect(others).toEqual([])
    expect(line).toMatch(
      /^enabled_filters = ComputeFilter,RamFilter \(flag --enabled-filters\) has the item 'RamFilter', which is no filter; allowed: any of ComputeFilter, ComputeCapabilitiesFilter, .*AllHostsFilter$/,
    )
  })

  test.each([
    [{ weight_classes: 'LuckWeigher' }, /'LuckWeigher', which is no weigher; allowed: any of RAMWeigher, /],
    [
      { weight_multipliers: 'luck_weight_multiplier=1' },
      /which is the multiplier of no weigher; allowed: .*ram_weight/,
    ],
    [
      { weight_multipliers: 'ram_weight_multiplier' },
      /has the item 'ram_weight_multiplier', which is not name=number/,
    ],
    [{ weight_multipliers: 'ram_weight_multiplier=many' }, /which is not name=number/],
    [{ weight_multipliers: 'ram_weight_multiplier=1e999' }, /which is not name=number/],
    [
      { weight_multipliers: 'ram_weight_multiplier=1,ram_weight_multiplier=2' },
      /has ram_weight_multiplier twice/,
    ],
    [{ weight_multipliers: 'pci_weight_multiplier=-1' }, /'pci_weight_multiplier=-1', which is less than 0/],
    [{ metrics_weight_setting: '=1' }, /has the item '=1', which has no name/],
    [
      { metrics_weight_of_unavailable: 'none' },
      /is not a number in the range -1e15 to 1e15; allowed: -1e15 to 1e15/,
    ],
    [{ host_subset_size: '0' }, /is not in the range 1 to /],
    [{ max_placement_results: '0' }, /is not in the range 1 to /],
  ])('%j', (flags, line) => {
    expect(wrong(flags)).toEqual([expect.stringMatching(line)])
  })

  test.each([
    [{ weight_multipliers: ['ram_weight_multiplier=1'] }, /is not a JSON object of numbers/],
    [{ weight_multipliers: { ram_weight_multiplier: '1' } }, /is not a JSON object of numbers/],
    [{ metrics_weight_of_unavailable: '1' }, /is not a JSON number/],
    [{ enabled_filters: [1] }, /is not a JSON array of strings/],
  ])('in the file: %j', (content, line) => {
    expect(wrong({}, content)).toEqual([expect.stringMatching(line)])
  })
})

test('odd lists get a warning in words', () => {
  const found = resolved({
    enabled_filters: 'AggregateInstanceTypeFilter,AggregateInstanceExtraSpecsFilter',
    weight_classes: 'RAMWeigher,RAMWeigher',
  })
  expect(found.ok && schedulingWarnings(found.values)).toEqual([
    'enabled_filters has both AggregateInstanceTypeFilter and AggregateInstanceExtraSpecsFilter: they read the same keys with different meanings, and a host must pass both',
    'weight_classes names RAMWeigher twice; it counts once',
  ])
})
