/** Scheduling where two features meet: request groups and aggregates, any-traits and images, and the like. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth, uuid } from '../../test/running-berth.ts'

/** All tests share one server. Each test declares what it needs, and claims nothing unless it says so. */
let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
})
afterAll(() => berth.end())

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const schedule = (body: Record<string, unknown>) => post('/v1/schedule', { dry_run: true, ...body })
const hostsOf = (json: { placed?: { host: string }[] }) => json.placed?.map(({ host }) => host)

async function apply(body: object): Promise<void> {
  const { status, text } = await post('/v1/apply?owner=test', body)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}

const SIZE = { VCPU: { total: 8 }, MEMORY_MB: { total: 8_192 }, NET_BW_EGR_KILOBIT_PER_SEC: { total: 1_000 } }
const SMALL = { vcpus: 1, ram: 512, disk: 0 }
const ONE = { name: 'one', uuid: uuid(1), inventories: SIZE }

describe('a flavor with keys that the scheduler itself reads is placed under the default filters', () => {
  test('two ports, each with a choice of networks, in and out of aggregates', async () => {
    const extra_specs = {
      'resources_P1:NET_BW_EGR_KILOBIT_PER_SEC': '100',
      'resources_P2:NET_BW_EGR_KILOBIT_PER_SEC': '100',
      'trait_P1:ANY': 'in:CUSTOM_PHYSNET_A,CUSTOM_PHYSNET_B',
      'trait_P2:ANY': 'in:CUSTOM_PHYSNET_B,CUSTOM_PHYSNET_C',
      group_policy: 'none',
      hide_hypervisor_id: 'true',
    }
    const host = { ...ONE, traits: ['CUSTOM_PHYSNET_A', 'CUSTOM_PHYSNET_B', 'CUSTOM_PHYSNET_C'] }
    await apply({ hosts: [host], aggregates: [] })
    expect(hostsOf((await schedule({ flavor: { ...SMALL, extra_specs } })).json)).toEqual(['one'])
    await apply({ hosts: [host], aggregates: [{ name: 'a', metadata: { rack: '7' }, hosts: ['one'] }] })
    expect(hostsOf((await schedule({ flavor: { ...SMALL, extra_specs } })).json)).toEqual(['one'])
  })

  test('on a forced aggregate with metadata of other filters and weighers', async () => {
    const metadata = {
      force_metadata_check: 'True',
      max_instances_per_host: '50',
      cpu_weight_multiplier: '2',
      filter_tenant_id: 'admin',
    }
    await apply({
      hosts: [ONE],
      aggregates: [{ name: 'a', availability_zone: 'east', metadata, hosts: ['one'] }],
    })
    expect(hostsOf((await schedule({ flavor: SMALL })).json)).toEqual(['one'])
  })

  test('explain names no aggregate for them', async () => {
    await apply({ hosts: [ONE], aggregates: [] })
    const flavor = { ...SMALL, vcpus: 99, extra_specs: { hide_hypervisor_id: 'true' } }
    const { status, json } = await post('/v1/explain/schedule', { flavor })
    expect(status).toBe(200)
    expect(JSON.stringify(json)).not.toContain('extra-spec.missing')
  })
})

const compute = (minor: number, method: string, path: string, body: unknown) =>
  fetch(`${berth.server.url}/compute/v2.1${path}`, {
    method,
    headers: {
      'x-auth-token': 'admin',
      'content-type': 'application/json',
      'openstack-api-version': `compute 2.${minor}`,
    },
    body: JSON.stringify(body),
  })

