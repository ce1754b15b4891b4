import { afterEach, beforeEach, expect, test } from 'vitest'
import { Cloud } from './cloud.ts'
import { CloudFailure } from './cloud-failure.ts'
import { FakeCloud, pagedRoute } from './fake-cloud.fixture.ts'

let fake: FakeCloud
beforeEach(async () => {
  fake = await FakeCloud.start()
})
afterEach(() => fake.end())

const NOVA = { min: 53, max: 90 }
const numbered = (count: number) => Array.from({ length: count }, (_, at) => ({ id: at + 1 }))
const connect = (more = {}) => new Cloud(fake.settings(), { retryMs: 1, ...more })

test('signs in once and finds a service by type, region and interface in the catalog', async () => {
  fake.compute.set('/flavors/detail', { flavors: [{ id: '1' }] })
  const nova = await connect().service('compute', NOVA)
  expect(await nova.list('/flavors/detail', 'flavors')).toEqual([{ id: '1' }])
  expect(fake.signIns).toHaveLength(1)
  expect(fake.headers.at(-1)).toMatchObject({ 'openstack-api-version': 'compute 2.90' })
})

test('speaks the newest microversion that both sides know, and refuses a service that is too old', async () => {
  fake.minors.compute = 79
  expect((await connect().service('compute', NOVA)).minor).toBe(79)
  fake.minors.compute = 40
  await expect(connect().service('compute', NOVA)).rejects.toThrow(/speaks 2\.40 at most; 2\.53 is needed/)
})

test('the versions of Manila and the missing one of Glance are understood', async () => {
  expect((await connect().service('share', { min: 40, max: 65 })).minor).toBe(65)
  fake.image.set('/metadefs/namespaces', { namespaces: [] })
  const glance = await connect().service('image', null)
  expect(glance.minor).toBeNull()
  expect(await glance.list('/metadefs/namespaces', 'namespaces')).toEqual([])
  expect(fake.asked.at(-1)).toMatch(/^\/image\/v2\/metadefs/)
})

test('a service that the catalog lacks is told by name, or is null for who can do without it', async () => {
  fake.services.delete('share')
  expect(await connect().serviceIfAny('share', null)).toBeNull()
  await expect(connect().service('share', null)).rejects.toThrow(/cloud fake has no Manila in its catalog/)
})

test('reads all pages, by the query of the next link only', async () => {
  fake.compute.set('/servers/detail', pagedRoute('servers', numbered(25), 10))
  const nova = await connect().service('compute', NOVA)
  const found = await nova.list('/servers/detail', 'servers', { query: { all_tenants: '1' } })
  expect(found).toEqual(numbered(25))
  expect(fake.asked.slice(1)).toEqual([
    '/compute/v2.1/servers/detail?limit=1000&all_tenants=1',
    '/compute/v2.1/servers/detail?limit=10&all_tenants=1&marker=10',
    '/compute/v2.1/servers/detail?limit=10&all_tenants=1&marker=20',
  ])
})

test('reads by offset until a page is empty, though the service cuts pages shorter than asked', async () => {
  fake.compute.set('/os-server-groups', query => {
    const at = Number(query.get('offset') ?? 0)
    return { server_groups: numbered(25).slice(at, at + 10) }
  })
  const nova = await connect().service('compute', NOVA)
  expect(await nova.list('/os-server-groups', 'server_groups', { paging: 'offset' })).toHaveLength(25)
})

test('starts again when the server at which a page begins was deleted meanwhile', async () => {
  const servers = numbered(25)
  let pages = 0
  fake.compute.set('/servers/detail', (query, request) => {
    if (++pages === 2) servers.splice(9, 1)
    const route = pagedRoute('servers', servers, 10)
    return typeof route === 'function' ? route(query, request) : route
  })
  const nova = await connect().service('compute', NOVA)
  expect(await nova.list('/servers/detail', 'servers')).toEqual(servers)
})

