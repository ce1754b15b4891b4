import { expect, test } from 'vitest'
import { reasonText } from '../framework/refusal-text.ts'
import { evaluateFilter } from './evaluate-filter.ts'
import type { FilterItem } from './filter-item.ts'
import { ALL_FILTERS } from './registry.ts'

const UNKNOWN = 'NoSuchFilter'

test('a filter that does not exist has no answer', () => {
  expect(evaluateFilter(UNKNOWN, [{}])).toBeNull()
})

test('answers come in the order of the items, thousands at once', () => {
  const items = Array.from({ length: 5_000 }, (_, at) => ({
    extra_specs: { n: `>= ${at % 7}` },
    aggregates: [{ n: '3' }],
  }))
  const results = evaluateFilter('AggregateInstanceTypeFilter', items)
  expect(results?.map(({ passes }) => passes)).toEqual(items.map((_, at) => at % 7 <= 3))
})

test('every filter lets through an item that says nothing', () => {
  for (const { name } of ALL_FILTERS)
    expect(evaluateFilter(name, [{}]), name).toEqual([{ passes: true, reasons: [], notes: [] }])
})

/** Items that filters refuse, and the texts. Each filter also has its own example. */
const refused: readonly [filter: string, item: FilterItem, text: string][] = [
  ['ComputeFilter', { host: { enabled: false } }, 'the host is disabled.'],
  ['ComputeFilter', { host: { enabled: false, disabled_reason: 'disk' } }, 'the host is disabled: disk'],
  ['ComputeFilter', { host: { up: false } }, 'the host is down.'],
  ['ComputeFilter', { host: { forced_down: true } }, 'the host is down: an operator forced it.'],
  [
    'ComputeCapabilitiesFilter',
    { extra_specs: { 'capabilities:cpu_info:vendor': 'Intel' } },
    'the flavor asks for capabilities:cpu_info:vendor = "Intel", but the host reports no cpu_info:vendor.',
  ],
  [
    'ComputeCapabilitiesFilter',
    { extra_specs: { arch: '>= 1' }, host: { attributes: { stats: { arch: 'arm' } } } },
    'the flavor asks for arch = ">= 1", but the host reports "arm" (>= compares numbers, and the value "arm" is not one).',
  ],
  [
    'AggregateInstanceTypeFilter',
    { extra_specs: { ssd: '*' } },
    'the flavor asks for ssd = "*" (any value, if the key is there), but no aggregate of the host has it.',
  ],
  [
    'AggregateInstanceTypeFilter',
    { extra_specs: { ssd: '!' }, aggregates: [{}, { ssd: '1' }] },
    'the flavor asks for ssd = "!" (the key must not be there), but the host has "1" from aggregate #2.',
  ],
  [
    'AggregateInstanceTypeFilter',
    { extra_specs: { n: '>= 2' }, aggregates: [{ n: '1' }, { n: 'x' }] },
    'the flavor asks for n = ">= 2", but the host has "1" from aggregate #1 and "x" from aggregate #2 (>= compares numbers, and the value "x" is not one).',
  ],
  [
    'AggregateInstanceTypeFilter',
    { extra_specs: { a: '<or> ! <or> *' } },
    'the flavor asks for a = "<or> ! <or> *" (! excludes * and ~): no host can do that.',
  ],
  [
    'AggregateInstanceTypeFilter',
    { aggregates: [{ a: '*', force_metadata_check: 'True' }] },
    'aggregate #1 asks of flavors a = "*" (any value, if the key is there), but the flavor does not have the key.',
  ],
  [
    'AggregateInstanceTypeFilter',
    { extra_specs: { a: '2' }, aggregates: [{ a: '2' }, { a: '1', force_metadata_check: 'True' }] },
    'aggregate #2 asks of flavors a = "1", but the flavor has a = "2".',
  ],
  [
    'AggregateInstanceTypeFilter',
    { aggregates: [{ a: '<or>', force_metadata_check: 'True' }] },
    'aggregate #1 asks of flavors a = "<or>" (nothing to compare with): no flavor can do that.',
  ],
  [
    'AggregateInstanceExtraSpecsFilter',
    { extra_specs: { a: '1' }, aggregates: [{ a: '2' }] },
    'the flavor asks for a = "1", but the host has "2" from aggregate #1.',
  ],
  [
    'AggregateTypeAffinityFilter',
    { flavor: 'm1', aggregates: [{ instance_type: 'm2,m3' }] },
    'the flavor "m1" is not among "m2,m3" from aggregate #1.',
  ],
  [
    'AggregateMultiTenancyIsolation',
    { project: 'p1', aggregates: [{ filter_tenant_id: 'p2' }] },
    'the project "p1" is not among "p2" from aggregate #1.',
  ],
  [
    'AggregateImagePropertiesIsolation',
    { image_properties: { os_type: 'linux' }, aggregates: [{ os_type: 'windows' }] },
    'the image has os_type = "linux", which is not among "windows" from aggregate #1.',
  ],
  [
    'NumInstancesFilter',
    { host: { num_instances: 3 }, settings: { max_instances_per_host: 3 } },
    'the host has 3 instances, and 3 is the limit.',
  ],
  [
    'AggregateNumInstancesFilter',
    { host: { instances: ['a', 'b'] }, aggregates: [{ max_instances_per_host: '2' }] },
    'the host has 2 instances, and 2 is the limit, set as "2" from aggregate #1.',
  ],
  ['IoOpsFilter', { host: { num_io_ops: 9 } }, 'the host has 9 instances in heavy work, and 8 is the limit.'],
  [
    'AggregateIoOpsFilter',
    { host: { num_io_ops: 9 }, settings: { max_io_ops_per_host: 9 } },
    'the host has 9 instances in heavy work, and 9 is the limit.',
  ],
  [
    'AvailabilityZoneFilter',
    { zone: 'north', settings: { default_availability_zone: 'south' } },
    'the request asks for zone "north", but the host is in south.',
  ],
  ['SameHostFilter', { hints: { same_host: ['a', 'b'] } }, 'the host has none of the instances a, b.'],
  [
    'DifferentHostFilter',
    { hints: { different_host: 'a' }, host: { instances: ['a'] } },
    'the host has a, which the request must be kept apart from.',
  ],
  [
    'ServerGroupAffinityFilter',
    { server_group: { policy: 'affinity', members: { h2: 1 } }, host: { name: 'h1' } },
    'the other members of the server group are on h2.',
  ],
  [
    'ServerGroupAntiAffinityFilter',
    {
      server_group: { policy: 'anti-affinity', max_server_per_host: 2, members: { h1: 2 } },
      host: { name: 'h1' },
    },
    'the host has 2 members of the server group, and 2 is the limit.',
  ],
  [
    'JsonFilter',
    { hints: { query: ['=', '$host', 'h2'] }, host: { name: 'h1' } },
    'the host does not match the query of the request.',
  ],
  [
    'JsonFilter',
    { hints: { query: ['>', '$host', 1] }, host: { name: 'h1' } },
    'the query of the request cannot be evaluated: "h1" > 1 compares values of different types.',
  ],
  [
    'ImagePropertiesFilter',
    {
      settings: { image_properties_default_architecture: 'arm' },
      host: { attributes: { supported_instances: [['x', 'y']] } },
    },
    'the image asks for arm, and the host runs x y.',
  ],
  [
    'IsolatedHostsFilter',
    { image: 'i', settings: { isolated_images: ['i'] } },
    'the image i may run only on isolated hosts, and this host is not one.',
  ],
  [
    'IsolatedHostsFilter',
    { host: { name: 'h' }, settings: { isolated_hosts: ['h'] } },
    'the host is reserved for isolated images, and this image is not one.',
  ],
]

