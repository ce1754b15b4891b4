import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuid } from '../../../test/running-berth.ts'
import { ComputeClient } from '../../compute/compute-client.fixture.ts'

let client: ComputeClient
const A = uuid(1)
const B = uuid(2)
beforeAll(async () => {
  client = await ComputeClient.start()
  await client.provider('compute-a', A)
  await client.provider('compute-b', B, 'PCPU')
  await client.provider('storage', uuid(3), 'DISK_GB')
  // It has processors, and lends them: no host.
  await client.provider('sharer', uuid(4))
  const body = { resource_provider_generation: 1, traits: ['MISC_SHARES_VIA_AGGREGATE'] }
  await client.berth.ask('PUT', `/resource_providers/${uuid(4)}/traits`, { minor: 20, body })
  // A root whose processors are below it.
  await client.provider('nested', uuid(5), null)
  const numa = { name: 'numa0', uuid: uuid(6), parent_provider_uuid: uuid(5) }
  await client.berth.ask('POST', '/resource_providers', { minor: 20, body: numa })
  await client.berth.ask('PUT', `/resource_providers/${uuid(6)}/inventories`, {
    minor: 20,
    body: {
      resource_provider_generation: 0,
      inventories: { VCPU: { total: 4 }, MEMORY_MB: { total: 64, reserved: 4 } },
    },
  })
  await client.claim(uuid(100), A, 3)
})
afterAll(() => client.berth.end())

const v1 = (method: string, path: string, body?: unknown) =>
  client.berth.ask(method, `/v1${path}`, body === undefined ? {} : { body })
const names = async (): Promise<string[]> =>
  (await client.get('/os-hypervisors')).json.hypervisors.map(
    (one: { hypervisor_hostname: string }) => one.hypervisor_hostname,
  )

describe('who is a host', () => {
  test('a root with VCPU or PCPU anywhere below it; neither what shares nor what has none', async () => {
    expect(await names()).toEqual(['compute-a', 'compute-b', 'nested'])
  })

  test('an added host is one with any inventory, until it is removed', async () => {
    expect(
      (await v1('POST', '/hosts', { name: 'bare', capabilities: { hypervisor_type: 'QEMU' } })).status,
    ).toBe(201)
    expect(await names()).toContain('bare')
    expect((await v1('GET', '/hosts/bare')).json).toMatchObject({
      name: 'bare',
      declared: true,
      status: 'enabled',
      state: 'up',
      zone: 'nova',
      consumers: 0,
      capabilities: { hypervisor_type: 'QEMU' },
    })
    expect((await v1('POST', '/hosts', { name: 'bare' })).json).toMatchObject({ code: 'compute.host-exists' })
    expect((await v1('DELETE', '/hosts/bare')).status).toBe(200)
    expect(await names()).not.toContain('bare')
    expect((await v1('GET', '/hosts/bare')).json).toMatchObject({ code: 'compute.host-missing' })
  })

  test('comes with inventories and traits in one commit, or not at all', async () => {
    const inventories = { VCPU: { total: 16, allocation_ratio: 4 }, MEMORY_MB: { total: 1024 } }
    const added = await v1('POST', '/hosts', {
      name: 'full',
      uuid: uuid(50),
      inventories,
      traits: ['CUSTOM_FAST'],
    })
    expect(added.status).toBe(201)
    const held = await client.berth.ask('GET', `/resource_providers/${uuid(50)}/inventories`, { minor: 20 })
    expect(held.json.inventories.VCPU).toMatchObject({ total: 16, allocation_ratio: 4 })
    const bad = await v1('POST', '/hosts', { name: 'bad', inventories: { NO_CLASS: { total: 1 } } })
    expect(bad).toMatchObject({ status: 409, json: { code: 'compute.host-inventory' } })
    expect((await client.berth.ask('GET', '/resource_providers?name=bad')).json.resource_providers).toEqual(
      [],
    )
    await v1('DELETE', '/hosts/full')
  })

  test('is not removed while it has allocations', async () => {
    const refused = await v1('DELETE', '/hosts/compute-a')
    expect(refused).toMatchObject({ status: 409, json: { code: 'compute.host-in-use', consumers: 1 } })
  })

  test('hosts are listed page by page', async () => {
    const first = await v1('GET', '/hosts?limit=2')
    expect(first.json.truncated).toBe(true)
    expect(first.json.hosts.map((one: { name: string }) => one.name)).toEqual(['compute-a', 'compute-b'])
    const second = await v1('GET', '/hosts?limit=2&after=compute-b')
    expect(second.json).toMatchObject({
      truncated: false,
      hosts: [{ name: 'nested', memory_mb: { total: 64 } }],
    })
  })
})

