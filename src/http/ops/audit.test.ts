import { afterAll, beforeAll, expect, test } from 'vitest'
import { IdentityClient } from '../../identity/api/identity-client.fixture.ts'

let client: IdentityClient
beforeAll(async () => {
  client = await IdentityClient.start()
})
afterAll(() => client.end())

const version = { 'openstack-api-version': 'placement 1.39' }
const placement = (method: string, path: string, body?: unknown, token = client.adminToken) =>
  client.ask(method, `/placement${path}`, { token, body, headers: version })
const audit = async (query = '') =>
  (await client.ask('GET', `/v1/audit${query}`, { token: client.adminToken })).json

const UUID = '11111111-2222-4333-8444-555555555555'

test('a write is written down with who, what, the generations and the request, in its own commit', async () => {
  const before = (await audit()).entries.length
  const made = await placement('POST', '/resource_providers', { name: 'rack', uuid: UUID })
  expect(made.status).toBe(200)
  await placement('PUT', `/resource_providers/${UUID}/inventories`, {
    resource_provider_generation: 0,
    inventories: { VCPU: { total: 8 } },
  })
  const { entries } = await audit()
  expect(entries).toHaveLength(before + 2)
  const [second, first] = entries
  expect(first).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    request_id: made.headers.get('x-openstack-request-id'),
    user: 'admin',
    user_name: 'admin',
    project: 'admin',
    project_name: 'admin',
    roles: ['admin', 'manager', 'service', 'member', 'reader'],
    service: 'placement',
    operation: 'placement:resource_providers:create',
    method: 'POST',
    path: '/placement/resource_providers',
    command: 'placement:create-provider',
    revision: expect.any(Number),
    rows: 1,
    generations: [{ provider: UUID, before: null, after: 0 }],
  })
  expect(second).toMatchObject({
    revision: first.revision + 1,
    command: 'placement:replace-inventories',
    generations: [{ provider: UUID, before: 0, after: 1 }],
  })
})

test('what is refused, and what only asks, is not in it', async () => {
  const { entries } = await audit()
  expect((await placement('POST', '/resource_providers', { name: 'rack' })).status).toBe(409)
  expect((await placement('POST', '/resource_providers', { name: 'x' }, 'wrong'.repeat(5))).status).toBe(401)
  expect((await placement('GET', '/resource_providers')).status).toBe(200)
  expect((await audit()).entries).toEqual(entries)
})

test('writes of /v1 and of identity are in it, without a query or a secret', async () => {
  await client.ask('POST', '/v1/hosts?x=sesame', { token: client.adminToken, body: { name: 'h1' } })
  await client.ask('POST', '/v1/hosts', { token: client.adminToken, body: { name: 'h1' } })
  await client.admin('POST', '/users', { user: { name: 'ray', password: 'sesame-sesame' } })
  const { entries } = await audit('?limit=2')
  expect(entries.map((one: { command: string }) => one.command)).toEqual([
    'identity:create-user',
    'compute:add-host',
  ])
  expect(JSON.stringify(await audit())).not.toMatch(/sesame|scrypt/)
})

test('is read in pages, and by user, service and request', async () => {
  const all = (await audit()).entries
  const seen: unknown[] = []
  let next: string | null = null
  do {
    const page = await audit(`?limit=2${next === null ? '' : `&before=${next}`}`)
    seen.push(...page.entries)
    next = page.next
  } while (next !== null)
  expect(seen).toEqual(all)
  expect((await audit('?user=nobody')).entries).toEqual([])
  expect((await audit('?service=identity')).entries).toHaveLength(1)
  expect((await audit(`?request_id=${all[0].request_id}`)).entries).toEqual([all[0]])
  const bad = await client.ask('GET', '/v1/audit?before=x', { token: client.adminToken })
  expect(bad.json).toMatchObject({ status: 400, code: 'audit.bad-position' })
})

test('is found by name, text and time, and says who it was by name', async () => {
  const { entries } = await audit('?user=admin&search=CREATE-USER')
  expect(entries).toMatchObject([{ command: 'identity:create-user', path: '/identity/v3/users' }])
  await client.addUser('sue', 'admin', 'ops')
  const token = await client.tokenOf({ user: 'sue', password: 'suesuesue' })
  await client.ask('POST', '/v1/hosts', { token, body: { name: 'h2' } })
  const [one] = entries
  expect((await audit(`?target=${one.path.split('/').at(-1)}`)).entries).toContainEqual(one)
  expect((await audit('?target=no-such-thing')).entries).toEqual([])
  const found = await audit('?user=sue&project=ops')
  expect(found.entries).toMatchObject([
    { command: 'compute:add-host', user_name: 'sue', project_name: 'ops' },
  ])
  expect((await audit(`?user=${found.entries[0].user}`)).entries).toEqual(found.entries)
  expect(await audit(`?until=${found.entries[0].at}`)).not.toMatchObject({ entries: found.entries })
  expect((await audit(`?since=${found.entries[0].at}`)).entries[0]).toEqual(found.entries[0])
  expect((await audit('?since=1h')).entries).toEqual((await audit()).entries)
  expect((await audit('?until=1h')).entries).toEqual([])
  const bad = await client.ask('GET', '/v1/audit?since=soon', { token: client.adminToken })
  expect(bad.json).toMatchObject({ status: 400, code: 'audit.bad-time', field: 'since', value: 'soon' })
})

test('is for admins only', async () => {
  await client.addUser('rae', 'service', 'lab')
  const token = await client.tokenOf({ user: 'rae', password: 'raeraerae' })
  expect((await client.ask('GET', '/v1/audit', { token })).status).toBe(403)
})
