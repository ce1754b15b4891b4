/** The filters that read the host itself, its instances and its groups. */
import { describe, expect, test } from 'vitest'
import type { Filter } from '../../framework/filter.ts'
import type { JsonValue } from '../../framework/json-value.ts'
import type { FilterVerdict } from '../../framework/refusal.ts'
import { DEFAULT_SETTINGS, type SchedulingSettings } from '../../framework/settings.ts'
import type { HostView } from '../host-view.ts'
import { NO_HINTS, type SchedulingRequest, type ServerGroupView } from '../request-view.ts'
import { flavor, host, image, request } from '../views.fixture.ts'
import { allHostsFilter } from './all-hosts.ts'
import { computeFilter } from './compute.ts'
import { computeCapabilitiesFilter } from './compute-capabilities.ts'
import { differentHostFilter } from './different-host.ts'
import { imagePropertiesFilter } from './image-properties.ts'
import { isolatedHostsFilter } from './isolated-hosts.ts'
import { sameHostFilter } from './same-host.ts'
import { serverGroupAffinityFilter } from './server-group-affinity.ts'
import { serverGroupAntiAffinityFilter } from './server-group-anti-affinity.ts'

const judge = (
  filter: Filter,
  asked: Partial<SchedulingRequest>,
  on: HostView,
  settings: Partial<SchedulingSettings> = {},
): FilterVerdict => filter.check(request(asked), on, { ...DEFAULT_SETTINGS, ...settings })

test('AllHostsFilter passes every host', () => {
  expect(judge(allHostsFilter, {}, host({ isEnabled: false })).passes).toBe(true)
})

test('ComputeFilter says why a host is out: disabled with its reason, down, or forced down', () => {
  expect(judge(computeFilter, {}, host()).passes).toBe(true)
  expect(
    judge(computeFilter, {}, host({ isEnabled: false, disabledReason: 'disk', isUp: false })),
  ).toMatchObject({
    reasons: [{ code: 'host.disabled', facts: { reason: 'disk' } }],
  })
  expect(judge(computeFilter, {}, host({ isUp: false, isForcedDown: true }))).toMatchObject({
    reasons: [{ code: 'host.down', facts: { forced: true } }],
  })
})

describe('ComputeCapabilitiesFilter', () => {
  const rich = host({
    attributes: {
      hypervisor_type: 'QEMU',
      cpu_info:
        '{"vendor": "Intel", "features": ["aes", "it\'s"], "topology": {"cores": 8}, "maxphysaddr": {"bits": 46}}',
      stats: { arch: 'x86_64', ssd: null },
    },
  })
  const asked = (specs: Record<string, string>, on = rich) =>
    judge(computeCapabilitiesFilter, { flavor: flavor(specs) }, on)

  test.each([
    [{ 'capabilities:free_ram_mb': '>= 1024' }],
    [{ 'capabilities:hypervisor_type': 's== QEMU' }],
    [{ 'capabilities:arch': 'x86_64' }],
    [{ 'capabilities:stats:arch': 'x86_64' }],
    [{ 'capabilities:cpu_info:vendor': 'Intel' }],
    [{ 'capabilities:cpu_info:topology:cores': '<= 8' }],
    [{ 'capabilities:cpu_info:topology': "{'cores': 8}" }],
    [{ 'capabilities:cpu_info:features': '<all-in> aes it' }],
    [{ 'capabilities:cpu_info:features': `['aes', "it's"]` }],
    [{ free_ram_mb: '>= 1024' }],
    [{ unheard_of: '1' }],
    [{ 'hw:cpu_policy': 'shared' }],
    [{ 'hw:maxphysaddr_bits': '42' }],
  ])('%j fits', specs => {
    expect(asked(specs)).toEqual({ passes: true, notes: [] })
  })

  test.each([
    [{ 'capabilities:unheard_of': '1' }, 'capability.missing', { path: ['unheard_of'] }],
    [{ 'capabilities:cpu_info:nothing': '1' }, 'capability.missing', { path: ['cpu_info', 'nothing'] }],
    [{ 'capabilities:cpu_info:vendor:x': '1' }, 'capability.missing', {}],
    [{ 'capabilities:cpu_info:features:aes': '1' }, 'capability.missing', {}],
    [{ 'capabilities:': '1' }, 'capability.missing', {}],
    // It has the statistic, without a value.
    [{ ssd: '1' }, 'capability.missing', {}],
    [{ hypervisor_type: 'qemu' }, 'capability.mismatch', { value: 'QEMU', incomparable: null }],
    [{ free_ram_mb: '>= 4096' }, 'capability.mismatch', { value: '1024' }],
    [{ hypervisor_type: '>= 1' }, 'capability.mismatch', { incomparable: expect.stringContaining('QEMU') }],
    [{ 'hw:maxphysaddr_bits': '48' }, 'capability.mismatch', { requirement: '>= 48', value: '46' }],
  ])('%j: %s', (specs, code, facts) => {
    expect(asked(specs)).toMatchObject({ passes: false, reasons: [{ code, facts }] })
  })

  test('a host that reports no JSON is a host that reports nothing', () => {
    const poor = host({ attributes: { cpu_info: 'not json' } })
    expect(asked({ 'capabilities:cpu_info:vendor': 'Intel' }, poor)).toMatchObject({
      reasons: [{ code: 'capability.missing' }],
    })
    expect(asked({ 'capabilities:cpu_info': 'not json' }, poor).passes).toBe(true)
  })
})

