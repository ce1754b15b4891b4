import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { IdentityClient } from '../../identity/api/identity-client.fixture.ts'

let client: IdentityClient
let lab: string
beforeAll(async () => {
  client = await IdentityClient.start()
  lab = (await client.addUser('ray', 'member', 'lab')).project
  await client.addUser('rae', 'reader', 'lab')
})
afterAll(() => client.end())

const ask = (method: string, path: string, body?: unknown, token = client.adminToken) =>
  client.ask(method, `/v1${path}`, { token, body })
const tokenOf = (name: string) =>
  client.tokenOf({ user: name, password: name.repeat(3), scope: { project: { id: lab } } })
const statusOf = async (token: string) => (await ask('GET', '/whoami', undefined, token)).status
const listOf = async (query = '') => (await ask('GET', `/user-tokens${query}`)).json.tokens

describe('tokens of users', () => {
  test('are listed without themselves, by user, and page by page', async () => {
    const token = await tokenOf('ray')
    for (const name of ['ray', 'rae', 'rae']) await tokenOf(name)
    const { text, json } = await ask('GET', '/user-tokens?user=ray')
    expect(json.tokens).toHaveLength(2)
    expect(json.tokens[0]).toMatchObject({
      user_name: 'ray',
      project: lab,
      project_name: 'lab',
      roles: ['member', 'reader'],
      methods: ['password'],
      application_credential: null,
    })
    expect(text).not.toContain(token)
    expect(text).not.toMatch(/hash/)
    const all = await listOf()
    const seen: unknown[] = []
    for (let query = '?limit=1'; ; ) {
      const page = await ask('GET', `/user-tokens${query}`)
      seen.push(...page.json.tokens)
      if (page.json.next === null) break
      query = `?limit=1&after=${page.json.next}`
    }
    expect(seen).toEqual(all)
    expect(all).toHaveLength(4)
  })

  test('one is revoked by its id, with those that were issued for it', async () => {
    const [first, second] = [await tokenOf('ray'), await tokenOf('ray')]
    const child = await client.auth({ methods: ['token'], token: { id: first } }, { project: { id: lab } })
    const childToken = child.headers.get('x-subject-token') as string
    // The list does not say which is which: that of the child has two methods.
    const before: { id: string; methods: string[]; issued_at: string }[] = await listOf('?user=ray')
    const issued = before
      .filter(one => one.methods.length === 1)
      .toSorted((a, b) => (a.issued_at < b.issued_at ? 1 : -1))
    const id = issued[1]?.id as string
    expect((await ask('DELETE', `/user-tokens/${id}`)).json).toEqual({ id })
    expect(await Promise.all([first, second, childToken].map(statusOf))).toEqual([401, 200, 401])
    expect((await listOf('?user=ray')).map((one: { id: string }) => one.id)).not.toContain(id)
  })

  test('all of a user are revoked at once, and the user can sign in again', async () => {
    const [own, other] = [await tokenOf('ray'), await tokenOf('rae')]
    const { status, json } = await ask('POST', '/user-tokens/revoke', { user: 'ray' })
    expect([status, json.user_name]).toEqual([200, 'ray'])
    expect([await statusOf(own), await statusOf(other)]).toEqual([401, 200])
    expect(await listOf('?user=ray')).toEqual([])
    expect(await statusOf(await tokenOf('ray'))).toBe(200)
  })

  test.each([
    ['GET', '/user-tokens?user=nobody', 404, 'identity.identity-missing'],
    ['GET', '/user-tokens?after=x', 400, 'identity.bad-token-id'],
    ['GET', '/user-tokens?limit=1001', 400, 'request.invalid'],
    ['DELETE', '/user-tokens/x', 400, 'identity.bad-token-id'],
    ['DELETE', '/user-tokens/1-x', 404, 'identity.token-missing'],
    ['POST', '/user-tokens/revoke', 404, 'identity.identity-missing'],
  ])('%s %s is %i %s', async (method, path, status, code) => {
    const answer = await ask(method, path, method === 'POST' ? { user: 'nobody' } : undefined)
    expect([answer.status, answer.json.code]).toEqual([status, code])
  })

  test('are for admins only', async () => {
    const token = await tokenOf('ray')
    for (const path of ['/user-tokens', '/user-credentials', '/accounts', '/policy', '/projects'])
      expect([path, (await ask('GET', path, undefined, token)).status]).toEqual([path, 403])
    expect((await ask('POST', '/user-tokens/revoke', { user: 'rae' }, token)).status).toBe(403)
  })
})