test.each(refused)('%s refuses %j in words', (filter, item, text) => {
  const [result] = evaluateFilter(filter, [item]) ?? []
  expect(result?.reasons.map(reasonText)).toEqual([text])
  expect(result?.passes).toBe(false)
})

test('notes in words', () => {
  const item = {
    extra_specs: { 'hw:x': '<or> ! <or> ~', force_metadata_check: 'True' },
    aggregates: [{ force_metadata_check: 'maybe' }],
  }
  const [result] = evaluateFilter('AggregateInstanceTypeFilter', [item]) ?? []
  expect(result?.notes.map(({ text }) => text)).toEqual([
    'the flavor has hw:x = "<or> ! <or> ~": ! excludes * and ~, so that it matches nothing.',
    'hw:x was skipped: it is optional, and no aggregate of the host has it.',
    'force_metadata_check has a meaning only in aggregates, and was ignored.',
    'aggregate #1 has force_metadata_check = "maybe", which is neither true nor false and does not force.',
  ])
  const limits = { aggregates: [{ max_io_ops_per_host: 'few' }] }
  expect(evaluateFilter('AggregateIoOpsFilter', [limits])?.[0]?.notes.map(({ text }) => text)).toEqual([
    'max_io_ops_per_host should be a number, and is not: "few" from aggregate #1. 8 was used instead.',
  ])
})

test('settings of the server count unless an item has its own', () => {
  const items = [
    { host: { num_instances: 5 } },
    { host: { num_instances: 5 }, settings: { max_instances_per_host: 9 } },
  ]
  expect(evaluateFilter('NumInstancesFilter', items)?.map(({ passes }) => passes)).toEqual([true, true])
})
