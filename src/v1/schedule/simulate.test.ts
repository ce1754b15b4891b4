import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { THREE_HOSTS } from '../../../test/three-hosts.ts'

/** Three hosts of 8 processors and 16 GiB each, and a flavor of which each takes four. */
const DECLARED = {
  hosts: THREE_HOSTS,
  flavors: [
    { id: 'small', name: 'm1.small', vcpus: 2, ram: 1024, disk: 10 },
    { id: 'ssd', name: 'm1.ssd', vcpus: 1, ram: 512, disk: 1, extra_specs: { disk: 'ssd' } },
  ],
  aggregates: [
    { name: 'rack-1', availability_zone: 'east', hosts: ['alpha', 'beta'] },
    { name: 'disks', metadata: { disk: 'ssd' }, hosts: ['beta'] },
  ],
}

let berth: Berth

async function start(): Promise<Berth> {
  berth = await Berth.start()
  const { status, text } = await berth.ask('POST', '/v1/apply?owner=test', { body: DECLARED })
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return berth
}

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const simulate = async (body: object) => {
  const { status, json } = await post('/v1/simulate', body)
  expect([status, json.detail]).toEqual([200, undefined])
  return json
}
const usedOf = async (provider: string) =>
  (await berth.ask('GET', `/resource_providers/${provider}/usages`, { minor: 36 })).json.usages

describe('what if', () => {
  beforeEach(async () => {
    const started = await start()
    onTestFinished(() => started.end())
  })

  test('tells how many more fit, by zone, aggregate and host, and what ends it', async () => {
    await post('/v1/schedule', { flavor: 'small', host: 'gamma', count: 3 })
    const json = await simulate({ flavor: 'm1.small' })
    expect(json.before).toEqual({
      fits: 9,
      hosts: 3,
      hosts_that_fit: 3,
      by_zone: [
        { zone: 'east', hosts: 2, fits: 8 },
        { zone: 'nova', hosts: 1, fits: 1 },
      ],
      by_aggregate: [
        { aggregate: 'rack-1', uuid: expect.any(String), hosts: 2, fits: 8 },
        { aggregate: 'disks', uuid: expect.any(String), hosts: 1, fits: 4 },
      ],
      by_host: [
        { host: 'alpha', provider: uuid(1), fits: 4 },
        { host: 'beta', provider: uuid(2), fits: 4 },
        { host: 'gamma', provider: uuid(3), fits: 1 },
      ],
      by_host_left_out: 0,
      ends: [{ by: 'resource', name: 'VCPU', code: 'short', hosts: 3, text: 'have too little VCPU' }],
      is_cut: false,
      is_exhausted: false,
    })
    expect(json).toMatchObject({ after: null, change: null, added: [], drained: [], stuck: 0, others: 0 })
  })

  test('names the filter that keeps hosts out, and how many hosts are left out of the list', async () => {
    const { before } = await simulate({ flavor: 'ssd', hosts_max: 0 })
    expect(before).toMatchObject({ fits: 8, hosts_that_fit: 1, by_host: [], by_host_left_out: 1 })
    expect(before.ends[0]).toEqual({
      by: 'filter',
      name: 'AggregateInstanceTypeFilter',
      code: 'extra-spec.missing',
      hosts: 2,
      text: 'are in no aggregate that has what the flavor asks for',
    })
    const zoned = await simulate({ flavor: 'ssd', zone: 'nova' })
    expect(zoned.before.fits).toBe(0)
    const one = await simulate({ flavor: 'small', host: 'alpha', ignore_hosts: ['beta'] })
    expect(one.before).toMatchObject({ fits: 4, hosts: 3 })
    expect(one.before.ends).toContainEqual({
      by: 'left-out',
      name: 'host',
      code: 'left-out',
      hosts: 2,
      text: 'were left out',
    })
  })

  test('drains hosts: all their servers together go elsewhere, or the answer says why not', async () => {
    const { json } = await post('/v1/schedule', { flavor: 'small', count: 3, host: 'alpha' })
    const away = await simulate({ flavor: 'small', drain: ['alpha'] })
    expect(away).toMatchObject({ stuck: 0, others: 0, change: -4 })
    expect([away.before.fits, away.after.fits]).toEqual([9, 5])
    expect(away.drained.map((one: { instance: string; to: string }) => [one.instance, one.to])).toEqual(
      json.placed.map(({ instance }: { instance: string }) => [
        instance,
        expect.stringMatching(/beta|gamma/),
      ]),
    )
    const full = await simulate({ flavor: 'small', drain: ['alpha', 'beta', uuid(3)] })
    expect(full).toMatchObject({ stuck: 3, after: { fits: 0 } })
    expect(full.drained[0]).toMatchObject({ from: 'alpha', to: null, provider: null })
    expect(full.drained[0].text).toContain('No host fits')
    expect(await usedOf(uuid(1))).toMatchObject({ VCPU: 6 })
  })

  test('adds hosts like one that is there, with its tree, traits and aggregates, or declared ones', async () => {
    const child = { name: 'beta_gpu', uuid: uuid(20), parent_provider_uuid: uuid(2) }
    await berth.ask('POST', '/resource_providers', { body: child, minor: 36 })
    await berth.ask('PUT', `/resource_providers/${uuid(20)}/inventories`, {
      body: { resource_provider_generation: 0, inventories: { PGPU: { total: 2 } } },
      minor: 36,
    })
    const groups = { '': { resources: { VCPU: 1 } }, _G: { resources: { PGPU: 1 } } }
    const gpu = await simulate({ groups, add: [{ like: 'beta', count: 3 }] })
    expect([gpu.before.fits, gpu.after.fits, gpu.added]).toEqual([2, 8, ['beta+1', 'beta+2', 'beta+3']])
    expect(gpu.after.by_aggregate).toMatchObject([
      { aggregate: 'rack-1', hosts: 5 },
      { aggregate: 'disks', hosts: 4 },
    ])
    const inventories = { VCPU: { total: 100 }, MEMORY_MB: { total: 100_000 }, DISK_GB: { total: 45 } }
    const fresh = await simulate({
      flavor: 'small',
      add: [{ name: 'new', count: 2, inventories, aggregates: ['rack-1'] }],
    })
    expect([fresh.change, fresh.added]).toEqual([8, ['new-1', 'new-2']])
    expect(fresh.after.by_zone[0]).toMatchObject({ zone: 'east', hosts: 4, fits: 16 })
    expect(fresh.after.ends).toContainEqual({
      by: 'resource',
      name: 'DISK_GB',
      code: 'short',
      hosts: 2,
      text: 'have too little DISK_GB',
    })
    expect((await berth.ask('GET', '/v1/hosts')).json.hosts).toHaveLength(3)
  })

  test('changes inventories, keeping what is not said', async () => {
    const more = await simulate({
      flavor: 'small',
      inventories: [
        { provider: 'alpha', class: 'VCPU', allocation_ratio: 2 },
        { provider: uuid(2), class: 'VCPU', reserved: 8 },
      ],
    })
    expect([more.before.fits, more.after.fits]).toEqual([12, 12])
    expect(more.after.by_host[0]).toMatchObject({ host: 'alpha', fits: 8 })
    expect(more.after.by_host).toHaveLength(2)
  })

  test('counts the members that a server group lets in', async () => {
    const answer = await fetch(`${berth.server.url}/compute/v2.1/os-server-groups`, {
      method: 'POST',
      headers: {
        'x-auth-token': 'admin',
        'content-type': 'application/json',
        'openstack-api-version': 'compute 2.64',
      },
      body: JSON.stringify({ server_group: { name: 'g', policy: 'anti-affinity' } }),
    })
    const { server_group } = (await answer.json()) as { server_group: { id: string } }
    const { before } = await simulate({ flavor: 'small', server_group: server_group.id })
    expect(before.fits).toBe(3)
    expect(before.ends).toMatchObject([
      { name: 'ServerGroupAntiAffinityFilter', code: 'group.full', hosts: 3 },
    ])
  })

  test('writes nothing', async () => {
    const { revision } = await simulate({ flavor: 'small', add: [{ like: 'alpha' }], drain: ['beta'] })
    expect((await simulate({ flavor: 'small' })).revision).toBe(revision)
  })
})