describe('hypervisors', () => {
  const detail = async (minor: number | null) =>
    (await client.get('/os-hypervisors/detail', minor)).json.hypervisors[0]

  test('are known by numbers until 2.52 and by uuids from 2.53', async () => {
    const [old] = (await client.get('/os-hypervisors')).json.hypervisors
    expect(old).toEqual({ id: 1, hypervisor_hostname: 'compute-a', state: 'up', status: 'enabled' })
    expect((await client.get('/os-hypervisors', 53)).json.hypervisors[0].id).toBe(A)
    expect((await client.get('/os-hypervisors/1')).json.hypervisor.hypervisor_hostname).toBe('compute-a')
    expect((await client.get(`/os-hypervisors/${A}`, 53)).json.hypervisor.id).toBe(A)
    expect((await client.get('/os-hypervisors/99')).status).toBe(404)
    expect((await client.get('/os-hypervisors/x')).status).toBe(404)
    expect((await client.get('/os-hypervisors/1', 53)).status).toBe(400)
    expect((await client.get(`/os-hypervisors/${uuid(3)}`, 53)).status).toBe(404)
  })

  test('tell their figures until 2.87; cpu_info is an object from 2.28', async () => {
    expect(await detail(null)).toMatchObject({
      vcpus: 8,
      vcpus_used: 3,
      running_vms: 1,
      memory_mb: 0,
      cpu_info: '{}',
      service: { id: 1, host: 'compute-a', disabled_reason: null },
    })
    expect(await detail(28)).toMatchObject({ cpu_info: {} })
    const plain = await detail(88)
    expect(plain).not.toHaveProperty('vcpus')
    expect(plain).toMatchObject({ uptime: null, service: { id: A } })
    expect((await client.get('/os-hypervisors/detail')).json.hypervisors[2]).toMatchObject({
      memory_mb: 64,
      memory_mb_used: 4,
      free_ram_mb: 60,
    })
  })

  test('are searched by paths until 2.52 and by parameters from 2.53', async () => {
    expect((await client.get('/os-hypervisors/compute/search')).json.hypervisors).toHaveLength(2)
    expect((await client.get('/os-hypervisors/nobody/search')).status).toBe(404)
    expect((await client.get('/os-hypervisors/compute/search', 53)).status).toBe(404)
    const found = await client.get('/os-hypervisors?hypervisor_hostname_pattern=-b', 53)
    expect(found.json.hypervisors).toMatchObject([{ id: B }])
    expect((await client.get('/os-hypervisors?hypervisor_hostname_pattern=x', 53)).status).toBe(404)
    expect((await client.get('/os-hypervisors?hypervisor_hostname_pattern=a&limit=1', 53)).status).toBe(400)
    expect((await client.get('/os-hypervisors?pony=1', 52)).status).toBe(200)
    expect((await client.get('/os-hypervisors?pony=1', 53)).status).toBe(400)
  })

  test('tell their servers; an empty list from 2.75 on', async () => {
    const server = { name: uuid(100), uuid: uuid(100) }
    const [a, b] = (await client.get('/os-hypervisors/compute/servers')).json.hypervisors
    expect(a.servers).toEqual([server])
    expect(b).not.toHaveProperty('servers')
    const at = async (minor: number) =>
      (await client.get('/os-hypervisors?with_servers=true', minor)).json.hypervisors
    expect((await at(53))[0].servers).toEqual([server])
    expect((await at(74))[1]).not.toHaveProperty('servers')
    expect((await at(75))[1].servers).toEqual([])
  })

  test('come in pages from 2.33 on', async () => {
    const first = (await client.get('/os-hypervisors?limit=1', 33)).json
    expect(first.hypervisors).toMatchObject([{ id: 1 }])
    const path = first.hypervisors_links[0].href.split('/v2.1')[1]
    expect((await client.get(path, 33)).json.hypervisors).toMatchObject([{ id: 2 }])
    expect((await client.get('/os-hypervisors?limit=1', 32)).json.hypervisors.length).toBeGreaterThan(1)
    expect((await client.get(`/os-hypervisors?marker=${A}&limit=1`, 53)).json.hypervisors).toMatchObject([
      { id: B },
    ])
    expect((await client.get('/os-hypervisors?marker=nothing', 53)).status).toBe(400)
  })

  test('uptime and statistics are asked until 2.87', async () => {
    expect((await client.get('/os-hypervisors/1/uptime')).status).toBe(501)
    await v1('PUT', '/hosts/compute-b', { capabilities: { uptime: '5 days' } })
    expect((await client.get('/os-hypervisors/2/uptime')).json.hypervisor.uptime).toBe('5 days')
    expect((await client.get(`/os-hypervisors/${B}`, 88)).json.hypervisor.uptime).toBe('5 days')
    const { json } = await client.get('/os-hypervisors/statistics')
    expect(json.hypervisor_statistics).toMatchObject({ count: 3, vcpus: 20, vcpus_used: 3, running_vms: 1 })
    expect((await client.get('/os-hypervisors/statistics', 88)).status).toBe(404)
    expect((await client.get(`/os-hypervisors/${B}/uptime`, 88)).status).toBe(404)
  })
})

