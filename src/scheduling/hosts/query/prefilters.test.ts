import { describe, expect, test } from 'vitest'
import standardTraits from '../../../placement/data/standard-traits.json' with { type: 'json' }
import { DEFAULT_SETTINGS, type SchedulingSettings } from '../../framework/settings.ts'
import { NO_HINTS, type SchedulingRequest } from '../request-view.ts'
import { aggregate, flavor, image, request } from '../views.fixture.ts'
import { limitToTree, renderParameters, toCandidateRequest } from './placement-query.ts'
import { PREFILTERS } from './prefilters.ts'
import { makeRequestQuery } from './request-query.ts'

type Texts = Readonly<Record<string, string>>

const TRAITS = new Set([...standardTraits, 'COMPUTE_NET_VIF_MODEL_LEARNED'])
const hasTrait = (name: string) => TRAITS.has(name)

function asked(
  given: Partial<SchedulingRequest>,
  metadata: readonly Texts[] = [],
  settings: Partial<SchedulingSettings> = {},
) {
  const aggregates = metadata.map((one, at) => ({ ...aggregate(one), uuid: `u${at}` }))
  const answer = makeRequestQuery(
    request(given),
    { aggregates, hasTrait },
    { ...DEFAULT_SETTINGS, ...settings },
  )
  if (!answer.ok) throw new Error('a flavor that cannot be translated')
  const parameters = renderParameters(answer.query).filter(([key]) => key !== 'limit' && key !== 'resources')
  return { ...answer, parameters }
}

const DISABLED: [string, string] = ['root_required', '!COMPUTE_STATUS_DISABLED']

test('disabled hosts are left out of every query', () => {
  expect(asked({}).parameters).toEqual([DISABLED])
})

describe('isolated aggregates', () => {
  const isolated = [
    { 'trait:CUSTOM_A': 'required' },
    { 'trait:HW_B': 'required', ssd: 'required' },
    { ssd: 'true' },
  ]

  test('a request without the trait keeps out, one with it may go in', () => {
    expect(asked({}, isolated).parameters).toContainEqual(['member_of', '!in:u0,u1'])
    const specs = { 'trait:CUSTOM_A': 'required', 'resources1:VGPU': '1', 'trait1:HW_B': 'required' }
    expect(asked({ flavor: flavor(specs) }, isolated).parameters.map(([key]) => key)).not.toContain(
      'member_of',
    )
  })

  test('only the word required isolates', () => {
    const others = [
      { 'trait:CUSTOM_A': 'Required' },
      { 'trait:CUSTOM_A': 'forbidden' },
      { 'traits:A': 'required' },
    ]
    expect(asked({}, others).parameters).toEqual([DISABLED])
  })

  test('a trait that is one of several on offer is not required', () => {
    const any = { flavor: flavor({ 'trait:ANY': 'in:CUSTOM_A,CUSTOM_C' }) }
    expect(asked(any, isolated).parameters).toContainEqual(['member_of', '!in:u0,u1'])
    const one = { flavor: flavor({ 'trait:ANY': 'in:CUSTOM_A' }) }
    expect(asked(one, isolated).parameters).toContainEqual(['member_of', '!in:u1'])
  })

  test('it can be switched off', () => {
    expect(asked({}, isolated, { isolateAggregates: false }).parameters).toEqual([DISABLED])
  })
})

test('a zone is the aggregates of that zone, if there are any', () => {
  const zones = [
    { availability_zone: 'north' },
    { availability_zone: 'south' },
    { availability_zone: 'north' },
  ]
  expect(asked({ zone: 'north' }, zones).parameters).toContainEqual(['member_of', 'in:u0,u2'])
  expect(asked({ zone: 'nova' }, zones).parameters).toEqual([DISABLED])
})

describe('projects and their aggregates', () => {
  const limited = { limitProjectsToAggregates: true }
  const metadata = [{ filter_tenant_id: 'p1' }, { filter_tenant_id2: 'p1', filter_tenant_id: 'p2' }]

  test('a project keeps to those that name it', () => {
    expect(asked({ project: 'p1' }, metadata, limited).parameters).toContainEqual(['member_of', 'in:u0,u1'])
    expect(asked({ project: 'p1' }, metadata).parameters).toEqual([DISABLED])
  })

  test('a project that none names may go anywhere, or nowhere', () => {
    expect(asked({ project: 'p9' }, metadata, limited)).toMatchObject({
      isPossible: true,
      parameters: [DISABLED],
    })
    const strict = { ...limited, aggregateRequiredForProjects: true }
    expect(asked({ project: 'p9' }, metadata, strict)).toMatchObject({
      isPossible: false,
      applied: [
        { prefilter: 'require_tenant_aggregate', narrowing: { kind: 'impossible', project: 'p9' } },
        {},
      ],
    })
  })

  test('zone and project must both be met', () => {
    const { parameters } = asked(
      { project: 'p1', zone: 'n' },
      [...metadata, { availability_zone: 'n' }],
      limited,
    )
    expect(parameters.filter(([key]) => key === 'member_of')).toEqual([
      ['member_of', 'in:u0,u1'],
      ['member_of', 'in:u2'],
    ])
  })
})