test('SameHostFilter wants one of the instances, DifferentHostFilter none', () => {
  const on = host({ instances: ['a', 'b'] })
  const hints = { ...NO_HINTS, sameHost: ['b', 'c'], differentHost: ['c', 'b'] }
  expect(judge(sameHostFilter, { hints }, on).passes).toBe(true)
  expect(judge(sameHostFilter, { hints }, host())).toMatchObject({
    reasons: [{ code: 'same-host.apart', facts: { instances: ['b', 'c'] } }],
  })
  expect(judge(differentHostFilter, { hints }, on)).toMatchObject({
    reasons: [{ code: 'different-host.together', facts: { instances: ['b'] } }],
  })
  expect(judge(differentHostFilter, { hints }, host()).passes).toBe(true)
  for (const filter of [sameHostFilter, differentHostFilter]) expect(judge(filter, {}, on).passes).toBe(true)
})

describe('server groups', () => {
  const group = (
    policy: ServerGroupView['policy'],
    members: Record<string, number>,
    maxServerPerHost = 1,
  ): ServerGroupView => ({
    uuid: 'g',
    policy,
    maxServerPerHost,
    membersByHost: new Map(Object.entries(members)),
  })

  test('anti-affinity keeps to max_server_per_host', () => {
    const asked = (members: Record<string, number>, max?: number) =>
      judge(
        serverGroupAntiAffinityFilter,
        { group: group('anti-affinity', members, max) },
        host({ name: 'h' }),
      )
    expect(asked({ other: 5 }).passes).toBe(true)
    expect(asked({ h: 1 })).toMatchObject({
      reasons: [{ code: 'group.full', facts: { group: 'g', have: 1, max: 1 } }],
    })
    expect(asked({ h: 1 }, 2).passes).toBe(true)
    expect(asked({ h: 2 }, 2).passes).toBe(false)
  })

  test('anti-affinity lets an instance stay where it is', () => {
    const asked = { group: group('anti-affinity', { h: 1 }), instance: 'me' }
    expect(judge(serverGroupAntiAffinityFilter, asked, host({ name: 'h', instances: ['me'] })).passes).toBe(
      true,
    )
    expect(judge(serverGroupAntiAffinityFilter, asked, host({ name: 'h' })).passes).toBe(false)
  })

  test('affinity keeps to the hosts of the others, and the first goes anywhere', () => {
    const asked = (members: Record<string, number>) =>
      judge(serverGroupAffinityFilter, { group: group('affinity', members) }, host({ name: 'h' }))
    expect(asked({}).passes).toBe(true)
    expect(asked({ h: 1 }).passes).toBe(true)
    expect(asked({ other: 1 })).toMatchObject({
      reasons: [{ code: 'group.elsewhere', facts: { hosts: ['other'] } }],
    })
  })

  test('other policies, soft ones among them, are not theirs', () => {
    for (const filter of [serverGroupAffinityFilter, serverGroupAntiAffinityFilter])
      for (const policy of ['soft-affinity', 'soft-anti-affinity'] as const)
        expect(judge(filter, { group: group(policy, { h: 9, other: 1 }) }, host({ name: 'h' })).passes).toBe(
          true,
        )
    expect(judge(serverGroupAffinityFilter, { group: group('anti-affinity', { x: 1 }) }, host()).passes).toBe(
      true,
    )
  })
})