describe('services', () => {
  const service = async (name: string, minor: number | null = null) =>
    (await client.get(`/os-services?host=${name}`, minor)).json.services[0]
  const body = { host: 'compute-b', binary: 'nova-compute' }

  test('are one for each host', async () => {
    expect(await service('compute-a')).toEqual({
      id: 1,
      binary: 'nova-compute',
      host: 'compute-a',
      zone: 'nova',
      status: 'enabled',
      state: 'up',
      disabled_reason: null,
      updated_at: expect.any(String),
    })
    expect(await service('compute-a', 69)).toMatchObject({ id: A, forced_down: false })
    expect((await client.get('/os-services?binary=nova-scheduler')).json.services).toEqual([])
    expect((await client.get('/os-services?pony=1', 74)).status).toBe(200)
    expect((await client.get('/os-services?pony=1', 75)).status).toBe(400)
  })

  test('are disabled, enabled and forced down by actions until 2.52', async () => {
    const put = (action: string, more: object = {}, minor: number | null = null) =>
      client.put(`/os-services/${action}`, { ...body, ...more }, minor)
    expect((await put('disable')).json).toEqual({ service: { ...body, status: 'disabled' } })
    expect(await service('compute-b')).toMatchObject({ status: 'disabled', disabled_reason: null })
    const reason = { disabled_reason: 'broken' }
    expect((await put('disable-log-reason', reason)).json.service).toEqual({
      ...body,
      status: 'disabled',
      ...reason,
    })
    expect(await service('compute-b')).toMatchObject(reason)
    expect((await put('disable-log-reason')).status).toBe(400)
    expect((await put('enable')).json.service.status).toBe('enabled')
    expect(await service('compute-b')).toMatchObject({ status: 'enabled', disabled_reason: null })
    expect((await put('force-down', { forced_down: true }, 10)).status).toBe(400)
    expect((await put('force-down', {}, 10)).status).toBe(404)
    expect((await put('force-down', { forced_down: 'true' }, 11)).json.service).toEqual({
      ...body,
      forced_down: true,
    })
    expect(await service('compute-b')).toMatchObject({ state: 'down', status: 'enabled' })
    await put('force-down', { forced_down: false }, 11)
    expect(await service('compute-b')).toMatchObject({ state: 'up' })
    expect((await put('sing')).status).toBe(404)
    expect((await put('enable', { host: 'nobody' })).status).toBe(404)
    expect((await put('enable', { binary: 'nova-scheduler' })).status).toBe(400)
  })

  test('are changed by uuid from 2.53 on', async () => {
    const put = (fields: object, id = B) => client.put(`/os-services/${id}`, fields, 53)
    const off = await put({ status: 'disabled', disabled_reason: 'r', forced_down: true })
    expect(off.json.service).toMatchObject({
      id: B,
      status: 'disabled',
      disabled_reason: 'r',
      forced_down: true,
      state: 'down',
    })
    expect((await put({ status: 'enabled', disabled_reason: 'r' })).status).toBe(400)
    expect((await put({ status: 'enabled', forced_down: false })).json.service).toMatchObject({
      status: 'enabled',
      disabled_reason: null,
      forced_down: false,
      state: 'up',
    })
    expect((await put({})).status).toBe(400)
    expect((await put({ status: 'on' })).status).toBe(400)
    expect((await put({ status: 'enabled' }, 'x')).status).toBe(400)
    expect((await put({ status: 'enabled' }, uuid(999))).status).toBe(404)
  })

  test('take their host along when they are deleted', async () => {
    await client.provider('to-go', uuid(60))
    await client.post('/os-aggregates', { aggregate: { name: 'with-guest' } })
    const { aggregates } = (await client.get('/os-aggregates')).json
    const { id } = aggregates.find((one: { name: string }) => one.name === 'with-guest')
    await client.post(`/os-aggregates/${id}/action`, { add_host: { host: 'to-go' } })
    expect((await client.delete(`/os-services/${uuid(60)}`, 53)).status).toBe(204)
    expect((await client.get(`/os-aggregates/${id}`)).json.aggregate.hosts).toEqual([])
    expect((await client.berth.ask('GET', `/resource_providers/${uuid(60)}`)).status).toBe(404)
    expect((await client.delete(`/os-services/${A}`, 53)).status).toBe(409)
    expect((await client.delete('/os-services/x', 53)).status).toBe(400)
    expect((await client.delete('/os-services/999')).status).toBe(404)
  })
})