describe('traits of the root', () => {
  const rootOf = (given: Partial<SchedulingRequest>, settings: Partial<SchedulingSettings> = {}) =>
    new Map(asked(given, [], settings).parameters)
      .get('root_required')
      ?.replace(/,?!COMPUTE_STATUS_DISABLED/, '')

  test('the disk format of the image, unless there is a volume', () => {
    const qcow = { image: { ...image({}), diskFormat: 'qcow2' } }
    const on = { requireImageTypeSupport: true }
    expect(rootOf(qcow, on)).toBe('COMPUTE_IMAGE_TYPE_QCOW2')
    expect(rootOf(qcow)).toBe('')
    expect(rootOf({ ...qcow, isVolumeBacked: true }, on)).toBe('')
  })

  test('devices of the image; one without a trait skips all of them, with a warning', () => {
    const on = { requireImageMetadataTraits: true }
    const known = { image: image({ hw_disk_bus: 'virtio', hw_vif_model: 'e1000' }) }
    expect(rootOf(known, on)).toBe('COMPUTE_NET_VIF_MODEL_E1000,COMPUTE_STORAGE_BUS_VIRTIO')
    const learned = { image: image({ hw_disk_bus: 'virtio', hw_vif_model: 'learned' }) }
    expect(rootOf(learned, on)).toBe('COMPUTE_NET_VIF_MODEL_LEARNED,COMPUTE_STORAGE_BUS_VIRTIO')
    const odd = { image: image({ hw_disk_bus: 'virtio', hw_vif_model: 'tin-can' }) }
    expect(rootOf(odd, on)).toBe('')
    expect(asked(odd, [], on).applied).toContainEqual({
      prefilter: 'transform_image_metadata',
      narrowing: { kind: 'unknown-traits', traits: ['COMPUTE_NET_VIF_MODEL_TIN_CAN'] },
    })
  })

  test('what flavor or image asks for by a key of its own', () => {
    expect(rootOf({ flavor: flavor({ 'accel:device_profile': 'gpu' }) })).toBe('COMPUTE_ACCELERATORS')
    expect(
      rootOf({
        flavor: flavor({ 'hw:ephemeral_encryption': 'yes', 'hw:ephemeral_encryption_format': 'luks' }),
      }),
    ).toBe('COMPUTE_EPHEMERAL_ENCRYPTION,COMPUTE_EPHEMERAL_ENCRYPTION_LUKS')
  })
})

test('every prefilter describes its effect and has its own name', () => {
  const { applied } = asked({ zone: 'n' }, [{ availability_zone: 'n' }])
  expect(applied.map(({ prefilter }) => prefilter)).toEqual([
    'map_az_to_placement_aggregate',
    'compute_status_filter',
  ])
  expect(new Set(PREFILTERS.map(({ name }) => name)).size).toBe(PREFILTERS.length)
})

test('there is no limit on candidates where neighbours decide, or for one host', () => {
  expect(asked({}).query.limit).toBe(1000)
  expect(asked({ hints: { ...NO_HINTS, sameHost: ['x'] } }).query.limit).toBeNull()
  const group = { uuid: 'g', policy: 'affinity', maxServerPerHost: 1, membersByHost: new Map() } as const
  expect(asked({ group }).query.limit).toBeNull()
  const one = limitToTree(asked({}).query, 'root')
  expect(renderParameters(one)).toEqual([
    ['in_tree', 'root'],
    ['resources', 'DISK_GB:10,MEMORY_MB:512,VCPU:2'],
    DISABLED,
  ])
  expect(toCandidateRequest(one)).toMatchObject({ limit: null, groups: [{ inTree: 'root' }] })
})

test('a group that only narrows is made where the flavor has none of its own', () => {
  const specs = {
    'resources:VCPU': '0',
    'resources:MEMORY_MB': '0',
    'resources:DISK_GB': '0',
    'resources1:VGPU': '1',
  }
  const { parameters } = asked({ flavor: flavor(specs), zone: 'n' }, [{ availability_zone: 'n' }])
  expect(parameters).toContainEqual(['member_of', 'in:u0'])
  expect(parameters).toContainEqual(['resources1', 'VGPU:1'])
})

test('a flavor that cannot be translated says so before anything is narrowed', () => {
  const asks = request({ flavor: flavor({ 'hw:cpu_policy': 'solid' }) })
  expect(makeRequestQuery(asks, { aggregates: [], hasTrait }, DEFAULT_SETTINGS)).toMatchObject({
    ok: false,
    faults: [{ code: 'bad-value' }],
  })
})
