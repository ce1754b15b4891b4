/** The filters that read only the aggregates of a host, and those whose limits aggregates set. */
import { describe, expect, test } from 'vitest'
import type { Filter } from '../../framework/filter.ts'
import type { FilterVerdict } from '../../framework/refusal.ts'
import { DEFAULT_SETTINGS, type SchedulingSettings } from '../../framework/settings.ts'
import type { HostView } from '../host-view.ts'
import type { SchedulingRequest } from '../request-view.ts'
import { aggregate, flavor, type HostGiven, host, image, request } from '../views.fixture.ts'
import { aggregateImagePropertiesIsolation } from './aggregate-image-properties-isolation.ts'
import { aggregateInstanceExtraSpecsFilter } from './aggregate-instance-extra-specs.ts'
import { aggregateMultiTenancyIsolation } from './aggregate-multi-tenancy-isolation.ts'
import { aggregateTypeAffinityFilter } from './aggregate-type-affinity.ts'
import { availabilityZoneFilter } from './availability-zone.ts'
import {
  aggregateIoOpsFilter,
  aggregateNumInstancesFilter,
  ioOpsFilter,
  numInstancesFilter,
} from './limits.ts'

type Texts = Readonly<Record<string, string>>

const inAggregates = (metadata: readonly Texts[], given: HostGiven = {}): HostView =>
  host({ ...given, aggregates: metadata.map(one => aggregate(one)) })

const judge = (
  filter: Filter,
  asked: Partial<SchedulingRequest>,
  on: HostView,
  settings: Partial<SchedulingSettings> = {},
): FilterVerdict => filter.check(request(asked), on, { ...DEFAULT_SETTINGS, ...settings })

describe('AggregateInstanceExtraSpecsFilter', () => {
  const asked = (specs: Texts, ...metadata: Texts[]) =>
    judge(aggregateInstanceExtraSpecsFilter, { flavor: flavor(specs) }, inAggregates(metadata))

  test('every key needs a value that fits, from whichever aggregate', () => {
    expect(asked({ a: '1', b: '>= 2' }, { a: '1' }, { b: '1,3' }).passes).toBe(true)
    expect(asked({ a: '1', b: '>= 4' }, { a: '1' }, { b: '1,3' })).toMatchObject({
      reasons: [{ code: 'extra-spec.mismatch', facts: { key: 'b', found: [{ values: ['1', '3'] }] } }],
    })
    expect(asked({ a: '1' }, {})).toMatchObject({ reasons: [{ code: 'extra-spec.missing' }] })
  })

  test('namespaced keys are passed over, unless they are escaped', () => {
    expect(asked({ 'hw:a': '1' }, { 'hw:a': '2' }).passes).toBe(true)
    expect(asked({ 'aggregate_instance_extra_specs:hw:a': '1' }, { 'hw:a': '2' }).passes).toBe(false)
  })

  test('it knows no sentinels and no force: they are texts and keys', () => {
    expect(asked({ a: '*' }, { a: '1' }).passes).toBe(false)
    expect(asked({ a: '*' }, { a: '*' }).passes).toBe(true)
    expect(asked({ a: '~' }, {}).passes).toBe(false)
    expect(asked({ a: '<or> * <or> 1' }, { a: '*' }).passes).toBe(true)
    expect(asked({}, { a: '1', force_metadata_check: 'True' }).passes).toBe(true)
    expect(asked({ force_metadata_check: 'True' }, {}).passes).toBe(false)
  })
})

describe('AggregateTypeAffinityFilter', () => {
  const asked = (name: string, ...metadata: Texts[]) =>
    judge(aggregateTypeAffinityFilter, { flavor: flavor({}, { name }) }, inAggregates(metadata))

  test('a list in any aggregate lets its flavors in, and no others', () => {
    expect(asked('m1', { instance_type: 'm2 , m1' }).passes).toBe(true)
    expect(asked('m1', { instance_type: 'm2' }, { instance_type: 'm1' }).passes).toBe(true)
    expect(asked('m1', {}, { instance_type: 'm2' })).toMatchObject({
      reasons: [{ code: 'flavor.not-listed', facts: { flavor: 'm1', allowed: [{ values: ['m2'] }] } }],
    })
    expect(asked('m1', { instance_type: '' }).passes).toBe(false)
  })

  test('where no aggregate has a list, every flavor may come', () => {
    expect(asked('m1', { rack: '7' }).passes).toBe(true)
    expect(asked('m1').passes).toBe(true)
  })
})

