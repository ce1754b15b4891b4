/** What members get of their project, and that nothing else comes with it. */
import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuid } from '../../../test/running-berth.ts'
import { DECLARED } from '../../../test/three-hosts.ts'
import { IdentityClient } from '../../identity/api/identity-client.fixture.ts'
import { PROJECT_FITS_MAX } from '../../wire/projects.ts'

let client: IdentityClient
let shop: string
let rival: string
const tokens: Record<string, string> = {}
const servers: Record<string, string> = {}

beforeAll(async () => {
  client = await IdentityClient.start({ max_server_groups: 10 })
  await admin('POST', '/v1/apply?owner=test', DECLARED)
  const [mine, theirs] = await Promise.all(
    ['shop', 'rival'].map(name => admin('POST', '/identity/v3/projects', { project: { name } })),
  )
  shop = mine?.json.project.id
  rival = theirs?.json.project.id
  for (const [name, role] of [
    ['ray', 'member'],
    ['rita', 'reader'],
  ] as const) {
    const token = `${name}-${'x'.repeat(40)}`
    const token_sha256 = hash('sha256', token, 'hex')
    await admin('POST', '/v1/tokens', { name, token_sha256, roles: [role], project: shop })
    tokens[name] = token
  }
  await admin('POST', '/compute/v2.1/flavors', {
    flavor: { id: 'tiny', name: 'r1.secret', vcpus: 1, ram: 1, disk: 0, 'os-flavor-access:is_public': false },
  })
  await admin('POST', '/compute/v2.1/flavors/tiny/action', { addTenantAccess: { tenant: rival } })
  for (const [name, project] of [
    ['web', shop],
    ['theirs', rival],
  ] as const) {
    const { json } = await admin('POST', '/v1/schedule', {
      flavor: 'half',
      names: [`${name}-1`],
      project_id: project,
      user_id: 'u',
    })
    servers[name] = json.placed[0].instance
  }
})
afterAll(() => client.end())

const admin = async (method: string, path: string, body?: unknown) => {
  const answer = await client.ask(method, path, { token: client.adminToken, body })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer
}
const read = (path: string, token = tokens.ray as string) =>
  client.ask('GET', `/v1/projects${path}`, { token })

const amountOf = (list: readonly { resource: string }[], name: string) =>
  list.find(({ resource }) => resource === name)

describe('a member', () => {
  test('gets usage and limits of the project', async () => {
    const { status, json } = await read(`/${shop}`)
    expect([status, json.id, json.name]).toEqual([200, shop, 'shop'])
    expect(amountOf(json.compute, 'instances')).toEqual({ resource: 'instances', used: 1, limit: null })
    expect(amountOf(json.compute, 'cores')).toMatchObject({ used: 4 })
    expect(amountOf(json.compute, 'ram')).toMatchObject({ used: 8192 })
    expect(amountOf(json.compute, 'server_groups')).toMatchObject({ used: 0, limit: 10 })
    expect(amountOf(json.shares, 'gigabytes')).toEqual({ resource: 'gigabytes', used: 0, limit: 1000 })
    expect((await read('/shop')).json).toEqual(json)
  })

  test('gets the servers by flavor and zone, without hosts', async () => {
    const { status, json } = await read(`/${shop}/servers`)
    expect(status).toBe(200)
    expect(json).toEqual({
      servers: [
        {
          uuid: servers.web,
          name: 'web-1',
          status: 'active',
          flavor: 'm1.half',
          vcpus: 4,
          ram: 8192,
          disk: 20,
          zone: expect.any(String),
          server_group: null,
          changed_at: expect.any(String),
        },
      ],
      total: 1,
      next: null,
    })
    expect((await read(`/shop/servers?q=${servers.web?.slice(0, 8)}`)).json).toEqual(json)
    expect((await read('/shop/servers?q=WEB')).json).toEqual(json)
    for (const other of [servers.theirs, 'theirs', 'web-2'])
      expect((await read(`/shop/servers?q=${other}`)).json).toMatchObject({ servers: [], total: 0 })
  })

  test('gets what fits, of flavors that the project may use, without hosts', async () => {
    const { status, json } = await read(`/${shop}/fit`)
    expect(status).toBe(200)
    expect(json.zones).toEqual(['east', 'nova'])
    expect(json.flavors.map(({ name }: { name: string }) => name)).toEqual(['m1.fast', 'm1.half', 'm1.huge'])
    expect(json.flavors[1]).toMatchObject({ fits: 4, more: false, exact: true, reason: null })
    expect(json.flavors[2]).toMatchObject({ fits: 0, reason: 'VCPU too small' })
    expect(json.flavors[1].zones).toHaveLength(2)
    expect(json.flavors[1]).not.toHaveProperty('hosts')
  })

  test.each(['ray', 'rita'])('%s finds nothing of hosts and of other projects', async name => {
    const token = tokens[name] as string
    const secrets = [
      ...['alpha', 'beta', 'gamma', uuid(1), uuid(2), uuid(3), 'rack-1', 'disks'],
      ...['rival', rival, servers.theirs as string, 'r1.secret', 'theirs-1'],
    ]
    for (const path of ['', '/servers', '/fit', `/servers?q=${servers.web}`, '/fit?after=fast']) {
      const { status, text } = await read(`/${shop}${path}`, token)
      expect([path, status]).toEqual([path, 200])
      for (const secret of secrets) expect(text, path).not.toContain(secret)
    }
    // Also by what it is refused: a project that exists and one that does not look the same.
    for (const path of ['', '/servers', '/fit'])
      for (const project of [rival, 'rival', 'nothing', 'admin']) {
        const { status, json } = await read(`/${project}${path}`, token)
        expect(status, project + path).toBe(404)
        expect(json).toMatchObject({ code: 'projects.missing', project })
        expect(json.detail).toBe(`There is no project ${project}, or you may not see it.`)
      }
    for (const path of ['/v1/fit', '/v1/fleet', '/v1/consumers?q=0', '/v1/audit', '/v1/tokens', '/v1/hosts'])
      expect([path, (await client.ask('GET', path, { token })).status]).toEqual([path, 403])
  })
})

