import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HostView } from '../hosts/host-view.ts'
import { ALL_WEIGHERS } from '../hosts/registry.ts'
import type { SchedulingRequest, ServerGroupView } from '../hosts/request-view.ts'
import { aggregate, type HostGiven, host, image, request } from '../hosts/views.fixture.ts'
import { DEFAULT_SETTINGS, type SchedulingSettings } from './settings.ts'
import type { Weigher } from './weigher.ts'
import { normalize, rankHosts, type Weighing, weighHosts } from './weighing.ts'

const weigherNamed = (name: string): Weigher => ALL_WEIGHERS.find(one => one.name === name) as Weigher

function weigh(
  names: readonly string[],
  hosts: readonly HostView[],
  asked: Partial<SchedulingRequest> = {},
  settings: Partial<SchedulingSettings> = {},
): Weighing {
  return weighHosts(names.map(weigherNamed), request(asked), hosts, { ...DEFAULT_SETTINGS, ...settings })
}

describe('normalisation', () => {
  const of = (raw: number[], least?: number) => [...normalize(Float64Array.from(raw), least)]

  test('the least is 0, the greatest 1, all equal 0', () => {
    expect(of([10, 20, 30])).toEqual([0, 0.5, 1])
    expect(of([7, 7])).toEqual([0, 0])
    expect(of([-4, -2])).toEqual([0, 1])
  })

  test('a given minimum is the bottom, and lower values count as it', () => {
    expect(of([5, 10], 0)).toEqual([0.5, 1])
    expect(of([-5, 10], 0)).toEqual([0, 1])
    expect(of([-5, -1], 0)).toEqual([0, 0])
    expect(of([3, 3], 0)).toEqual([1, 1])
  })
})

test('weights add up by weigher, and every contribution can be looked at', () => {
  const hosts = [
    host({ name: 'a', ramMibFree: 512, diskMibFree: 100 }),
    host({ name: 'b', ramMibFree: 1024, diskMibFree: 50 }),
  ]
  const weighing = weigh(
    ['RAMWeigher', 'DiskWeigher'],
    hosts,
    {},
    { weightMultipliers: { ram_weight_multiplier: 3 } },
  )
  expect([...weighing.weights]).toEqual([2.5, 3.5])
  expect(weighing.listRanked().map(({ name }) => name)).toEqual(['b', 'a'])
  expect(weighing.listContributions(0)).toEqual([
    { weigher: 'RAMWeigher', raw: 512, normalized: 0.5, multiplier: 3, weight: 1.5, notes: [] },
    { weigher: 'DiskWeigher', raw: 100, normalized: 1, multiplier: 1, weight: 1, notes: [] },
  ])
})

test('hosts of one weight keep their order, and a lone host is not weighed', () => {
  const same = ['a', 'b', 'c'].map(name => host({ name }))
  expect(weigh(['CPUWeigher'], same).listRanked()).toEqual(same)
  const lone = weigh(['CPUWeigher'], [host()])
  expect([...lone.weights]).toEqual([0])
  expect(lone.listContributions(0)).toEqual([])
})

describe('multipliers of aggregates', () => {
  const with_ = (...texts: string[]) =>
    host({
      ramMibFree: 2048,
      aggregates: texts.map(text => aggregate({ ram_weight_multiplier: text })),
    })
  const multiplierOf = (on: HostView) => weigh(['RAMWeigher'], [on, host()]).listContributions(0)[0]

  test('the least of them counts instead of the setting', () => {
    expect(multiplierOf(with_('2.5', '-1'))).toMatchObject({ multiplier: -1, weight: -1, notes: [] })
    expect(multiplierOf(with_())).toMatchObject({ multiplier: 1 })
  })

  test.each(['oops', '', '2,3', 'nan', 'inf'])(
    '%j is no multiplier: the setting counts, with a note',
    text => {
      expect(multiplierOf(with_('0.5', text))).toMatchObject({
        multiplier: 1,
        notes: [{ code: 'number.unreadable', facts: { key: 'ram_weight_multiplier', used: 1 } }],
      })
    },
  )

  test('that of build failures is turned round, wherever it comes from', () => {
    const failed = (given: HostGiven) =>
      weigh(['BuildFailureWeigher'], [host({ failedBuilds: 3, ...given }), host()])
    expect(failed({}).listContributions(0)[0]?.multiplier).toBe(-1_000_000)
    const aggregates = [aggregate({ build_failure_weight_multiplier: '2' })]
    expect(failed({ aggregates }).listContributions(0)[0]?.multiplier).toBe(-2)
  })
})