describe('AggregateMultiTenancyIsolation', () => {
  const asked = (project: string | null, ...metadata: Texts[]) =>
    judge(aggregateMultiTenancyIsolation, { project }, inAggregates(metadata))

  test('every key that begins with filter_tenant_id lists projects', () => {
    expect(asked('p1', { filter_tenant_id: 'p1,p2' }).passes).toBe(true)
    expect(asked('p3', { filter_tenant_id: 'p1', filter_tenant_id_x: 'p3' }).passes).toBe(true)
    expect(asked('p3', { filter_tenant_id2: 'p1' }, { filter_tenant_id: 'p2' })).toMatchObject({
      reasons: [
        { code: 'project.not-listed', facts: { project: 'p3', allowed: [{ text: 'p1' }, { text: 'p2' }] } },
      ],
    })
  })

  test('a request without a project passes only where no project is listed', () => {
    expect(asked(null, { rack: '7' }).passes).toBe(true)
    expect(asked(null, { filter_tenant_id: 'p1' }).passes).toBe(false)
  })
})

describe('AggregateImagePropertiesIsolation', () => {
  const asked = (properties: Parameters<typeof image>[0] | null, ...metadata: Texts[]) =>
    judge(
      aggregateImagePropertiesIsolation,
      { image: properties && image(properties) },
      inAggregates(metadata),
    )

  test('a property that is a key of the aggregates must have a value that they list', () => {
    expect(asked({ os_type: 'linux' }, { os_type: 'windows, linux' }).passes).toBe(true)
    expect(
      asked({ os_type: 'linux', hw_cpu_cores: 4 }, { os_type: 'windows' }, { hw_cpu_cores: '2' }),
    ).toMatchObject({
      reasons: [
        { code: 'image-property.not-listed', facts: { property: 'os_type', value: 'linux' } },
        { facts: { property: 'hw_cpu_cores', value: '4', allowed: [{ text: '2' }] } },
      ],
    })
  })

  test('what the image does not say, or says emptily, is no hindrance', () => {
    expect(asked({}, { os_type: 'windows' }).passes).toBe(true)
    expect(asked(null, { os_type: 'windows' }).passes).toBe(true)
    expect(
      asked({ os_type: '', hw_qemu_guest_agent: false }, { os_type: 'x', hw_qemu_guest_agent: 'yes' }).passes,
    ).toBe(true)
  })
})

describe('limits', () => {
  test('a host with as many as the limit takes no more', () => {
    const on = (instanceCount: number, ioOpsCount: number) => host({ instanceCount, ioOpsCount })
    expect(judge(numInstancesFilter, {}, on(49, 0)).passes).toBe(true)
    expect(judge(numInstancesFilter, {}, on(50, 0))).toMatchObject({
      reasons: [{ code: 'instances.limit', facts: { have: 50, max: 50, from: [] } }],
    })
    expect(judge(ioOpsFilter, {}, on(0, 7)).passes).toBe(true)
    expect(judge(ioOpsFilter, {}, on(0, 8))).toMatchObject({
      reasons: [{ code: 'io-ops.limit', facts: { have: 8, max: 8 } }],
    })
  })

  test('the least limit of the aggregates comes before the setting, and is named', () => {
    const on = inAggregates([{ max_instances_per_host: '9' }, { max_instances_per_host: ' 5 ' }], {
      instanceCount: 5,
    })
    expect(judge(aggregateNumInstancesFilter, {}, on)).toMatchObject({
      reasons: [{ facts: { have: 5, max: 5, from: [{ text: ' 5 ' }] } }],
    })
    expect(judge(aggregateNumInstancesFilter, {}, inAggregates([{}], { instanceCount: 5 })).passes).toBe(true)
  })

  test('garbage in one aggregate makes all of them unheard, with a note', () => {
    const on = inAggregates([{ max_io_ops_per_host: '1' }, { max_io_ops_per_host: '5,8' }], { ioOpsCount: 7 })
    expect(judge(aggregateIoOpsFilter, {}, on)).toMatchObject({
      passes: true,
      notes: [{ code: 'number.unreadable', facts: { key: 'max_io_ops_per_host', used: 8 } }],
    })
    expect(judge(aggregateIoOpsFilter, {}, on, { maxIoOpsPerHost: 7 })).toMatchObject({ passes: false })
  })
})

describe('AvailabilityZoneFilter', () => {
  const asked = (zone: string | null, ...metadata: Texts[]) =>
    judge(availabilityZoneFilter, { zone }, inAggregates(metadata))

  test('the zone of any aggregate is a zone of the host', () => {
    expect(asked('north', {}, { availability_zone: 'north' }).passes).toBe(true)
    expect(asked('south', { availability_zone: 'north' })).toMatchObject({
      reasons: [{ code: 'zone.other', facts: { asked: 'south', zones: ['north'] } }],
    })
    expect(asked(null, { availability_zone: 'north' }).passes).toBe(true)
  })

  test('a host without a zone is in the default one', () => {
    expect(asked('nova', {}).passes).toBe(true)
    expect(asked('nova', { availability_zone: 'north' }).passes).toBe(false)
    expect(asked('north', {})).toMatchObject({ reasons: [{ facts: { zones: ['nova'], from: [] } }] })
  })
})