test('application credentials of users are listed without their secrets, by user, and page by page', async () => {
  const token = await tokenOf('ray')
  const { id } = (await client.admin('GET', '/users?name=ray')).json.users[0]
  const path = `/identity/v3/users/${id}/application_credentials`
  for (const name of ['ci', 'backup'])
    await client.ask('POST', path, {
      token,
      body: { application_credential: { name, secret: 'a chosen secret', roles: [{ name: 'reader' }] } },
    })
  const { text, json } = await ask('GET', '/user-credentials?user=ray')
  expect(json).toMatchObject({ total: 2, next: null })
  expect(json.credentials[0]).toEqual({
    id: expect.any(String),
    name: 'ci',
    description: null,
    user: id,
    user_name: 'ray',
    project: lab,
    project_name: 'lab',
    roles: ['reader'],
    unrestricted: false,
    created_at: expect.any(String),
    expires_at: null,
  })
  expect(text).not.toMatch(/secret|scrypt/)
  const first = (await ask('GET', '/user-credentials?limit=1')).json
  expect(first.credentials).toEqual(json.credentials.slice(0, 1))
  const second = (await ask('GET', `/user-credentials?limit=1&after=${first.next}`)).json
  expect(second).toEqual({ credentials: json.credentials.slice(1), total: 2, next: null })
  expect((await ask('GET', '/user-credentials?user=rae')).json.credentials).toEqual([])
  expect((await ask('GET', '/user-credentials?user=nobody')).json.code).toBe('identity.identity-missing')
})

test('the accounts of the store are counted', async () => {
  expect((await ask('GET', '/accounts')).json).toMatchObject({
    auth: 'token',
    rbac: 'secure',
    policy_lines: 0,
    users: 3,
    projects: 2,
    roles: 5,
    static_tokens: 0,
    keystone: null,
  })
})

test('the policy says which roles are enough', async () => {
  const { json } = await ask('GET', '/policy')
  expect(json.roles.toSorted()).toEqual(['admin', 'manager', 'member', 'reader', 'service'])
  const rolesOf = (name: string) =>
    json.rules.find(({ operation }: { operation: string }) => operation === name).allowed_roles.toSorted()
  expect(rolesOf('berth:audit')).toEqual(['admin'])
  expect(rolesOf('berth:project')).toEqual(['admin', 'manager', 'member', 'reader'])
  expect(rolesOf('placement:reshaper:reshape')).toEqual(['service'])
})

test('anyone may ask which roles are enough for one operation, and is not shown the rule', async () => {
  const token = await tokenOf('rae')
  expect((await ask('GET', '/policy', undefined, token)).status).toBe(403)
  const { json } = await ask('GET', '/policy/berth:audit', undefined, token)
  expect(json).toEqual({
    operation: 'berth:audit',
    what: 'Read the audit log',
    allowed_roles: ['admin'],
  })
  const missing = await ask('GET', '/policy/no:such', undefined, token)
  expect([missing.status, missing.json.code]).toEqual([404, 'policy.operation-missing'])
})

test('a server without users says so', async () => {
  const berth = await Berth.start({ auth: 'noauth2' })
  try {
    const refused = await berth.ask('GET', '/v1/user-tokens')
    expect([refused.status, refused.json.code]).toEqual([404, 'identity.none-here'])
    expect((await berth.ask('GET', '/v1/accounts')).json).toMatchObject({ auth: 'noauth2', users: 0 })
  } finally {
    await berth.end()
  }
})