test('a page that leads to itself ends the list instead of going round', async () => {
  const links = [{ rel: 'next', href: 'http://nova/x?marker=1' }]
  fake.compute.set('/servers/detail', { servers: [{ id: 1 }], servers_links: links })
  const nova = await connect().service('compute', NOVA)
  expect(await nova.list('/servers/detail', 'servers')).toEqual([{ id: 1 }, { id: 1 }])
})

test.each([429, 503, 413, 502])('after a %i it asks again, and counts that', async status => {
  fake.compute.set('/os-services', { services: [] })
  const cloud = connect()
  const nova = await cloud.service('compute', NOVA)
  fake.statusesFirst.push(status, status)
  expect(await nova.list('/os-services', 'services', { paging: 'none' })).toEqual([])
  expect(cloud.load).toMatchObject({ retries: 2 })
})

test('gives up after some tries, with the status', async () => {
  const nova = await connect().service('compute', NOVA)
  fake.statusesFirst.push(...Array.from({ length: 10 }, () => 503))
  const failure = await nova.get('/os-services').catch(error => error)
  expect(failure).toBeInstanceOf(CloudFailure)
  expect(failure).toMatchObject({
    status: 503,
    message: expect.stringContaining('Nova refuses GET /os-services'),
  })
  expect(fake.statusesFirst).toHaveLength(5)
})

test('a token that was revoked is renewed, and one that is about to expire', async () => {
  fake.compute.set('/os-services', { services: [] })
  let aheadMs = 0
  const cloud = connect({ clock: { nowMs: () => Date.now() + aheadMs } })
  const nova = await cloud.service('compute', NOVA)
  fake.revoke()
  await nova.get('/os-services')
  expect(fake.signIns).toHaveLength(2)
  aheadMs = fake.tokenMs - 60_000
  await nova.get('/os-services')
  expect(fake.signIns).toHaveLength(3)
})

test('a wrong password is told with the user, the cloud and its file, not with the password', async () => {
  fake.password = 'another'
  const failure = await connect()
    .service('compute', NOVA)
    .catch(error => error)
  expect(failure.message).toMatch(
    /^Keystone at http.* refuses user berth of cloud fake: correct it in clouds.yaml$/,
  )
})

test('never has more requests under way than allowed', async () => {
  fake.delayMs = 5
  for (let nth = 0; nth < 20; nth++) fake.compute.set(`/flavors/${nth}/os-extra_specs`, { extra_specs: {} })
  const nova = await connect({ atOnceMax: 3 }).service('compute', NOVA)
  await Promise.all(Array.from({ length: 20 }, (_, nth) => nova.get(`/flavors/${nth}/os-extra_specs`)))
  expect(fake.underWayMax).toBe(3)
})

test('a 403 names the role that is missing, a 404 is null for who expects it', async () => {
  fake.compute.set('/os-services', { status: 403, body: { forbidden: { code: 403, message: 'Policy.' } } })
  const nova = await connect().service('compute', NOVA)
  await expect(nova.get('/os-services')).rejects.toThrow(
    'Nova refuses GET /os-services (403): Policy.; the user needs the role admin in this cloud',
  )
  expect(await nova.getIfAny('/flavors/gone')).toBeNull()
})

test('a cloud that is not there is unreachable, by name and address', async () => {
  const { url } = fake
  const settings = fake.settings()
  await fake.end()
  const failure = await new Cloud(settings, { retryMs: 1 }).service('compute', NOVA).catch(error => error)
  expect(failure).toBeInstanceOf(CloudFailure)
  expect(failure.message).toBe(`Keystone at ${url}/identity/v3/auth/tokens: connection refused`)
  fake = await FakeCloud.start()
})

test('stopping ends a wait at once', async () => {
  const stop = new AbortController()
  const nova = await connect({ signal: stop.signal, retryMs: 60_000 }).service('compute', NOVA)
  fake.compute.set('/os-services', () => {
    queueMicrotask(() => stop.abort())
    return { status: 503 }
  })
  await expect(nova.get('/os-services')).rejects.toThrow(/abort/i)
})
