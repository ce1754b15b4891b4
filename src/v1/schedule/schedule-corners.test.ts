/** Corner cases of scheduling that were broken once, or easily could be. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
  onTestFinished(() => berth.end())
})

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const schedule = (body: Record<string, unknown>) => post('/v1/schedule', body)
const hostsOf = (json: { placed: { host: string }[] }) => json.placed.map(({ host }) => host)

async function apply(body: object): Promise<void> {
  const { status, text } = await post('/v1/apply?owner=test', body)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}

const SIZE = { VCPU: { total: 8 }, MEMORY_MB: { total: 8_192 } }
const hostsWith = (inventories: object, ...names: string[]) =>
  names.map((name, at) => ({ name, uuid: uuid(at + 1), inventories }))
const SMALL = { vcpus: 1, ram: 512, disk: 0 }

async function group(policy: string): Promise<string> {
  const answer = await fetch(`${berth.server.url}/compute/v2.1/os-server-groups`, {
    method: 'POST',
    headers: {
      'x-auth-token': 'admin',
      'content-type': 'application/json',
      'openstack-api-version': 'compute 2.64',
    },
    body: JSON.stringify({ server_group: { name: 'g', policy } }),
  })
  return ((await answer.json()) as { server_group: { id: string } }).server_group.id
}

describe('what Placement would refuse is refused, with what to do about it', () => {
  const bare = { 'resources:VCPU': '0', 'resources:MEMORY_MB': '0', 'resources:DISK_GB': '0' }
  const only = { ...SMALL, extra_specs: { ...bare, 'resources1:VCPU': '1' } }

  test('a request with only suffixed groups cannot have a zone', async () => {
    await apply({
      hosts: hostsWith(SIZE, 'alpha', 'beta'),
      aggregates: [{ name: 'a', availability_zone: 'east', hosts: ['alpha'] }],
    })
    expect(hostsOf((await schedule({ flavor: only })).json)).toEqual(['alpha'])
    const { status, json } = await schedule({ flavor: only, zone: 'east' })
    expect([status, json.code]).toEqual([400, 'schedule.query-refused'])
    expect(json.detail).toContain('the group without a suffix has aggregates and no resources: ask for some')
  })

  test('aggregates that are kept for a trait cannot be slipped into by a suffix', async () => {
    await apply({
      hosts: hostsWith(SIZE, 'alpha'),
      aggregates: [{ name: 'a', metadata: { 'trait:HW_CPU_X86_SGX': 'required' }, hosts: ['alpha'] }],
    })
    expect((await schedule({ flavor: SMALL })).json.code).toBe('schedule.no-host')
    expect((await schedule({ flavor: only })).json.code).toBe('schedule.query-refused')
  })

  test.each<[string, object, RegExp]>([
    [
      'groups without a policy',
      { a: { resources: { VCPU: 1 } }, b: { resources: { VCPU: 1 } } },
      /group_policy/,
    ],
    [
      'traits without resources',
      { a: { resources: {}, required: ['HW_CPU_X86_AVX'] }, b: { resources: { VCPU: 1 } } },
      /traits and no/,
    ],
    [
      'a trait both required and forbidden',
      { a: { resources: { VCPU: 1 }, required: ['HW_CPU_X86_AVX'], forbidden: ['HW_CPU_X86_AVX'] } },
      /requires and forbids/,
    ],
    ['an empty choice', { a: { resources: { VCPU: 1 }, required: [[]] } }, /empty list of traits/],
    [
      'too many groups',
      Object.fromEntries(Array.from({ length: 201 }, (_, nth) => [`_${nth}`, { resources: { VCPU: 1 } }])),
      /201 groups; the limit is 200/,
    ],
  ])('%s', async (_, groups, detail) => {
    await apply({ hosts: hostsWith(SIZE, 'alpha') })
    const { status, json } = await schedule({ groups })
    expect([status, json.code]).toEqual([400, 'schedule.query-refused'])
    expect(json.detail).toMatch(detail)
  })
})

test('a host is no place for a server that takes nothing of it', async () => {
  await apply({ hosts: hostsWith({ VCPU: { total: 8 } }, 'alpha', 'beta') })
  const shared = { name: 'storage', uuid: uuid(9) }
  await berth.ask('POST', '/resource_providers', { body: shared, minor: 38 })
  const inventories = { DISK_GB: { total: 100 } }
  const at = `/resource_providers/${uuid(9)}`
  await berth.ask('PUT', `${at}/inventories`, {
    minor: 38,
    body: { resource_provider_generation: 0, inventories },
  })
  await berth.ask('PUT', `${at}/traits`, {
    minor: 38,
    body: { resource_provider_generation: 1, traits: ['MISC_SHARES_VIA_AGGREGATE'] },
  })
  for (const number of [1, 2, 9]) {
    const { json } = await berth.ask('GET', `/resource_providers/${uuid(number)}`, { minor: 38 })
    await berth.ask('PUT', `/resource_providers/${uuid(number)}/aggregates`, {
      minor: 38,
      body: { aggregates: [uuid(77)], resource_provider_generation: json.generation },
    })
  }
  const disk = { groups: { '': { resources: { DISK_GB: 10 } } } }
  expect((await schedule(disk)).json.code).toBe('schedule.no-host')
  const both = { groups: { '': { resources: { VCPU: 1, DISK_GB: 60 } } } }
  const { json } = await schedule({ ...both, server_group: await group('anti-affinity') })
  expect(Object.keys(json.placed[0].allocations).sort()).toEqual([uuid(1), uuid(9)])
  // A move ignores the 60 that the server holds, unless it keeps them.
  const { instance } = json.placed[0]
  expect((await post('/v1/move', { instance, keep_source: true })).status).toBe(409)
  expect(hostsOf((await post('/v1/move', { instance })).json)).toEqual(['beta'])
})

describe('move', () => {
  test('in parallel, a server never moves to where it is, and nothing is held twice', async () => {
    const hosts = hostsWith(SIZE, ...Array.from({ length: 8 }, (_, nth) => `host-${nth}`))
    await apply({ hosts })
    const { instance, host } = (await schedule({ flavor: SMALL })).json.placed[0]
    const moves = await Promise.all(
      Array.from({ length: 20 }, () => post('/v1/move', { instance, keep_source: true })),
    )
    const done = moves.filter(({ status }) => status === 200)
    expect(done.length).toBeGreaterThan(0)
    for (const { status, json } of moves)
      if (status !== 200) expect(json.code).toMatch(/server-changed|no-host/)
    const keepers = await Promise.all(
      done.map(async ({ json }) => {
        const { json: held } = await berth.ask('GET', `/allocations/${json.source_kept_by}`, { minor: 38 })
        return Object.keys(held.allocations)
      }),
    )
    const left = keepers.flat().map(provider => hosts.find(one => one.uuid === provider)?.name)
    const reached = done.flatMap(({ json }) => hostsOf(json))
    // Every host that the server reached, and its first one, was left once, except the last.
    expect(left).toHaveLength(reached.length)
    const { json: held } = await berth.ask('GET', `/allocations/${instance}`, { minor: 38 })
    const last = hosts.find(({ uuid: one }) => one in held.allocations)?.name
    expect([...left, last].sort()).toEqual([host, ...reached].sort())
  })

  test('is of servers only', async () => {
    await apply({ hosts: hostsWith(SIZE, 'alpha', 'beta') })
    const allocations = { [uuid(1)]: { resources: { VCPU: 1 } } }
    const body = { allocations, project_id: 'p', user_id: 'u', consumer_generation: null }
    await berth.ask('PUT', `/allocations/${uuid(50)}`, {
      body: { ...body, consumer_type: 'VOLUME' },
      minor: 38,
    })
    const { status, json } = await post('/v1/move', { instance: uuid(50) })
    expect([status, json.code]).toEqual([404, 'schedule.server-missing'])
    expect(json.detail).toContain('of type VOLUME')
  })

  test('to another flavor on the same host counts what the server has as free', async () => {
    await apply({ hosts: hostsWith(SIZE, 'alpha') })
    const { instance } = (await schedule({ flavor: { vcpus: 4, ram: 512, disk: 0 } })).json.placed[0]
    const larger = { instance, flavor: { vcpus: 6, ram: 512, disk: 0 }, allow_same_host: true }
    expect(hostsOf((await post('/v1/move', larger)).json)).toEqual(['alpha'])
  })

  test('that finds no host is explained, as it was asked', async () => {
    await apply({ hosts: hostsWith(SIZE, 'alpha', 'beta') })
    const { instance } = (await schedule({ flavor: SMALL })).json.placed[0]
    const { json } = await post('/v1/explain/schedule', {
      instance,
      ignore_hosts: ['beta'],
      keep_source: true,
    })
    expect(json).toMatchObject({ hosts: 2, with_room: 0, passed: 0 })
    expect(json.reports.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['left-out', 'left-out'])
  })
})

test('of a count, the first server without a place is explained, with the others in theirs', async () => {
  await apply({ hosts: hostsWith(SIZE, 'alpha', 'beta') })
  const body = {
    flavor: SMALL,
    count: 3,
    server_group: await group('anti-affinity'),
    dry_run: true,
    alternates: 0,
  }
  expect((await schedule(body)).json.placed).toBe(2)
  const { json } = await post('/v1/explain/schedule', body)
  expect(json.histogram).toMatchObject([
    { filter: 'ServerGroupAntiAffinityFilter', hosts: 2, only_reason: 2 },
  ])
  expect((await post('/v1/explain/schedule', { ...body, count: 2 })).json.passed).toBe(2)
})

test('servers of a count have alternates as long as hosts are free', async () => {
  await apply({ hosts: hostsWith(SIZE, ...Array.from({ length: 60 }, (_, nth) => `host-${nth}`)) })
  const { json } = await schedule({ flavor: SMALL, count: 30, server_group: await group('anti-affinity') })
  const counts = json.placed.map(({ alternates }: { alternates: unknown[] }) => alternates.length)
  expect(new Set(counts)).toEqual(new Set([2]))
})

describe('images', () => {
  test('ask for traits as the catalog of images writes them, and by their old names', async () => {
    await apply({
      hosts: [
        {
          name: 'alpha',
          uuid: uuid(1),
          inventories: SIZE,
          capabilities: { supported_instances: [['x86_64', 'qemu', 'hvm']] },
        },
        { name: 'beta', uuid: uuid(2), inventories: SIZE, traits: ['HW_CPU_X86_SGX'] },
      ],
    })
    const sgx = { properties: { 'trait:HW_CPU_X86_SGX': 'required' } }
    expect(hostsOf((await schedule({ flavor: SMALL, image: sgx })).json)).toEqual(['beta'])
    const sparc = { properties: { architecture: 'sparc' } }
    expect((await schedule({ flavor: SMALL, image: sparc })).json.code).toBe('schedule.no-host')
    const { instance } = (await schedule({ flavor: SMALL, host: 'alpha' })).json.placed[0]
    const { json } = await post('/v1/rebuild', { instance, image: sgx })
    expect(json.detail).toContain('the image requires HW_CPU_X86_SGX, which alpha lacks')
  })

  test('with odd properties, and hosts that report odd things, are no fault of the server', async () => {
    const odd = {
      supported_instances: [[{ toString: 1 }]],
      cpu_info: { maxphysaddr: { bits: { toString: 1 } } },
    }
    await apply({ hosts: [{ name: 'alpha', uuid: uuid(1), inventories: SIZE, capabilities: odd }] })
    const image = { properties: { hw_architecture: 'x86_64', hw_maxphysaddr_bits: '40' } }
    expect((await schedule({ flavor: SMALL, image })).status).toBe(409)
    const nested = { properties: { hw_ephemeral_encryption: { toString: 1 } } }
    expect((await schedule({ flavor: SMALL, image: nested })).status).toBe(400)
  })
})

describe('bodies that could not be kept are refused', () => {
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

  test.each([
    ['half a surrogate pair', '{"flavor":"x","project_id":"a\\ud800b"}', /character that is not allowed/],
    ['a character with the number 0', '{"flavor":"a\\u0000b"}', /character that is not allowed/],
    ['a number without end', '{"flavor":"x","hints":{"query":["or",1e999]}}', /a number is too large/],
    ['what is nested too deep', `{"flavor":"x","hints":{"query":${deep(6_000)}}}`, /more than 100 deep/],
    [
      'what is too long to be kept with a server',
      `{"groups":{"":{"resources":{"VCPU":1}}},"image":{"properties":{"a":"${'x'.repeat(70_000)}"}}}`,
      /65536 characters/,
    ],
  ])('%s', async (_, raw, detail) => {
    const { status, json } = await berth.ask('POST', '/v1/schedule', { raw })
    expect([status, json.code]).toEqual([400, 'request.invalid'])
    expect(json.detail).toMatch(detail)
  })
})

test('a host that is wanted and ignored at once is a contradiction', async () => {
  await apply({ hosts: hostsWith(SIZE, 'alpha') })
  const { status, json } = await schedule({ flavor: SMALL, host: 'alpha', ignore_hosts: ['alpha'] })
  expect([status, json.field]).toEqual([400, 'ignore_hosts'])
})

test('a request that is hard to search is given up, and says so', async () => {
  await berth.end()
  berth = await Berth.start({ max_search_steps: 1_000 })
  await apply({ hosts: hostsWith({ VCPU: { total: 8 } }, 'alpha') })
  for (let child = 0; child < 6; child++) {
    const body = { name: `child-${child}`, uuid: uuid(100 + child), parent_provider_uuid: uuid(1) }
    await berth.ask('POST', '/resource_providers', { body, minor: 38 })
    await berth.ask('PUT', `/resource_providers/${uuid(100 + child)}/inventories`, {
      minor: 38,
      body: { resource_provider_generation: 0, inventories: { SRIOV_NET_VF: { total: 21 } } },
    })
  }
  const groups = Object.fromEntries(
    Array.from({ length: 13 }, (_, nth) => [`_${nth}`, { resources: { SRIOV_NET_VF: 6 + nth } }]),
  )
  const { status, json } = await schedule({ groups, group_policy: 'none' })
  expect([status, json.code, json.choice.is_exhausted]).toEqual([409, 'schedule.no-host', true])
  expect(json.detail).toContain('too complex to search')
})
