/** The manners of the API that the rooms share. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth } from '../../test/running-berth.ts'
import { ComputeClient } from './compute-client.fixture.ts'

let client: ComputeClient
beforeAll(async () => {
  client = await ComputeClient.start()
})
afterAll(() => client.berth.end())

describe('discovery', () => {
  test.each(['/v2.1', '/v2.1/'])('%s tells its versions without a token', async path => {
    const { status, json } = await client.ask('GET', path, { token: '' })
    expect(status).toBe(200)
    expect(json.version).toMatchObject({
      id: 'v2.1',
      status: 'CURRENT',
      version: '2.93',
      min_version: '2.1',
      links: [{ rel: 'self', href: `${client.berth.server.url}/compute/v2.1/` }],
    })
  })

  test('the root lists the versions, and does not care which one is asked for', async () => {
    const { status, json } = await client.ask('GET', '/', { token: '', minor: 999 })
    expect(status).toBe(200)
    expect(json.versions).toMatchObject([{ id: 'v2.1', version: '2.93' }])
  })

  test('alone it is served at the root of its port', async () => {
    const alone = await Berth.start({ only: 'compute' })
    const answer = await alone.ask('GET', '/v2.1/flavors')
    expect(answer).toMatchObject({ status: 200, json: { flavors: [] } })
    await alone.end()
  })
})

describe('versions', () => {
  const versionOf = (headers: Headers) => [
    headers.get('openstack-api-version'),
    headers.get('x-openstack-nova-api-version'),
    headers.get('vary'),
  ]
  const vary = 'openstack-api-version, x-openstack-nova-api-version'

  test('the default is 2.1, and the answer has it in both headers', async () => {
    expect(versionOf((await client.get('/flavors')).headers)).toEqual(['compute 2.1', '2.1', vary])
  })

  test('the older header asks for one too; the newer goes before it', async () => {
    const ask = (headers: Record<string, string>) => client.ask('GET', '/v2.1/flavors', { headers })
    const older = { 'x-openstack-nova-api-version': '2.61' }
    expect(versionOf((await ask(older)).headers)).toEqual(['compute 2.61', '2.61', vary])
    const both = { ...older, 'openstack-api-version': 'compute 2.7' }
    expect(versionOf((await ask(both)).headers)[1]).toBe('2.7')
    const others = { ...older, 'openstack-api-version': 'placement 1.7' }
    expect(versionOf((await ask(others)).headers)[1]).toBe('2.61')
    const latest = { 'x-openstack-nova-api-version': 'latest' }
    expect(versionOf((await ask(latest)).headers)[1]).toBe('2.93')
  })

  test('one that is not there is 406, one that is none is 400', async () => {
    const beyond = await client.get('/flavors', 94)
    expect(beyond).toMatchObject({ status: 406, json: { computeFault: { code: 406 } } })
    const headers = { 'openstack-api-version': 'compute two' }
    const odd = await client.ask('GET', '/v2.1/flavors', { headers })
    expect(odd).toMatchObject({ status: 400, json: { badRequest: { code: 400 } } })
  })

  test('every version from 2.1 to 2.93 answers', async () => {
    for (let minor = 1; minor <= 93; minor++)
      for (const path of ['/flavors/detail', '/os-aggregates', '/os-server-groups', '/os-services'])
        expect((await client.get(path, minor)).status).toBe(200)
  })
})

describe('errors', () => {
  test('have the names that clients know, for every Accept header', async () => {
    const missing = await client.ask('GET', '/v2.1/flavors/nothing', { headers: { accept: 'text/html' } })
    expect(missing.json).toEqual({ itemNotFound: { code: 404, message: 'There is no flavor nothing.' } })
    const nowhere = await client.get('/no-such-thing')
    expect(nowhere.json.itemNotFound).toMatchObject({
      code: 404,
      message: expect.stringContaining('resource'),
    })
    const nobody = await client.get('/flavors', null, '')
    expect(nobody).toMatchObject({ status: 401, json: { unauthorized: { code: 401 } } })
    const wrongMethod = await client.delete('/flavors')
    expect(wrongMethod).toMatchObject({ status: 405, json: { badMethod: { code: 405 } } })
    const forbidden = await client.post('/flavors', {}, null, 'somebody:p:member')
    expect(forbidden).toMatchObject({ status: 403, json: { forbidden: { code: 403 } } })
  })

  test('of bodies: no JSON, no object, an unsupported media type', async () => {
    const text = await client.post('/flavors', '{')
    expect(text).toMatchObject({ status: 400, json: { badRequest: { code: 400 } } })
    expect((await client.post('/flavors', '[]')).status).toBe(400)
    expect((await client.ask('POST', '/v2.1/flavors')).status).toBe(400)
    const headers = { 'content-type': 'application/xml' }
    const xml = await client.ask('POST', '/v2.1/flavors', { body: '<flavor/>', headers })
    expect(xml).toMatchObject({ status: 415, json: { badMediaType: { code: 415 } } })
  })
})

test('addresses may name the project of the token, and no other', async () => {
  const token = 'somebody:my-project:admin'
  const own = await client.ask('GET', '/v2.1/my-project/flavors', { token })
  expect(own).toMatchObject({ status: 200, json: { flavors: [] } })
  expect((await client.ask('GET', '/v2.1/another/flavors', { token })).status).toBe(400)
})

test('everything is there after a restart, and memory agrees with the store', async () => {
  const first = await Berth.start()
  const hosts = [
    { name: 'h', inventories: { VCPU: { total: 4 } }, disabled_reason: 'r', capabilities: { a: [1] } },
  ]
  const body = {
    hosts,
    flavors: [
      { name: 'f', ram: 1, vcpus: 1, disk: 0, is_public: false, access: ['p'], extra_specs: { 'a b': 'c' } },
    ],
    aggregates: [{ name: 'a', availability_zone: 'z', metadata: { k: 'v' }, hosts: ['h'] }],
  }
  expect((await first.ask('POST', '/v1/apply', { body })).status).toBe(200)
  const url = `${first.server.url}/compute/v2.1/os-server-groups`
  const group = JSON.stringify({ server_group: { name: 'g', policies: ['affinity'] } })
  const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' }
  expect((await fetch(url, { method: 'POST', headers, body: group })).status).toBe(200)
  await first.stop()
  const second = await Berth.start({ data_dir: first.directory })
  const { json } = await second.ask('POST', '/v1/apply?dry_run=true', { body })
  expect(json.plan.map((one: { action: string }) => one.action)).toEqual([
    'unchanged',
    'unchanged',
    'unchanged',
  ])
  const groups = await fetch(`${second.server.url}/compute/v2.1/os-server-groups`, { headers })
  expect(await groups.json()).toMatchObject({ server_groups: [{ name: 'g' }] })
  expect((await second.ask('POST', '/v1/verify')).json).toMatchObject({
    differences_total: 0,
    problems_total: 0,
  })
  await second.end()
})

test('the zone of hosts that are in none is configuration', async () => {
  const other = await Berth.start({ default_availability_zone: 'home' })
  try {
    const hosts = [{ name: 'h', inventories: { VCPU: { total: 4 } } }]
    expect((await other.ask('POST', '/v1/apply', { body: { hosts } })).status).toBe(200)
    const compute = async (path: string) => {
      const headers = { 'x-auth-token': 'admin' }
      return (await fetch(`${other.server.url}/compute/v2.1/${path}`, { headers })).json()
    }
    expect(await compute('os-availability-zone')).toMatchObject({
      availabilityZoneInfo: [{ zoneName: 'home' }],
    })
    expect(await compute('os-services')).toMatchObject({ services: [{ zone: 'home' }] })
    expect(await compute('os-hosts?zone=home')).toMatchObject({ hosts: [{ host_name: 'h', zone: 'home' }] })
    expect((await other.ask('GET', '/v1/hosts/h')).json.zone).toBe('home')
  } finally {
    await other.end()
  }
})
