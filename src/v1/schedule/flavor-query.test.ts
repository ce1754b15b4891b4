import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ image_metadata_prefilter: true })
  const applied = await berth.ask('POST', '/v1/apply', {
    body: {
      flavors: [
        { name: 'gold', ram: 512, vcpus: 2, disk: 0, extra_specs: { 'trait:CUSTOM_GOLD': 'required' } },
      ],
      aggregates: [
        { name: 'gold-hosts', metadata: { 'trait:CUSTOM_GOLD': 'required' } },
        { name: 'west', availability_zone: 'w' },
      ],
    },
  })
  expect(applied.status).toBe(200)
})
afterAll(() => berth.end())

const query = (body: unknown, headers: Record<string, string> = {}) =>
  berth.ask('POST', '/v1/flavors/query', { body, headers })

const small = { vcpus: 1, ram: 512, disk: 10 }

const uuidOf = async (name: string): Promise<string> => {
  const answer = await fetch(`${berth.server.url}/compute/v2.1/os-aggregates`, {
    headers: { 'x-auth-token': 'admin', 'openstack-api-version': 'compute 2.41' },
  })
  const { aggregates } = (await answer.json()) as { aggregates: { name: string; uuid: string }[] }
  return aggregates.find(one => one.name === name)?.uuid as string
}

test('a flavor that need not exist, before and after prefilters', async () => {
  const gold = await uuidOf('gold-hosts')
  const { status, json } = await query({
    items: [
      {
        flavor: {
          ...small,
          swap: 1025,
          extra_specs: { 'resources:CUSTOM_FPGA': '1', 'trait:HW_CPU_X86_AVX2': 'required' },
        },
        volume_backed: true,
      },
    ],
  })
  expect(status).toBe(200)
  const [result] = json.results
  expect(result).toEqual({
    possible: true,
    from_flavor: [
      { name: 'limit', value: '1000' },
      { name: 'required', value: 'HW_CPU_X86_AVX2' },
      { name: 'resources', value: 'CUSTOM_FPGA:1,DISK_GB:2,MEMORY_MB:512,VCPU:1' },
    ],
    parameters: [
      { name: 'limit', value: '1000' },
      { name: 'member_of', value: `!in:${gold}` },
      { name: 'required', value: 'HW_CPU_X86_AVX2' },
      { name: 'resources', value: 'CUSTOM_FPGA:1,DISK_GB:2,MEMORY_MB:512,VCPU:1' },
      { name: 'root_required', value: '!COMPUTE_STATUS_DISABLED' },
    ],
    query: expect.stringContaining('resources=CUSTOM_FPGA%3A1%2CDISK_GB%3A2'),
    prefilters: [
      expect.objectContaining({ name: 'compute_status_filter', code: 'root-forbidden' }),
      {
        name: 'isolate_aggregates',
        code: 'forbidden-aggregates',
        aggregates: [gold],
        traits: [],
        text: `excludes the aggregates ${gold}.`,
      },
    ],
    notes: [],
    errors: [],
  })
  expect((await berth.ask('GET', `/allocation_candidates?${result.query}`, { minor: 39 })).status).toBe(200)
})

test('a flavor of the server by its name, the zone and the settings of an item', async () => {
  const west = await uuidOf('west')
  const settings = { max_placement_results: 7, enable_isolated_aggregate_filtering: false }
  const { json } = await query({ items: [{ flavor_name: 'gold', zone: 'w', settings }] })
  expect(json.results[0].parameters).toEqual([
    { name: 'limit', value: '7' },
    { name: 'member_of', value: `in:${west}` },
    { name: 'required', value: 'CUSTOM_GOLD' },
    { name: 'resources', value: 'MEMORY_MB:512,VCPU:2' },
    { name: 'root_required', value: '!COMPUTE_STATUS_DISABLED' },
  ])
})

test('aggregates of an item count instead of those of the server', async () => {
  const aggregates = [{ uuid: 'mine', metadata: { 'trait:CUSTOM_MINE': 'required' } }]
  const { json } = await query({ items: [{ flavor: small, aggregates }] })
  expect(json.results[0].prefilters[1]).toMatchObject({ aggregates: ['mine'] })
})