describe('refuses', () => {
  beforeAll(start)
  afterAll(() => berth.end())

  test.each<[string, object, number, string, RegExp]>([
    ['an unknown flavor', { flavor: 'none' }, 404, 'schedule.flavor-missing', /none/],
    ['neither flavor nor groups', {}, 400, 'request.invalid', /Give either flavor or groups/],
    ['an unknown host', { flavor: 'small', drain: ['delta'] }, 404, 'schedule.host-missing', /delta/],
    [
      'a host like nobody',
      { flavor: 'small', add: [{ like: 'delta' }] },
      404,
      'schedule.host-missing',
      /delta/,
    ],
    [
      'a host of nothing',
      { flavor: 'small', add: [{ name: 'x' }] },
      400,
      'request.invalid',
      /add.0: either like/,
    ],
    [
      'too many hosts',
      { flavor: 'small', add: [{ like: 'alpha', count: 10_001 }] },
      400,
      'request.invalid',
      /count/,
    ],
    [
      'too many hosts together',
      { flavor: 'small', add: [{ like: 'alpha', count: 10_000 }, { like: 'alpha' }] },
      400,
      'request.invalid',
      /10000 hosts can be added, not 10001/,
    ],
    [
      'a name that is taken',
      { flavor: 'small', add: [{ like: 'alpha', name: 'beta' }] },
      409,
      'compute.host-exists',
      /beta/,
    ],
    [
      'an unknown aggregate',
      { flavor: 'small', add: [{ like: 'alpha', aggregates: ['no'] }] },
      404,
      'compute.aggregate-missing',
      /no/,
    ],
    [
      'an unknown provider',
      { flavor: 'small', inventories: [{ provider: 'no', class: 'VCPU', total: 1 }] },
      404,
      'simulate.provider-missing',
      /no/,
    ],
    [
      'an unknown class',
      { flavor: 'small', inventories: [{ provider: 'alpha', class: 'NO', total: 1 }] },
      404,
      'simulate.class-missing',
      /NO/,
    ],
    [
      'an inventory without a total',
      { flavor: 'small', inventories: [{ provider: 'alpha', class: 'PCPU', reserved: 1 }] },
      400,
      'simulate.total-missing',
      /PCPU/,
    ],
    [
      'an inventory of less than nothing',
      { flavor: 'small', inventories: [{ provider: 'alpha', class: 'VCPU', reserved: 9 }] },
      409,
      'simulate.bad-capacity',
      /VCPU/,
    ],
    ['a limit beyond the limit', { flavor: 'small', limit: 100_001 }, 400, 'request.invalid', /limit/],
  ])('%s', async (_, body, status, code, detail) => {
    const { json, ...answer } = await post('/v1/simulate', body)
    expect([answer.status, json.code]).toEqual([status, code])
    expect(json.detail).toMatch(detail)
  })
})