describe('a wish that cannot be read', () => {
  const TWO = [
    { ...ONE, traits: ['CUSTOM_A'] },
    { name: 'two', uuid: uuid(2), inventories: SIZE, traits: ['CUSTOM_B'] },
    { name: 'three', uuid: uuid(3), inventories: SIZE, traits: ['CUSTOM_C'] },
  ]
  const withSpec = (key: string, value: string) => ({ ...SMALL, extra_specs: { [key]: value } })

  test('a malformed any-trait is refused at scheduling with key and value', async () => {
    await apply({ hosts: TWO, aggregates: [] })
    for (const key of ['trait:ANY', 'trait:CUSTOM_A'])
      for (const value of ['in:', 'in:CUSTOM_A,!CUSTOM_B', 'in:CUSTOM_A,', 'in:custom_a']) {
        const { status, json } = await schedule({ flavor: withSpec(key, value) })
        expect([status, json.code]).toEqual([400, 'schedule.flavor-faults'])
        expect(json.detail).toContain(`the flavor has ${key} = ${JSON.stringify(value)}, which`)
      }
  })

  test('a malformed any-trait is refused by the versions that check, and warned about by the others', async () => {
    await apply({ flavors: [{ name: 'f', id: 'f', ...SMALL }] })
    const body = { extra_specs: { 'trait:ANY': 'in:CUSTOM_A,!CUSTOM_B' } }
    for (const minor of [86, 93]) {
      const answer = await compute(minor, 'POST', '/flavors/f/os-extra_specs', body)
      expect(answer.status).toBe(400)
      expect(await answer.text()).toMatch(
        /trait:ANY is wrong: 'in:CUSTOM_A,!CUSTOM_B' cannot forbid CUSTOM_B/,
      )
    }
    const one = { 'trait:ANY': 'in:' }
    expect((await compute(86, 'PUT', '/flavors/f/os-extra_specs/trait:ANY', one)).status).toBe(400)
    const taken = await compute(85, 'POST', '/flavors/f/os-extra_specs', body)
    expect([taken.status, taken.headers.get('berth-warning')]).toEqual([
      200,
      expect.stringContaining('the compute API refuses it from version 2.86 on'),
    ])
    expect((await schedule({ flavor: 'f' })).json.code).toBe('schedule.flavor-faults')
  })

  test('extra specs for Placement that cannot be read are refused by apply, and nothing is written', async () => {
    const unreadable = {
      'trait:ANY': 'in:CUSTOM_A,!CUSTOM_B',
      'trait1:CUSTOM_A': 'maybe',
      'resources:CUSTOM_X': 'some',
      'resources:NOTHING': '1',
      group_policy: 'both',
    }
    for (const [key, value] of Object.entries(unreadable)) {
      const flavors = [{ name: 'f2', id: 'f2', ...withSpec(key, value) }]
      const { status, json } = await post('/v1/apply', { flavors })
      expect([status, json.code, json.key, json.value]).toEqual([400, 'apply.bad-extra-spec', key, value])
    }
    expect((await schedule({ flavor: 'f2' })).json.code).toBe('schedule.flavor-missing')
  })

  test('apply warns about values that the compute API would refuse', async () => {
    const flavors = [{ name: 'f', id: 'f', ...withSpec('hw:cpu_policy', 'pinned') }]
    expect((await post('/v1/apply', { flavors })).json.warnings).toEqual([
      "flavor f: The extra spec hw:cpu_policy is wrong: 'pinned' is not one of dedicated, shared, mixed.",
    ])
  })

  test('in: counts in the properties of an image as it does in a flavor', async () => {
    await apply({ hosts: TWO, aggregates: [] })
    const image = { properties: { 'trait:ANY': 'in:CUSTOM_B,CUSTOM_C', 'trait:CUSTOM_C': 'required' } }
    expect(hostsOf((await schedule({ flavor: SMALL, image })).json)).toEqual(['three'])
    const any = { properties: { 'trait:ANY': 'in:CUSTOM_B,CUSTOM_NOT' } }
    expect((await schedule({ flavor: SMALL, image: any })).json.code).not.toBe('schedule.no-host')
    const { instance } = (await schedule({ flavor: SMALL, host: 'one', dry_run: false })).json.placed[0]
    const { json } = await post('/v1/rebuild', { instance, image })
    expect(json.detail).toContain('the image requires CUSTOM_B or CUSTOM_C')
    await berth.ask('DELETE', `/placement/allocations/${instance}`)
  })

  test('image properties that cannot be read are refused with key and value', async () => {
    const unreadable: [string, unknown][] = [
      ['trait:ANY', 'in:CUSTOM_A,!CUSTOM_B'],
      ['trait:ANY', 'in:'],
      ['trait:CUSTOM_A', 'forbidden'],
      ['trait:CUSTOM_A', true],
      ['traits_required', 'CUSTOM_A'],
    ]
    for (const [property, value] of unreadable) {
      const { status, json } = await schedule({ flavor: SMALL, image: { properties: { [property]: value } } })
      const told = { status, code: json.code, property: json.property, value: json.value }
      expect(told).toEqual({ status: 400, code: 'schedule.bad-image-property', property, value })
    }
  })

  test('hints that cannot be read are refused', async () => {
    const unreadable = [
      { group: [uuid(1), uuid(2)] },
      { group: 'g' },
      { same_host: 'one' },
      { different_host: [7] },
    ]
    for (const hints of unreadable) {
      const { status, json } = await schedule({ flavor: SMALL, hints })
      expect([status, json.code]).toEqual([400, 'schedule.bad-hint'])
    }
  })

  test('group_policy beside a flavor is refused', async () => {
    await apply({ hosts: TWO, aggregates: [] })
    const { status, json } = await schedule({ flavor: SMALL, group_policy: 'none' })
    expect([status, json.field]).toEqual([400, 'group_policy'])
  })

  test('what Nova takes and leaves out is placed with a warning', async () => {
    const cases: [object, string[]][] = [
      [{ hints: { build_near_host_ip: '10.0.0.1', cidr: '/24' } }, ['hint.unread', 'hint.unread']],
      [{ hints: { query: '["=", "$id", 1]' } }, ['hint.unread']],
      [{ flavor: withSpec('hw:numa_nodes', '2') }, ['unread-wish']],
      [{ flavor: withSpec('pci_passthrough:alias', 'gpu:1') }, ['unread-wish']],
      [{ flavor: withSpec('hw:mem_encryption', 'maybe') }, ['bad-flag']],
      [{ flavor: withSpec('trait:CUSTOM_A', 'maybe') }, ['bad-trait-value']],
      [{ flavor: withSpec('resources:NOTHING', '1') }, ['unknown-class']],
      [{ flavor: withSpec('resources:VCPU', 'some') }, ['bad-amount']],
      [{ flavor: withSpec('group_policy', 'both') }, ['bad-group-policy']],
    ]
    await apply({ hosts: TWO, aggregates: [] })
    for (const [body, codes] of cases) {
      const { status, json } = await schedule({ flavor: SMALL, ...body })
      const told = json.warnings.map(({ code }: { code: string }) => code.replace('flavor.', ''))
      expect([body, status, told]).toEqual([body, 200, codes])
    }
  })
})
