/** What must fail, tried against a whole server that asks for tokens. */
import { hash } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IdentityClient } from '../src/identity/api/identity-client.fixture.ts'

let client: IdentityClient
let ray: string
let rayProject: string
beforeAll(async () => {
  client = await IdentityClient.start({
    request_timeout_ms: 1_000,
    max_body_bytes: 20_000,
    catalog_builtin: false,
  })
  rayProject = (await client.addUser('ray', 'member', 'lab')).project
  ray = await client.tokenOf({ user: 'ray', password: 'rayrayray' })
})
afterAll(() => client.end())

/** One request that wants a token of each service. */
const DOORS = [
  '/placement/resource_providers',
  '/compute/v2.1/flavors',
  '/image/v2/metadefs/namespaces',
  '/identity/v3/users',
  '/v1/fleet',
  '/v1/audit',
]

const status = async (path: string, token?: string, headers: Record<string, string> = {}) =>
  (await client.ask('GET', path, { ...(token === undefined ? {} : { token }), headers })).status

async function staticToken(name: string, fields: object): Promise<string> {
  const token = `${name}-${'x'.repeat(40)}`
  const body = { name, token_sha256: hash('sha256', token, 'hex'), ...fields }
  const made = await client.ask('POST', '/v1/tokens', { token: client.adminToken, body })
  expect(made.status, made.text).toBe(201)
  return token
}

describe('who is nobody', () => {
  test.each(DOORS)('%s without a token, or with an unknown one, is 401', async path => {
    expect(await status(path)).toBe(401)
    for (const token of ['', 'x', 'x'.repeat(43), `${client.adminToken}x`, client.adminToken.toLowerCase()])
      expect(await status(path, token), token).toBe(401)
    expect(await status(path, client.adminToken)).toBe(200)
  })

  test.each(DOORS)('%s with a token that was revoked is 401', async path => {
    const token = await client.tokenOf()
    expect(await status(path, token)).toBe(200)
    await client.ask('DELETE', '/identity/v3/auth/tokens', { token, headers: { 'x-subject-token': token } })
    expect(await status(path, token)).toBe(401)
  })

  test('a static token is good until it expires or is revoked', async () => {
    const short = await staticToken('short', { roles: ['admin'], expires_in_s: 1 })
    const long = await staticToken('long', { roles: ['admin'] })
    for (const path of DOORS) expect(await status(path, long), path).toBe(200)
    await sleep(1_100)
    for (const path of DOORS) expect(await status(path, short), path).toBe(401)
    await client.ask('DELETE', '/v1/tokens/long', { token: client.adminToken })
    for (const path of DOORS) expect(await status(path, long), path).toBe(401)
  })

  test.each(DOORS)('%s with the token anywhere but in its header is 401', async path => {
    const { adminToken } = client
    for (const name of ['token', 'auth_token', 'x-auth-token', 'X-Auth-Token', 'access_token'])
      expect(await status(`${path}?${name}=${adminToken}`)).toBe(401)
    expect(await status(path, undefined, { authorization: `Bearer ${adminToken}` })).toBe(401)
    expect(await status(path, undefined, { cookie: `x-auth-token=${adminToken}` })).toBe(401)
    expect(await status(path, undefined, { 'x-storage-token': adminToken })).toBe(401)
  })

  test('a token in a query is not in the log', () => {
    const log = client.berth.logLines.join('\n')
    expect(log).toContain('token=[hidden]')
    expect(log).not.toContain(client.adminToken)
    expect(log).not.toContain(client.adminPassword)
    expect(log).not.toContain('rayrayray')
  })
})