test('an admin sees every project, with hosts', async () => {
  const { adminToken } = client
  const { json } = await read('/rival/servers', adminToken)
  expect(json.servers).toMatchObject([{ uuid: servers.theirs, hosts: [expect.any(String)] }])
  const fit = await read(`/${rival}/fit`, adminToken)
  const secret = fit.json.flavors.find(({ name }: { name: string }) => name === 'r1.secret')
  expect(secret).toMatchObject({ fits: expect.any(Number) })
  expect(secret.fits).toBeLessThanOrEqual(PROJECT_FITS_MAX)
  expect((await read('/nothing', adminToken)).status).toBe(404)
})

test('projects are listed with usage and members, those that only hold something too, page by page', async () => {
  await client.addUser('sue', 'member', 'shop')
  await client.ask('PUT', `/placement/allocations/${uuid(60)}`, {
    token: client.adminToken,
    headers: { 'openstack-api-version': 'placement 1.28' },
    body: {
      allocations: { [uuid(3)]: { resources: { MEMORY_MB: 1 } } },
      project_id: 'elsewhere/1',
      user_id: 'u',
      consumer_generation: null,
    },
  })
  const list = async (query = '') => (await read(`${query}`, client.adminToken)).json
  const { projects, total, next } = await list()
  const labels = projects.map((one: { id: string; name: string | null }) => one.name ?? one.id)
  expect(labels).toEqual(['admin', 'elsewhere/1', 'rival', 'shop'])
  expect([total, next]).toEqual([4, null])
  expect(projects[1]).toMatchObject({ id: 'elsewhere/1', name: null, enabled: null, members: null })
  const stray = `/${encodeURIComponent('elsewhere/1')}`
  expect((await read(stray, client.adminToken)).json).toMatchObject({ id: 'elsewhere/1', name: null })
  expect((await read(stray)).status).toBe(404)
  expect(projects[3]).toMatchObject({ id: shop, name: 'shop', enabled: true, members: 1 })
  expect(projects[3].compute).toEqual((await read('/shop', client.adminToken)).json.compute)
  const seen: unknown[] = []
  for (let query = '?limit=1'; ; ) {
    const page = await list(query)
    seen.push(...page.projects)
    if (page.next === null) break
    query = `?limit=1&after=${encodeURIComponent(page.next)}`
  }
  expect(seen).toEqual(projects)
  expect((await list('?search=SHO')).projects).toEqual([projects[3]])
  for (const after of ['x', '%zz/a', 'a/b/c']) {
    const answer = await read(`?after=${encodeURIComponent(after)}`, client.adminToken)
    expect([answer.status, answer.json.code]).toEqual([400, 'projects.bad-position'])
  }
  expect((await read('')).status).toBe(403)
})

test('many servers come in pages, the last changed first, each once', async () => {
  const many = (await admin('POST', '/identity/v3/projects', { project: { name: 'many' } })).json.project.id
  for (let at = 0; at < 5; at++)
    await client.ask('PUT', `/placement/allocations/${uuid(70 + at)}`, {
      token: client.adminToken,
      headers: { 'openstack-api-version': 'placement 1.28' },
      body: {
        allocations: { [uuid(3)]: { resources: { MEMORY_MB: 1 } } },
        project_id: many,
        user_id: 'u',
        consumer_generation: null,
      },
    })
  const seen: { uuid: string; changed_at: string }[] = []
  for (let query = ''; ; ) {
    const { json } = await read(`/many/servers?limit=2${query}`, client.adminToken)
    expect(json.total).toBe(5)
    expect(json.servers.length).toBeLessThanOrEqual(2)
    seen.push(...json.servers)
    if (json.next === null) break
    query = `&after=${json.next}`
  }
  expect(seen.map(one => one.uuid).toSorted()).toEqual([0, 1, 2, 3, 4].map(at => uuid(70 + at)))
  expect(seen.map(one => one.changed_at)).toEqual(
    seen
      .map(one => one.changed_at)
      .toSorted()
      .reverse(),
  )
})

test.each([
  ['/servers?after=x', 400, 'projects.bad-position'],
  ['/servers?limit=1001', 400, 'request.invalid'],
  ['/servers?q=', 400, 'request.invalid'],
  ['/fit?after=none', 404, 'schedule.flavor-missing'],
  ['/fit?limit=1', 400, 'request.invalid'],
])('%s is %i %s', async (query, status, code) => {
  const answer = await read(`/${shop}${query}`)
  expect([answer.status, answer.json.code]).toEqual([status, code])
})