test('what is not heard, and why a flavor cannot be had, in codes and words', async () => {
  const specs = (extra_specs: Record<string, string>) => ({ flavor: { ...small, extra_specs } })
  const { json } = await query({
    items: [
      specs({ 'resources:MANY': '1', 'resources:VCPU': 'x', 'trait:A': 'maybe', group_policy: 'some' }),
      specs({ 'resources1:VCPU': '1', 'trait2:HW_CPU_X86_AVX2': 'required' }),
      { ...specs({ 'hw:cpu_policy': 'shared' }), image_properties: { hw_cpu_policy: 'dedicated' } },
      specs({ 'hw:cpu_policy': 'own' }),
      { ...specs({ 'hw:mem_encryption': 'true' }) },
    ],
  })
  const texts = (of: 'notes' | 'errors') =>
    json.results.map((one: Record<string, { text: string }[]>) => one[of]?.map(({ text }) => text))
  expect(texts('notes').slice(0, 2)).toEqual([
    [
      'resources:MANY = "1" is ignored: there is no such resource class.',
      'resources:VCPU = "x" is ignored: an amount is a whole number, 0 or more.',
      'trait:A = "maybe" is ignored: a trait is required, forbidden, preferred, avoided, or in:A,B for any of these.',
      'group_policy = "some" is ignored: it must be none or isolate.',
    ],
    [
      'group 2 asks for no resources: Placement refuses that.',
      'the groups 1, 2 need a group_policy, none or isolate: Placement refuses the query without.',
    ],
  ])
  expect(texts('errors').slice(2)).toEqual([
    [
      'the flavor has hw:cpu_policy = "shared", and the image hw_cpu_policy = "dedicated": they exclude each other.',
    ],
    ['the flavor has hw:cpu_policy = "own", which is not one of dedicated, shared, mixed.'],
    ['hw:mem_encryption = "true" needs hw_firmware_type = "uefi", which is not there.'],
  ])
  expect(json.results[2]).toMatchObject({ possible: false, parameters: null, query: null, from_flavor: null })
})

test('a project that needs an aggregate and has none can have nothing', async () => {
  const settings = {
    limit_tenants_to_placement_aggregate: true,
    placement_aggregate_required_for_tenants: true,
  }
  const { json } = await query({ items: [{ flavor: small, project: 'p', settings }] })
  expect(json.results[0]).toMatchObject({
    possible: false,
    prefilters: [
      { code: 'impossible', text: 'no aggregate names the project p, and one is required: no host fits.' },
      {},
      {},
    ],
  })
})

test('settings of the server count: devices of the image are asked for by traits', async () => {
  const { json } = await query({ items: [{ flavor: small, image_properties: { hw_vif_model: 'virtio' } }] })
  const root = json.results[0].parameters.find((one: { name: string }) => one.name === 'root_required')
  expect(root.value).toBe('COMPUTE_NET_VIF_MODEL_VIRTIO,!COMPUTE_STATUS_DISABLED')
})

test.each([
  ['neither flavor nor name', { items: [{}] }, 'items.0', 'request.invalid'],
  [
    'both',
    { items: [{ flavor: small }, { flavor: small, flavor_name: 'gold' }] },
    'items.1',
    'request.invalid',
  ],
  [
    'a flavor that does not exist',
    { items: [{ flavor_name: 'tin' }] },
    'items.0.flavor_name',
    'flavors.unknown',
  ],
  [
    'a flavor without memory',
    { items: [{ flavor: { vcpus: 1, disk: 1 } }] },
    'items.0.flavor',
    'request.invalid',
  ],
  [
    'half a processor',
    { items: [{ flavor: { ...small, vcpus: 0.5 } }] },
    'items.0.flavor.vcpus',
    'request.invalid',
  ],
])('%s: refused, and the item is named', async (_, body, field, code) => {
  const { status, json } = await query(body)
  expect(status).toBe(400)
  expect(json).toMatchObject({ code, field })
})

test('it tells of aggregates and flavors of the server, so it is for those who run it', async () => {
  expect((await query({ items: [] }, { 'x-roles': 'member' })).status).toBe(403)
})

test('prefilters ask for a standard trait once it was learned', async () => {
  const items = [{ flavor: small, image_properties: { hw_vif_model: 'tin-can' } }]
  const prefilters = async () =>
    (await query({ items })).json.results[0].prefilters.map(
      ({ code, traits }: { code: string; traits: string[] }) => [code, traits],
    )
  const trait = 'COMPUTE_NET_VIF_MODEL_TIN_CAN'
  expect(await prefilters()).toContainEqual(['unknown-traits', [trait]])
  const learned = await berth.ask('POST', '/v1/standard-traits', { body: { traits: [trait] } })
  expect(learned.json).toEqual({ added: [trait] })
  expect(await prefilters()).toContainEqual(['root-required', [trait]])
})