describe('who wants to be somebody else', () => {
  /** What proxies of other services set, and noauth2 believes. */
  const CLAIMS = {
    'x-roles': 'admin,service',
    'x-role': 'admin',
    'x-user-id': 'admin',
    'x-project-id': 'admin',
    'x-tenant-id': 'admin',
    'x-is-admin-project': 'True',
    'x-identity-status': 'Confirmed',
    'x-service-token': 'admin',
    'openstack-system-scope': 'all',
    'x-forwarded-user': 'admin',
    'x-remote-user': 'admin',
  }

  test('no header makes a caller more than the token is', async () => {
    for (const path of DOORS) expect(await status(path, undefined, CLAIMS), path).toBe(401)
    for (const path of ['/placement/resource_providers', '/identity/v3/users', '/v1/fleet', '/v1/audit'])
      expect(await status(path, ray, CLAIMS), path).toBe(403)
  })

  test('a token of noauth2 is worth nothing', async () => {
    for (const token of ['admin', 'admin:admin:admin', 'admin:admin:admin,service,member,reader'])
      expect(await status('/placement/resource_providers', token)).toBe(401)
  })

  test('a member makes neither users, roles, grants nor tokens for machines', async () => {
    const roles = await client.admin('GET', '/roles?name=admin')
    const me = await client.ask('GET', '/identity/v3/auth/tokens', {
      token: ray,
      headers: { 'x-subject-token': ray },
    })
    const id = me.json.token.user.id
    const attempts: [string, string, unknown][] = [
      ['POST', '/identity/v3/users', { user: { name: 'x' } }],
      ['PATCH', '/identity/v3/users/admin', { user: { password: 'mine' } }],
      ['PATCH', `/identity/v3/users/${id}`, { user: { enabled: true } }],
      ['PUT', `/identity/v3/projects/admin/users/${id}/roles/${roles.json.roles[0].id}`, undefined],
      ['PUT', `/identity/v3/projects/${rayProject}/users/${id}/roles/${roles.json.roles[0].id}`, undefined],
      ['POST', '/identity/v3/roles', { role: { name: 'x' } }],
      ['POST', '/identity/v3/users/admin/application_credentials', { application_credential: { name: 'x' } }],
      ['POST', '/identity/v3/users/admin/password', { user: { original_password: 'x', password: 'y' } }],
      ['POST', '/v1/tokens', { name: 'x', roles: ['admin'], token_sha256: '0'.repeat(64) }],
      ['DELETE', '/v1/tokens/x', undefined],
    ]
    for (const [method, path, body] of attempts)
      expect((await client.ask(method, path, { token: ray, body })).status, `${method} ${path}`).toBe(403)
  })
})

