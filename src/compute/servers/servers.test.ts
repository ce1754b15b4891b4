import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ComputeClient } from '../compute-client.fixture.ts'

let client: ComputeClient
const HOST = '11111111-1111-4111-8111-111111111111'
const STORAGE = '22222222-2222-4222-8222-222222222222'
const server = (at: number) => `aaaaaaaa-0000-4000-8000-00000000000${at}`
const NO_SERVER = 'bbbbbbbb-0000-4000-8000-000000000000'

async function claim(
  consumer: string,
  project: string,
  type: string | null,
  provider = HOST,
  resources: object = { VCPU: 1, MEMORY_MB: 512, DISK_GB: 10 },
) {
  const body = {
    allocations: { [provider]: { resources } },
    project_id: project,
    user_id: 'u',
    consumer_generation: null,
    ...(type !== null && { consumer_type: type }),
  }
  const { status } = await client.berth.ask('PUT', `/allocations/${consumer}`, {
    minor: type === null ? 28 : 38,
    body,
  })
  expect(status).toBe(204)
}

beforeAll(async () => {
  client = await ComputeClient.start()
  for (const [name, uuid] of [
    ['host-1', HOST],
    ['storage', STORAGE],
  ] as const)
    await client.provider(name, uuid, null)
  const room = { VCPU: { total: 16 }, MEMORY_MB: { total: 8192 }, DISK_GB: { total: 500 } }
  for (const [uuid, inventories] of [
    [HOST, room],
    [STORAGE, { DISK_GB: { total: 500 } }],
  ] as const)
    await client.berth.ask('PUT', `/resource_providers/${uuid}/inventories`, {
      minor: 20,
      body: { resource_provider_generation: 0, inventories },
    })
  await claim(server(1), 'p', 'INSTANCE')
  await claim(server(2), 'p', null)
  await claim(server(3), 'q', 'INSTANCE')
  await claim(NO_SERVER, 'p', 'MIGRATION')
  await claim('cccccccc-0000-4000-8000-000000000000', 'p', null, STORAGE, { DISK_GB: 5 })
})
afterAll(() => client.berth.end())

const ids = async (query = '', minor = 42, token = 'u:p:reader,member') => {
  const { status, json } = await client.get(`/servers/detail${query}`, minor, token)
  expect(status).toBe(200)
  return json.servers.map(({ id }: { id: string }) => id).toSorted()
}

describe('lists', () => {
  test('have the instances and untyped consumers of the project that hold something on a host', async () => {
    expect(await ids()).toEqual([server(1), server(2)])
    expect(await ids('', 42, 'u:q:reader')).toEqual([server(3)])
  })

  test('of all projects are for admins', async () => {
    expect(await ids('?all_tenants=True', 42, 'admin')).toEqual([1, 2, 3].map(server))
    expect(await ids('?all_tenants=1&project_id=q', 42, 'admin')).toEqual([server(3)])
    expect((await client.get('/servers/detail?all_tenants=1', 42, 'u:p:member')).status).toBe(403)
    expect((await client.get('/servers?all_tenants=maybe', 42)).status).toBe(400)
  })

  test('come in pages that hold all of them, in the order that was asked for', async () => {
    const found: string[] = []
    let path: string | null = '/servers?all_tenants=1&limit=1&sort_key=uuid&sort_dir=asc'
    while (path !== null) {
      const { json } = await client.get(path, 42)
      found.push(...json.servers.map(({ id }: { id: string }) => id))
      path = json.servers_links?.[0].href.split('/v2.1')[1] ?? null
    }
    expect(found).toEqual([1, 2, 3].map(server))
    expect((await client.get(`/servers?marker=${NO_SERVER}`, 42)).json.badRequest.message).toContain(
      NO_SERVER,
    )
    expect((await client.get('/servers?sort_key=colour', 42)).status).toBe(400)
  })

  test.each([
    ['host=host-1', 3],
    ['host=host-2', 0],
    ['status=active', 3],
    ['status=SHUTOFF', 0],
    ['name=0{3}1$', 1],
    ['ip=10.0.0.1', 0],
    ['not-tags=red', 3],
    ['flavor=held-1-512-10', 3],
    ['changes-since=2999-01-01T00:00:00Z', 0],
    ['deleted=True', 0],
  ])('by %s', async (query, count) => {
    expect(await ids(`?all_tenants=1&${query}`, 42, 'admin')).toHaveLength(count)
  })

  test('ignore filters of admins for others, and refuse unknown ones from 2.75 and unknown states from 2.38', async () => {
    expect(await ids('?host=host-2')).toHaveLength(2)
    expect((await client.get('/servers?colour=red', 74)).status).toBe(200)
    expect((await client.get('/servers?colour=red', 75)).status).toBe(400)
    expect((await client.get('/servers?status=TIRED', 37)).json.servers).toEqual([])
    expect((await client.get('/servers?status=TIRED', 38)).status).toBe(400)
    expect((await client.get('/servers?changes-since=yesterday', 42)).status).toBe(400)
    expect((await client.get('/servers?name=(', 42)).status).toBe(400)
  })
})