describe('what each weigher prefers, by default', () => {
  const prefers = (name: string, better: HostGiven, worse: HostGiven, asked = {}, settings = {}) => {
    const hosts = [host({ name: 'worse', ...worse }), host({ name: 'better', ...better })]
    expect(weigh([name], hosts, asked, settings).listRanked()[0]).toBe(hosts[1])
  }
  const group = (policy: ServerGroupView['policy']) => ({
    group: { uuid: 'g', policy, maxServerPerHost: 1, membersByHost: new Map([['full', 2]]) },
  })

  test('RAM, CPU and disk: more that is free', () => {
    prefers('RAMWeigher', { ramMibFree: 2 }, { ramMibFree: 1 })
    prefers('DiskWeigher', { diskMibFree: 2 }, { diskMibFree: 1 })
    prefers('CPUWeigher', { vcpusTotal: 4, cpuAllocationRatio: 4 }, { vcpusTotal: 8 })
    prefers('CPUWeigher', { vcpusUsed: 1 }, { vcpusUsed: 2 })
  })

  test('less work going on, fewer failures, fewer devices lying idle', () => {
    prefers('IoOpsWeigher', { ioOpsCount: 1 }, { ioOpsCount: 2 })
    prefers('BuildFailureWeigher', { failedBuilds: 0 }, { failedBuilds: 1 })
    prefers('PCIWeigher', { pciDevicesFree: 0 }, { pciDevicesFree: 4 })
  })

  test('newer hypervisors', () => {
    prefers(
      'HypervisorVersionWeigher',
      { attributes: { hypervisor_version: 8 } },
      { attributes: { hypervisor_version: 7 } },
    )
    prefers('HypervisorVersionWeigher', { attributes: { hypervisor_version: 8 } }, {})
  })

  test('soft groups: together, or apart', () => {
    prefers('ServerGroupSoftAffinityWeigher', { name: 'full' }, { name: 'empty' }, group('soft-affinity'))
    prefers(
      'ServerGroupSoftAntiAffinityWeigher',
      { name: 'empty' },
      { name: 'full' },
      group('soft-anti-affinity'),
    )
  })

  test('soft groups have no say in requests of another policy', () => {
    const hosts = [host({ name: 'empty' }), host({ name: 'full' })]
    const names = ['ServerGroupSoftAffinityWeigher', 'ServerGroupSoftAntiAffinityWeigher']
    for (const policy of ['affinity', 'anti-affinity'] as const)
      expect([...weigh(names, hosts, group(policy)).weights]).toEqual([0, 0])
  })

  test('numbers of instances and images count only with their setting', () => {
    const images = [new Map([['os_type', 'linux']]), new Map([['os_type', 'windows']])]
    const crowded = { instanceCount: 5, instanceImages: () => images }
    const hosts = [host(crowded), host()]
    const asked = { image: image({ os_type: 'linux' }) }
    const names = ['NumInstancesWeigher', 'ImagePropertiesWeigher']
    expect([...weigh(names, hosts, asked).weights]).toEqual([0, 0])
    prefers(
      'NumInstancesWeigher',
      {},
      crowded,
      {},
      { weightMultipliers: { num_instances_weight_multiplier: -1 } },
    )
    const weightMultipliers = { image_props_weight_multiplier: 1 }
    prefers('ImagePropertiesWeigher', crowded, {}, asked, { weightMultipliers })
    const unheard = { weightMultipliers, imagePropertyWeights: { hw_disk_bus: 2 } }
    expect([...weigh(names, hosts, asked, unheard).weights]).toEqual([0, 0])
    // A property whose name every object inherits has no weight unless one is set.
    const odd = { instanceImages: () => [new Map([['constructor', 'x']])] }
    const wanted = { image: image({ constructor: 'x' }) }
    expect([...weigh(names, [host(odd), host()], wanted, unheard).weights]).toEqual([0, 0])
  })

  test('metrics by their weights; a host without one comes last', () => {
    const measured = (load: number) => ({ metric: (name: string) => (name === 'load' ? load : undefined) })
    const settings = { metricWeights: { load: -1 } }
    prefers('MetricsWeigher', measured(1), measured(2), {}, settings)
    prefers('MetricsWeigher', measured(2), {}, {}, settings)
  })

  test('there is one cell', () => {
    expect([...weigh(['CrossCellWeigher'], [host(), host()]).weights]).toEqual([0, 0])
  })
})

test('contributions always add up to the weight, and weights fall along the ranking', () => {
  const figures = fc.record({
    ramMibFree: fc.integer({ min: -1000, max: 100_000 }),
    diskMibFree: fc.integer({ min: -1000, max: 100_000 }),
    vcpusUsed: fc.integer({ min: 0, max: 100 }),
    ioOpsCount: fc.nat(20),
    failedBuilds: fc.nat(3),
    multiplier: fc.constantFrom('1', '-2', '0', 'oops'),
  })
  fc.assert(
    fc.property(fc.array(figures, { maxLength: 6 }), all => {
      const hosts = all.map(({ multiplier, ...given }) =>
        host({ ...given, aggregates: [aggregate({ cpu_weight_multiplier: multiplier })] }),
      )
      const weighing = weighHosts(ALL_WEIGHERS, request(), hosts, DEFAULT_SETTINGS)
      for (const [at, weight] of weighing.weights.entries())
        expect(weighing.listContributions(at).reduce((sum, one) => sum + one.weight, 0)).toBeCloseTo(
          weight,
          6,
        )
      // A choice without explanation ranks the same with fewer weighers.
      const choosing = rankHosts(ALL_WEIGHERS, request(), hosts, DEFAULT_SETTINGS)
      expect([choosing.ranking, choosing.weights]).toEqual([weighing.ranking, weighing.weights])
      const ranked = weighing.ranking.map(at => weighing.weights[at] as number)
      expect(ranked).toEqual(ranked.toSorted((a, b) => b - a))
    }),
    { numRuns: Number(process.env.BERTH_PROPERTY_RUNS ?? 300) },
  )
})