describe('who wants what belongs to others', () => {
  test('an application credential makes no other that can do more, or lasts longer', async () => {
    const { json: people } = await client.admin('GET', '/users?name=ray')
    const uuid = people.users[0].id
    const path = `/identity/v3/users/${uuid}/application_credentials`
    const expires_at = new Date(Date.now() + 600_000).toISOString()
    const body = { name: 'small', roles: [{ name: 'reader' }], unrestricted: true, expires_at }
    const made = await client.ask('POST', path, { token: ray, body: { application_credential: body } })
    expect(made.status).toBe(201)
    const { id, secret } = made.json.application_credential
    const identity = { methods: ['application_credential'], application_credential: { id, secret } }
    const signedIn = await client.ask('POST', '/identity/v3/auth/tokens', { body: { auth: { identity } } })
    const token = signedIn.headers.get('x-subject-token') as string
    const again = await client.ask('POST', path, {
      token,
      body: { application_credential: { name: 'more' } },
    })
    expect(again.status).toBe(201)
    const { roles, expires_at: ends } = again.json.application_credential
    expect(roles.map(({ name }: { name: string }) => name)).toEqual(['reader'])
    expect(Date.parse(`${ends}Z`)).toBeLessThanOrEqual(Date.parse(expires_at))
    const asked = { name: 'most', roles: [{ name: 'member' }] }
    const refused = await client.ask('POST', path, { token, body: { application_credential: asked } })
    expect(refused.status).toBe(400)
  })

  test('a token is not exchanged for another for ever', async () => {
    let token = ray
    let status = 201
    for (let times = 0; times < 20 && status === 201; times++) {
      const identity = { methods: ['token'], token: { id: token } }
      const answer = await client.ask('POST', '/identity/v3/auth/tokens', { body: { auth: { identity } } })
      status = answer.status
      token = answer.headers.get('x-subject-token') ?? token
    }
    expect(status).toBe(403)
  })

  test('what is given for an account that does not exist is not written down', async () => {
    await client.signIn({ user: 'my-password-in-the-wrong-field', password: 'x' })
    expect(client.berth.logLines.join()).not.toContain('my-password-in-the-wrong-field')
  })

  test('members cannot see pools, not even by name', async () => {
    const wish = { size: 1, only_host: 'farm@alpha#a1' }
    const { status } = await client.ask('POST', '/v1/explain/share', { token: ray, body: wish })
    expect([403, 404]).toContain(status)
  })

  test('a private namespace of another project is not there', async () => {
    const space = { namespace: 'Secret', visibility: 'private', owner: 'admin' }
    const made = await client.ask('POST', '/image/v2/metadefs/namespaces', {
      token: client.adminToken,
      body: space,
    })
    expect(made.status).toBe(201)
    expect(await status('/image/v2/metadefs/namespaces/Secret', client.adminToken)).toBe(200)
    expect(await status('/image/v2/metadefs/namespaces/Secret', ray)).toBe(404)
    const list = await client.ask('GET', '/image/v2/metadefs/namespaces', { token: ray })
    expect(list.text).not.toContain('Secret')
    for (const part of ['objects', 'properties', 'tags', 'resource_types'])
      expect(await status(`/image/v2/metadefs/namespaces/Secret/${part}`, ray), part).toBe(404)
    const gone = await client.ask('DELETE', '/image/v2/metadefs/namespaces/Secret', { token: ray })
    expect(gone.status).toBe(404)
  })

  test('a server group of another project is not there, and neither is its list', async () => {
    const body = { server_group: { name: 'theirs', policies: ['affinity'] } }
    const made = await client.ask('POST', '/compute/v2.1/os-server-groups', {
      token: client.adminToken,
      body,
    })
    const path = `/compute/v2.1/os-server-groups/${made.json.server_group.id}`
    expect(await status(path, ray)).toBe(404)
    expect((await client.ask('DELETE', path, { token: ray })).status).toBe(404)
    const list = await client.ask('GET', '/compute/v2.1/os-server-groups?all_projects=1', { token: ray })
    expect(list.json.server_groups).toEqual([])
  })

  test('a share of another project is 404 for every request', async () => {
    const token = client.adminToken
    const headers = { 'x-openstack-manila-api-version': '2.65' }
    const type = { name: 'any', extra_specs: { driver_handles_share_servers: 'False' } }
    const typed = await client.ask('POST', '/share/v2/types', { token, headers, body: { share_type: type } })
    expect(typed.status).toBe(200)
    const share = { share_proto: 'NFS', size: 1, share_type: 'any' }
    const made = await client.ask('POST', '/share/v2/shares', { token, headers, body: { share } })
    expect(made.status).toBe(200)
    const path = `/share/v2/shares/${made.json.share.id}`
    expect(await status(path, token, headers)).toBe(200)
    for (const part of ['', '/metadata', '/export_locations'])
      expect(await status(`${path}${part}`, ray, headers), part).toBe(404)
    expect((await client.ask('DELETE', path, { token: ray, headers })).status).toBe(404)
    const extend = { extend: { new_size: 2 } }
    const acted = await client.ask('POST', `${path}/action`, { token: ray, headers, body: extend })
    expect(acted.status).toBe(404)
    const list = await client.ask('GET', '/share/v2/shares/detail?all_tenants=1', { token: ray, headers })
    expect(list.text).not.toContain(made.json.share.id)
  })

  test('the address of another project, and its usages, are refused', async () => {
    expect(await status('/compute/v2.1/admin/flavors', ray)).toBe(400)
    const version = { 'openstack-api-version': 'placement 1.39' }
    expect(await status('/placement/usages?project_id=admin', ray, version)).toBe(403)
    expect(await status(`/placement/usages?project_id=${rayProject}`, ray, version)).toBe(200)
  })
})

/** Sends bytes as they are, without what a client would make of them; what comes back until it is closed. */
function raw(bytes: string, quietMs = 400): Promise<string> {
  const { port } = new URL(client.berth.server.url)
  return new Promise(resolve => {
    let text = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes))
    const end = (): void => {
      socket.destroy()
      resolve(text)
    }
    let timer = setTimeout(end, 5_000)
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      clearTimeout(timer)
      timer = setTimeout(end, quietMs)
    })
    socket.on('close', end).on('error', end)
  })
}

