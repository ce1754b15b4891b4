import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ALL_FILTERS, DEFAULT_FILTERS, filterNamed } from '../hosts/registry.ts'
import { aggregate, flavor, host, image, request } from '../hosts/views.fixture.ts'
import type { Filter } from './filter.ts'
import { FilterPipeline, makeHistogram } from './pipeline.ts'
import { PASS } from './refusal.ts'
import { DEFAULT_SETTINGS } from './settings.ts'

const named = (...names: string[]): Filter[] => names.map(name => filterNamed(name) as Filter)

const fast = [aggregate({ disk: 'nvme' })]
const slow = [aggregate({ disk: 'tape' })]
const hosts = [
  host({ name: 'good', aggregates: fast }),
  host({ name: 'slow', aggregates: slow }),
  host({ name: 'off', aggregates: fast, isEnabled: false }),
  host({ name: 'off and slow', aggregates: slow, isEnabled: false }),
  host({ name: 'down', aggregates: fast, isUp: false }),
]
const nvme = () => request({ flavor: flavor({ disk: 'nvme' }) })
const panel = (filters = named('ComputeFilter', 'AggregateInstanceTypeFilter')) =>
  new FilterPipeline(filters, nvme(), DEFAULT_SETTINGS)

test('a host is refused by the first filter that says no, and its name is on the refusal', () => {
  expect(panel().findFirstRefusal(hosts[0]!)).toBeNull()
  expect(panel().findFirstRefusal(hosts[3]!)).toMatchObject({ filter: 'ComputeFilter' })
  const turned = panel(named('AggregateInstanceTypeFilter', 'ComputeFilter'))
  expect(turned.findFirstRefusal(hosts[3]!)).toMatchObject({ filter: 'AggregateInstanceTypeFilter' })
})

test('the funnel counts who reached each filter, who was left and why', () => {
  const { passed, funnel } = panel().runFilters(hosts)
  expect(passed.map(({ name }) => name)).toEqual(['good'])
  expect(funnel).toEqual([
    {
      filter: 'ComputeFilter',
      before: 5,
      after: 2,
      removed: [
        { code: 'host.disabled', hosts: 2 },
        { code: 'host.down', hosts: 1 },
      ],
    },
    {
      filter: 'AggregateInstanceTypeFilter',
      before: 2,
      after: 1,
      removed: [{ code: 'extra-spec.mismatch', hosts: 1 }],
    },
  ])
})

test('an explanation runs every filter, even after a refusal', () => {
  const { refusals } = panel().explain(hosts[3]!)
  expect(refusals.map(({ filter }) => filter)).toEqual(['ComputeFilter', 'AggregateInstanceTypeFilter'])
  expect(panel().explain(hosts[0]!)).toEqual({ host: hosts[0], refusals: [], notes: [] })
})

test('an explanation has the notes of filters that pass', () => {
  const asked = request({ flavor: flavor({ 'hw:x': '1' }) })
  const { refusals, notes } = new FilterPipeline(DEFAULT_FILTERS, asked, DEFAULT_SETTINGS).explain(host())
  expect(refusals).toEqual([])
  expect(notes).toMatchObject([{ filter: 'AggregateInstanceTypeFilter', note: { code: 'key.skipped' } }])
})

test('the histogram counts every reason, most hosts first, and hosts with no other reason', () => {
  const judging = panel()
  expect(makeHistogram(hosts.map(one => judging.explain(one)))).toEqual([
    {
      filter: 'AggregateInstanceTypeFilter',
      code: 'extra-spec.mismatch',
      key: 'disk',
      hosts: 2,
      onlyReason: 1,
    },
    { filter: 'ComputeFilter', code: 'host.disabled', key: null, hosts: 2, onlyReason: 1 },
    { filter: 'ComputeFilter', code: 'host.down', key: null, hosts: 1, onlyReason: 1 },
  ])
})

describe('a rebuild', () => {
  test('asks only the filters that look at the image', () => {
    const asked = request({
      operation: 'rebuild',
      flavor: flavor({ disk: 'nvme' }),
      image: image({ os_type: 'windows' }),
    })
    const on = host({ isEnabled: false, aggregates: [aggregate({ disk: 'tape', os_type: 'linux' })] })
    const { refusals } = new FilterPipeline(ALL_FILTERS, asked, DEFAULT_SETTINGS).explain(on)
    expect(refusals.map(({ filter }) => filter)).toEqual(['AggregateImagePropertiesIsolation'])
  })
})

test('hosts with the same list of aggregates share a verdict, of filters that look at nothing else', () => {
  let asked = 0
  const counting = (byAggregates?: true): Filter => ({
    name: 'Counting',
    summary: '',
    reads: {},
    reasons: [],
    ...(byAggregates && { byAggregates }),
    check: () => {
      asked++
      return PASS
    },
  })
  panel([counting(true)]).runFilters(hosts)
  expect(asked).toBe(2)
  panel([counting()]).runFilters(hosts)
  expect(asked).toBe(2 + hosts.length)
})

test('what sifting lets through is what explaining finds nothing against', () => {
  const texts = fc.constantFrom('1', '2', '*', '~', '!', '<or> 1 <or> ~', '>= 2')
  const metadata = fc.dictionary(fc.constantFrom('a', 'b', 'hw:c', 'force_metadata_check'), texts, {
    maxKeys: 3,
    noNullPrototype: true,
  })
  const lists = fc.array(fc.array(metadata, { maxLength: 2 }), { minLength: 1, maxLength: 3 })
  const machines = fc.array(fc.record({ at: fc.nat(2), isUp: fc.boolean() }), { maxLength: 6 })
  fc.assert(
    fc.property(metadata, lists, machines, (specs, all, some) => {
      const shared = all.map(list => list.map(one => aggregate(one)))
      const cloud = some.map(({ at, isUp }) => host({ isUp, aggregates: shared[at % shared.length]! }))
      const asked = request({ flavor: flavor(specs) })
      const { passed, funnel } = new FilterPipeline(ALL_FILTERS, asked, DEFAULT_SETTINGS).runFilters(cloud)
      const explaining = new FilterPipeline(ALL_FILTERS, asked, DEFAULT_SETTINGS)
      expect(passed).toEqual(cloud.filter(one => explaining.explain(one).refusals.length === 0))
      expect(funnel[0]?.before).toBe(cloud.length)
      expect(funnel.at(-1)?.after).toBe(passed.length)
    }),
    { numRuns: Number(process.env.BERTH_PROPERTY_RUNS ?? 500) },
  )
})