describe('one server', () => {
  test('shows what the ledger knows, and its flavor by what it holds', async () => {
    const { json } = await client.get(`/servers/${server(1)}`, 42, 'u:p:reader')
    expect(json.server).toMatchObject({
      id: server(1),
      name: server(1),
      status: 'ACTIVE',
      tenant_id: 'p',
      user_id: 'u',
      flavor: { id: 'held-1-512-10' },
      'OS-EXT-AZ:availability_zone': 'nova',
      'OS-EXT-STS:vm_state': 'active',
      locked: false,
      tags: [],
    })
    expect(json.server).not.toHaveProperty('OS-EXT-SRV-ATTR:host')
    const flavor = await client.get('/flavors/held-1-512-10', 42, 'u:p:reader')
    expect(flavor.json.flavor).toMatchObject({ vcpus: 1, ram: 512, disk: 10 })
    expect((await client.get('/flavors/detail')).json.flavors).toEqual([])
  })

  test('has its host for admins, the sizes of its flavor from 2.47 and its groups from 2.71', async () => {
    const old = (await client.get(`/servers/${server(3)}`, 1)).json.server
    expect(old).toMatchObject({ 'OS-EXT-SRV-ATTR:host': 'host-1' })
    for (const later of ['locked', 'tags', 'description', 'host_status', 'OS-EXT-SRV-ATTR:hostname'])
      expect(old).not.toHaveProperty(later)
    expect((await client.get(`/servers/${server(3)}`, 93)).json.server).toMatchObject({
      host_status: 'UP',
      locked_reason: null,
      server_groups: [],
      flavor: { vcpus: 1, ram: 512, disk: 10, ephemeral: 0, swap: 0, extra_specs: {} },
    })
  })

  test('of another project, or what is none, is not found', async () => {
    for (const [id, token] of [
      [server(3), 'u:p:reader'],
      [NO_SERVER, 'admin'],
      ['nothing', 'admin'],
    ] as const)
      expect((await client.get(`/servers/${id}`, 42, token)).status).toBe(404)
  })

  test('has no volumes, and nothing was done to it', async () => {
    for (const [path, name] of [
      ['os-volume_attachments', 'volumeAttachments'],
      ['os-instance-actions', 'instanceActions'],
    ] as const) {
      expect((await client.get(`/servers/${server(1)}/${path}`, 42)).json).toEqual({ [name]: [] })
      expect((await client.get(`/servers/${NO_SERVER}/${path}`, 42)).status).toBe(404)
    }
  })

  test('cannot be written', async () => {
    expect((await client.post('/servers', { server: {} }, 42)).status).toBe(405)
  })
})