describe('who tries tricks', () => {
  test.each([
    '/placement/../v1/fleet',
    '/placement/%2e%2e/v1/fleet',
    '/placement/..%2fv1/fleet',
    '//v1/fleet',
    '/v1//fleet',
    '/v1/fleet/',
    '/V1/fleet',
    '/v1/%66leet',
    '/v1;x/fleet',
    '/healthz/../v1/fleet',
    '/healthz%2f..%2fv1/fleet',
    '/identity/v3/auth/tokens/../../users',
    '/identity/v3/%2e%2e/v3/users',
    '/identity/v3/auth/tokens',
    '/identity//v3/users',
    '/identity/v3/users?/identity/v3',
    '/identity/v3/users#/identity/v3',
    '/identity/v3/users%00',
    '/identity/v3/users%3f',
    'http://127.0.0.1/v1/fleet',
    'http://evil/identity/v3/users',
    '/placement/?/resource_providers',
    '/placementx/resource_providers',
    '*',
  ])('%s without a token gives nothing away', async path => {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 (200 OK|30\d|40[0-9]|41\d)/)
    expect(answer).not.toMatch(/"users"|"uuid"|"entries"|resource_providers"/)
    if (/^HTTP\/1\.1 200/.test(answer)) expect(answer).toMatch(/"versions"|"version"|"services"/)
  })

  test('other methods on the path that needs no token need one', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH'])
      expect((await client.ask(method, '/identity/v3/auth/tokens')).status, method).toBe(401)
    const overridden = { 'x-http-method-override': 'GET' }
    const body = { auth: { identity: { methods: [] } } }
    expect((await client.ask('POST', '/identity/v3/auth/tokens', { body, headers: overridden })).status).toBe(
      401,
    )
  })

  test('a request hidden behind another is not answered as part of it', async () => {
    const hidden = `GET /v1/fleet HTTP/1.1\r\nX-Auth-Token: ${client.adminToken}\r\nHost: x\r\n\r\n`
    const both = ['Content-Length: 4', 'Transfer-Encoding: chunked'].join('\r\n')
    const answer = await raw(
      `POST /identity/v3/auth/tokens HTTP/1.1\r\nHost: x\r\n${both}\r\n\r\n0\r\n\r\n${hidden}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400/)
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test('two tokens in one request are no token', async () => {
    const two = `X-Auth-Token: ${ray}\r\nX-Auth-Token: ${client.adminToken}\r\n`
    expect(await raw(`GET /v1/fleet HTTP/1.1\r\nHost: x\r\n${two}Connection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 401/,
    )
  })
})

describe('who sends too much, or too slowly', () => {
  test('a body over the limit is 413, whether it says so or not', async () => {
    const body = { auth: { identity: { methods: ['x'.repeat(30_000)] } } }
    expect((await client.ask('POST', '/identity/v3/auth/tokens', { body })).status).toBe(413)
    const chunk = `${(25_000).toString(16)}\r\n${'x'.repeat(25_000)}\r\n0\r\n\r\n`
    const head = 'POST /identity/v3/auth/tokens HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
    expect(await raw(head + chunk)).toMatch(/^HTTP\/1\.1 413/)
  })

  test('headers and addresses over the limit are refused', async () => {
    expect(await raw(`GET /v1/fleet HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431/,
    )
    expect(await raw(`GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 (414|431)/,
    )
  })

  test('a request that does not come to its end is 408', async () => {
    const head = `POST /v1/tokens HTTP/1.1\r\nHost: x\r\nX-Auth-Token: ${client.adminToken}\r\n`
    const requests = [
      'POST /identity/v3/auth/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{',
      `${head}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{`,
      'GET /v1/fleet HTTP/1.1\r\nHo',
    ]
    for (const answer of await Promise.all(requests.map(raw))) expect(answer).toMatch(/^HTTP\/1\.1 408/)
  }, 20_000)

  test('a token that sends too many requests gets 429', async () => {
    const few = await IdentityClient.start({ rate_limit_per_second: 5, catalog_builtin: false })
    try {
      await few.addUser('pia', 'reader', 'lab')
      const token = await few.tokenOf({ user: 'pia', password: 'piapiapia' })
      for (const path of ['/compute/v2.1/flavors', '/v1/openapi.json']) {
        const all = await Promise.all(Array.from({ length: 30 }, () => few.ask('GET', path, { token })))
        const refused = all.filter(one => one.status === 429)
        expect(refused.length, path).toBeGreaterThan(0)
        expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      const mine = await Promise.all(
        Array.from({ length: 30 }, () => few.ask('GET', '/v1/openapi.json', { token: few.adminToken })),
      )
      expect(mine.every(one => one.status === 200)).toBe(true)
    } finally {
      await few.end()
    }
  })

  test('passwords can be guessed five times, then every guess waits, also a right one', async () => {
    await client.addUser('eve', 'reader', 'lab')
    const guess = async (password: string) => (await client.signIn({ user: 'eve', password })).status
    const first = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(guess))
    expect(first.filter(one => one === 401)).toHaveLength(5)
    expect(first.filter(one => one === 429)).toHaveLength(3)
    const answer = await client.signIn({ user: 'eve', password: 'eveeveeve' })
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(answer.json.error.title).toBe('Too Many Requests')
    expect((await client.signIn({ user: 'ray', password: 'rayrayray' })).status).toBe(201)
  })
})

test('answers that are no pages say so to browsers', async () => {
  const answer = await client.ask('GET', '/v1/openapi.json', { token: client.adminToken })
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  const page = await client.ask('GET', '/placement/<script>', { headers: { accept: 'text/html' } })
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect(page.text).not.toContain('<script>')
})