describe('zones', () => {
  test('are those of aggregates, and nova for the rest; without an enabled host they are not available', async () => {
    const { aggregate } = (
      await client.post('/os-aggregates', { aggregate: { name: 'z', availability_zone: 'west' } })
    ).json
    await client.post(`/os-aggregates/${aggregate.id}/action`, { add_host: { host: 'compute-b' } })
    const zones = async (path = '') =>
      (await client.get(`/os-availability-zone${path}`)).json.availabilityZoneInfo
    expect(await zones()).toEqual([
      { zoneName: 'nova', zoneState: { available: true }, hosts: null },
      { zoneName: 'west', zoneState: { available: true }, hosts: null },
    ])
    const [, west] = await zones('/detail')
    expect(west.hosts).toEqual({
      'compute-b': { 'nova-compute': { available: true, active: true, updated_at: expect.any(String) } },
    })
    await v1('PUT', '/hosts/compute-b', { disabled_reason: 'moving' })
    expect(await zones('/detail')).toContainEqual({
      zoneName: 'west',
      zoneState: { available: false },
      hosts: null,
    })
    await v1('PUT', '/hosts/compute-b', { disabled: false })
    expect((await client.get('/os-services?host=compute-b')).json.services[0].zone).toBe('west')
  })

  test('every user may list them; their hosts are for admins', async () => {
    expect((await client.get('/os-availability-zone', null, 'u:p:member')).status).toBe(200)
    expect((await client.get('/os-availability-zone/detail', null, 'u:p:member')).status).toBe(403)
  })
})

describe('os-hosts', () => {
  test('is there until 2.42', async () => {
    const { json } = await client.get('/os-hosts')
    expect(json.hosts).toContainEqual({ host_name: 'compute-a', service: 'compute', zone: 'nova' })
    expect((await client.get('/os-hosts?zone=west')).json.hosts).toMatchObject([{ host_name: 'compute-b' }])
    expect((await client.get('/os-hosts', 42)).status).toBe(200)
    expect((await client.get('/os-hosts', 43)).status).toBe(404)
  })

  test('tells what a host has, and who uses it', async () => {
    const { host } = (await client.get('/os-hosts/compute-a')).json
    expect(
      host.map((one: { resource: { project: string; cpu: number } }) => [
        one.resource.project,
        one.resource.cpu,
      ]),
    ).toEqual([
      ...[
        ['(total)', 8],
        ['(used_now)', 3],
        ['(used_max)', 3],
      ],
      ['p', 3],
    ])
    expect((await client.get('/os-hosts/nobody')).status).toBe(404)
  })

  test('enables and disables; all else is not ours to do', async () => {
    const put = (fields: object) => client.put('/os-hosts/compute-b', fields)
    expect((await put({ status: 'disable' })).json).toEqual({ host: 'compute-b', status: 'disabled' })
    expect((await put({ status: 'Enable' })).json.status).toBe('enabled')
    expect((await put({ maintenance_mode: 'enable' })).status).toBe(501)
    expect((await put({})).status).toBe(400)
    expect((await client.get('/os-hosts/compute-b/reboot')).status).toBe(501)
  })
})