describe('ImagePropertiesFilter', () => {
  const on = host({
    attributes: {
      supported_instances: [
        ['x86_64', 'kvm', 'hvm'],
        ['i686', 'xen', 'xen'],
      ],
      hypervisor_version: 7_002_001,
      cpu_info: { maxphysaddr: { bits: 46 } },
    },
  })
  const asked = (
    properties: Record<string, JsonValue>,
    settings: Partial<SchedulingSettings> = {},
    where = on,
  ) => judge(imagePropertiesFilter, { image: image(properties) }, where, settings)

  test('one kind of guest must have all properties of the image', () => {
    expect(asked({ hw_architecture: 'x86_64', img_hv_type: 'kvm' }).passes).toBe(true)
    expect(asked({ hw_architecture: 'x86_64', img_hv_type: 'xen' })).toMatchObject({
      reasons: [
        {
          code: 'image.unsupported',
          facts: {
            wanted: { architecture: 'x86_64', hypervisor: 'xen', mode: null },
            supported: [['x86_64'], ['i686']].map(([one]) => expect.arrayContaining([one])),
          },
        },
      ],
    })
  })

  test('older names mean the same', () => {
    expect(asked({ hw_architecture: 'AMD64', hw_vm_mode: 'hv' }).passes).toBe(true)
    expect(asked({ hw_architecture: 'i386', img_hv_type: 'xapi', hw_vm_mode: 'pv' }).passes).toBe(true)
  })

  test('an image that asks for nothing goes anywhere; one that does not say its architecture has the default', () => {
    expect(asked({}, {}, host()).passes).toBe(true)
    expect(asked({}, { defaultImageArchitecture: 'aarch64' }).passes).toBe(false)
    expect(asked({ hw_architecture: 'x86_64' }, {}, host()).passes).toBe(false)
  })

  test.each([
    ['>=6.0, <8', true],
    ['>7.2', true],
    ['==7.2.1', true],
    ['!=7.2.1', false],
    ['<7', false],
    ['<= 7.2.1', true],
    ['about seven', false],
  ])('hypervisor version %s: %s', (wanted, passes) => {
    const verdict = asked({ hw_architecture: 'x86_64', img_hv_requested_version: wanted })
    expect(verdict.passes).toBe(passes)
    if (!passes)
      expect(verdict).toMatchObject({
        reasons: [{ code: 'image.hypervisor-version', facts: { wanted, have: '7.2.1' } }],
      })
  })

  test('address bits', () => {
    expect(asked({ hw_architecture: 'x86_64', hw_maxphysaddr_bits: 46 }).passes).toBe(true)
    expect(asked({ hw_architecture: 'x86_64', hw_maxphysaddr_bits: 48 })).toMatchObject({
      reasons: [{ code: 'image.address-bits', facts: { wanted: 48, have: 46 } }],
    })
  })
})

test.each([
  [true, 'iso', 'iso', true],
  [true, 'iso', 'other', false],
  [true, 'other', 'iso', false],
  [true, 'other', 'other', true],
  [false, 'iso', 'other', false],
  [false, 'other', 'iso', true],
])('IsolatedHostsFilter, restricted %s: image %s on host %s', (restricted, imageId, name, passes) => {
  const settings = {
    isolatedHosts: ['iso'],
    isolatedImages: ['iso'],
    restrictIsolatedHostsToIsolatedImages: restricted,
  }
  expect(judge(isolatedHostsFilter, { image: image({}, imageId) }, host({ name }), settings).passes).toBe(
    passes,
  )
})