describe('usage', () => {
  const window = 'start=2020-01-01T00:00:00&end=2999-01-01T00:00:00'

  test('of all projects has one entry for each, with servers if asked', async () => {
    const { json } = await client.get(`/os-simple-tenant-usage?${window}&detailed=1`, 40)
    expect(json.tenant_usages.map((one: { tenant_id: string }) => one.tenant_id)).toEqual(['p', 'q'])
    const [{ server_usages, total_hours, total_vcpus_usage, total_memory_mb_usage }] = json.tenant_usages
    expect(server_usages).toHaveLength(2)
    expect(server_usages[0]).toMatchObject({ memory_mb: 512, vcpus: 1, local_gb: 10, state: 'active' })
    expect(total_hours).toBeGreaterThan(0)
    expect(total_vcpus_usage).toBeCloseTo(total_hours)
    expect(total_memory_mb_usage).toBeCloseTo(512 * total_hours)
    const brief = (await client.get(`/os-simple-tenant-usage?${window}`, 40)).json.tenant_usages[0]
    expect(brief).not.toHaveProperty('server_usages')
  })

  test('comes in pages from 2.40', async () => {
    const { json } = await client.get(`/os-simple-tenant-usage/p?${window}&limit=1`, 40)
    expect(json.tenant_usage.server_usages).toHaveLength(1)
    const next = json.tenant_usage_links[0].href.split('/v2.1')[1]
    expect((await client.get(next, 40)).json.tenant_usage.server_usages[0].instance_id).toBe(server(2))
    const all = await client.get(`/os-simple-tenant-usage/p?${window}&limit=1`, 39)
    expect(all.json.tenant_usage.server_usages).toHaveLength(2)
    expect((await client.get(`/os-simple-tenant-usage?${window}&marker=x`, 40)).status).toBe(400)
  })

  test('of a project without servers is empty, of another project for admins only', async () => {
    expect((await client.get(`/os-simple-tenant-usage/none?${window}`, 40)).json).toEqual({
      tenant_usage: {},
    })
    expect((await client.get(`/os-simple-tenant-usage/q?${window}`, 40, 'u:p:member')).status).toBe(403)
    expect((await client.get(`/os-simple-tenant-usage?${window}`, 40, 'u:p:member')).status).toBe(403)
  })

  test.each(['start=yesterday', 'start=2999-01-01T00:00:00', 'start=2020-13-01T00:00:00'])(
    '%s is refused',
    async query => {
      expect((await client.get(`/os-simple-tenant-usage?${query}`, 40)).status).toBe(400)
    },
  )
})

describe('limits and quotas', () => {
  test('are unlimited but for server groups, with what the ledger has as used', async () => {
    const { absolute } = (await client.get('/limits?reserved=1', 1, 'u:p:reader')).json.limits
    expect(absolute).toMatchObject({
      maxTotalCores: -1,
      maxServerGroups: 10,
      maxImageMeta: -1,
      maxSecurityGroups: -1,
      totalCoresUsed: 2,
      totalRAMUsed: 1024,
      totalInstancesUsed: 2,
      totalServerGroupsUsed: 0,
    })
    const newest = (await client.get('/limits', 93, 'u:p:reader')).json.limits.absolute
    for (const gone of ['maxImageMeta', 'maxSecurityGroups', 'maxPersonality', 'totalFloatingIpsUsed'])
      expect(newest).not.toHaveProperty(gone)
  })

  test('of another project are for admins', async () => {
    expect((await client.get('/limits?tenant_id=q', 57)).json.limits.absolute.totalCoresUsed).toBe(1)
    expect((await client.get('/limits?tenant_id=q', 57, 'u:p:member')).status).toBe(403)
    expect((await client.get('/os-quota-sets/q', 57, 'u:p:member')).status).toBe(403)
  })

  test("quota sets have an id and Nova's resources, in detail with their use", async () => {
    const { quota_set } = (await client.get('/os-quota-sets/p/defaults', 1, 'u:p:reader')).json
    expect(quota_set).toMatchObject({ id: 'p', cores: -1, fixed_ips: -1, server_groups: 10 })
    expect((await client.get('/os-quota-sets/p', 57, 'u:p:reader')).json.quota_set).toEqual({
      id: 'p',
      cores: -1,
      instances: -1,
      ram: -1,
      metadata_items: -1,
      key_pairs: -1,
      server_groups: 10,
      server_group_members: -1,
    })
    expect((await client.get('/os-quota-sets/p/detail', 57, 'u:p:reader')).json.quota_set.cores).toEqual({
      in_use: 2,
      limit: -1,
      reserved: 0,
    })
  })
})

test('there are no key pairs, and those of others are for admins', async () => {
  expect((await client.get('/os-keypairs', 1, 'u:p:reader')).json).toEqual({ keypairs: [] })
  expect((await client.get('/os-keypairs?user_id=v', 10)).json).toEqual({ keypairs: [] })
  expect((await client.get('/os-keypairs?user_id=v', 10, 'u:p:reader')).status).toBe(403)
})
