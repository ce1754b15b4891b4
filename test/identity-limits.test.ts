/** What one caller may use up, and what a caller that stands for less than a user may make, against a whole server. */
import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { IdentityClient } from '../src/identity/api/identity-client.fixture.ts'
import { identityRoutes } from '../src/identity/api/service.ts'
import { CREDENTIALS_PER_USER_MAX } from '../src/identity/rules/credentials.ts'

let client: IdentityClient
let role: string
/** Of the admin as a user; passwords are slow, so one is enough. */
let admin: string
let tim: { id: string; project: string; token: string }
beforeAll(async () => {
  client = await IdentityClient.start({ rate_limit_per_second: 5 })
  role = (await client.admin('GET', '/roles?name=manager')).json.roles[0].id
  const made = await client.auth({ methods: ['token'], token: { id: client.adminToken } })
  admin = made.headers.get('x-subject-token') as string
  const user = await client.addUser('tim', 'reader', 'lab')
  tim = { ...user, token: await client.tokenOf({ user: 'tim', password: 'timtimtim' }) }
})
afterAll(() => client.end())

/** Limits fill up again with time: here none passes, however slow the machine is. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

const credentialsOf = (user: string) => `/identity/v3/users/${user}/application_credentials`

async function makeCredential(token: string, user: string, fields: object) {
  const body = { application_credential: fields }
  const made = await client.ask('POST', credentialsOf(user), { token, body })
  expect(made.status, made.text).toBe(201)
  return made.json.application_credential as { id: string; secret: string; expires_at: string | null }
}

async function tokenBy({ id, secret }: { id: string; secret: string }): Promise<string> {
  const { status, headers } = await client.auth({
    methods: ['application_credential'],
    application_credential: { id, secret },
  })
  expect(status).toBe(201)
  return headers.get('x-subject-token') as string
}

const staticToken = (name: string, fields: object = {}) => ({
  name,
  token_sha256: hash('sha256', name, 'hex'),
  roles: ['admin'],
  ...fields,
})

describe('what is made by a caller that stands for less than a user', () => {
  const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString()
  let restricted: string
  let ending: string
  let unrestricted: string
  let machine: string

  beforeAll(async () => {
    restricted = await tokenBy(await makeCredential(admin, 'admin', { name: 'restricted' }))
    const fields = { name: 'ending', unrestricted: true, expires_at: IN_AN_HOUR }
    ending = await tokenBy(await makeCredential(admin, 'admin', fields))
    unrestricted = await tokenBy(
      await makeCredential(admin, 'admin', { name: 'unrestricted', unrestricted: true }),
    )
    machine = 'a-machine-that-ends-in-an-hour'
    const body = {
      ...staticToken('machine', { expires_in_s: 3_600 }),
      token_sha256: hash('sha256', machine, 'hex'),
    }
    expect((await client.ask('POST', '/v1/tokens', { token: client.adminToken, body })).status).toBe(201)
  })

  /** What lets somebody in without an end, by the route that makes it. */
  const LASTING: Readonly<Record<string, (nth: number) => [path: string, body?: unknown]>> = {
    'POST /v3/users': nth => ['/v3/users', { user: { name: `made-${nth}`, password: 'sesame-sesame' } }],
    'PATCH /v3/users/{user_id}': () => [`/v3/users/${tim.id}`, { user: { description: 'changed' } }],
    'POST /v3/users/{user_id}/password': () => [
      '/v3/users/admin/password',
      { user: { original_password: client.adminPassword, password: client.adminPassword } },
    ],
    'PUT /v3/projects/{project_id}/users/{user_id}/roles/{role_id}': () => [
      `/v3/projects/${tim.project}/users/${tim.id}/roles/${role}`,
    ],
  }
  /** Ends with whoever makes it. */
  const BOUNDED = ['POST /v3/users/{user_id}/application_credentials']
  /** Restricted callers may not remove them either. */
  const MANAGED = ['DELETE /v3/users/{user_id}/application_credentials/{credential_id}']
  /** Lets nobody in. */
  const HARMLESS = [
    'POST /v3/auth/tokens',
    'DELETE /v3/auth/tokens',
    'DELETE /v3/users/{user_id}',
    'POST /v3/projects',
    'PATCH /v3/projects/{project_id}',
    'DELETE /v3/projects/{project_id}',
    'POST /v3/roles',
    'DELETE /v3/roles/{role_id}',
    'DELETE /v3/projects/{project_id}/users/{user_id}/roles/{role_id}',
  ]

  test('every write of the identity API is judged here', () => {
    const nothing = { sequencer: {}, world: {} } as unknown as Parameters<typeof identityRoutes>[0]
    const writes = identityRoutes(nothing)
      .filter(({ method }) => method !== 'GET' && method !== 'HEAD')
      .map(({ method, path }) => `${method} ${path}`)
    expect(writes.sort()).toEqual([...Object.keys(LASTING), ...BOUNDED, ...MANAGED, ...HARMLESS].sort())
  })

  test.each(Object.keys(LASTING))('%s is not for what is restricted or ends', async route => {
    const [method = ''] = route.split(' ', 1)
    for (const [nth, token] of [restricted, ending, machine].entries()) {
      const [path, body] = (LASTING[route] as (nth: number) => [string, unknown?])(nth)
      const answer = await client.ask(method, `/identity${path}`, { token, body })
      expect(answer.status, `${nth} ${answer.text}`).toBe(403)
      // That of a machine has no password at all.
      if (!(token === machine && path.endsWith('/password')))
        expect(answer.json.error.message).toMatch(/^This token cannot .*(restricted|expires)/)
    }
    if (route.startsWith('POST')) return
    const [path, body] = (LASTING[route] as (nth: number) => [string, unknown?])(9)
    const answer = await client.ask(method, `/identity${path}`, { token: unrestricted, body })
    expect([200, 201, 204], answer.text).toContain(answer.status)
  })

  test('a restricted credential manages neither credentials nor static tokens', async () => {
    const own = await makeCredential(admin, 'admin', { name: 'victim' })
    const attempts: [string, string, unknown?][] = [
      ['POST', credentialsOf('admin'), { application_credential: { name: 'more' } }],
      ['DELETE', `${credentialsOf('admin')}/${own.id}`],
      ['POST', '/v1/tokens', staticToken('more')],
      ['DELETE', '/v1/tokens/machine'],
    ]
    for (const [method, path, body] of attempts) {
      const answer = await client.ask(method, path, { token: restricted, body })
      expect(answer.status, `${method} ${path} ${answer.text}`).toBe(403)
      expect(answer.text).toContain('restricted')
    }
  })

  test('what ends makes nothing that ends later, with no role that it lacks', async () => {
    const { expires_at } = await makeCredential(ending, 'admin', { name: 'child', unrestricted: true })
    expect(Date.parse(`${expires_at}Z`)).toBeLessThanOrEqual(Date.parse(IN_AN_HOUR))
    for (const [nth, token] of [ending, machine].entries()) {
      const wanted = [staticToken(`s${nth}`), staticToken(`l${nth}`, { expires_in_s: 90 * 86_400 })]
      for (const body of wanted) {
        const made = await client.ask('POST', '/v1/tokens', { token, body })
        expect(made.status, made.text).toBe(201)
        expect(Date.parse(made.json.expires_at)).toBeLessThanOrEqual(Date.now() + 3_600_000)
      }
      const body = staticToken(`x${nth}`, { roles: ['service'] })
      expect((await client.ask('POST', '/v1/tokens', { token, body })).status).toBe(403)
    }
  })

  test('a token made from a token ends with it, and with the credential behind both', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString()
    const credential = await makeCredential(admin, 'admin', {
      name: 'soon',
      expires_at: soon,
    })
    const again = await client.auth({ methods: ['token'], token: { id: await tokenBy(credential) } })
    expect(again.status).toBe(201)
    expect(Date.parse(again.json.token.expires_at)).toBeLessThanOrEqual(Date.parse(soon))
    const body = staticToken('from-soon')
    const token = again.headers.get('x-subject-token') as string
    expect((await client.ask('POST', '/v1/tokens', { token, body })).status).toBe(403)
  })
})

describe('what one user may use up', () => {
  test('application credentials have a limit, in the words of Keystone, and no slow hash of what is random', async () => {
    const user = 'admin'
    const list = await client.ask('GET', credentialsOf(user), { token: admin })
    const free = CREDENTIALS_PER_USER_MAX - list.json.application_credentials.length
    const made = await Promise.all(
      Array.from({ length: free + 2 }, (_, nth) =>
        client.ask('POST', credentialsOf(user), {
          token: admin,
          body: { application_credential: { name: `c${nth}` } },
        }),
      ),
    )
    expect(made.filter(one => one.status === 201)).toHaveLength(free)
    const refused = made.filter(one => one.status !== 201)
    expect(refused.map(one => [one.status, one.json.error.message])).toEqual(
      Array(2).fill([
        403,
        'Unable to create additional application credentials, maximum of 100 already exceeded for user.',
      ]),
    )
  })

  test('tokens are issued at a limited rate for every method, and other users do not wait', async () => {
    stopClock()
    const identity = { methods: ['token'], token: { id: tim.token } }
    const all = await Promise.all(Array.from({ length: 260 }, () => client.auth(identity)))
    const given = all.filter(one => one.status === 201)
    expect(given.length).toBeGreaterThanOrEqual(199)
    expect(given.length).toBeLessThan(240)
    const refused = all.find(one => one.status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused?.json.error.message).toContain('Too many tokens were issued to this user.')
    expect((await client.auth({ methods: ['token'], token: { id: client.adminToken } })).status).toBe(201)

    // And all of them together send as many requests as one.
    const sent = await Promise.all(
      given
        .slice(0, 60)
        .map(one =>
          client.ask('GET', '/compute/v2.1/flavors', { token: one.headers.get('x-subject-token') as string }),
        ),
    )
    expect(sent.filter(one => one.status === 200).length).toBeLessThan(30)
    expect(sent.filter(one => one.status === 429).length).toBeGreaterThan(20)
  })
})

describe('a password of more than 1,024 bytes', () => {
  const long = '\u20ac'.repeat(1_000)
  const refusedFor = (field: string) => `Invalid input for ${field}: it has more than 1024 bytes.`

  test('is refused wherever one is set', async () => {
    const user = { name: 'long', password: long }
    const attempts: [string, string, unknown, string][] = [
      ['POST', '/identity/v3/users', { user }, 'password'],
      ['PATCH', `/identity/v3/users/${tim.id}`, { user: { password: long } }, 'password'],
      [
        'POST',
        '/identity/v3/users/admin/password',
        { user: { original_password: client.adminPassword, password: long } },
        'password',
      ],
      ['POST', credentialsOf('admin'), { application_credential: { name: 'l', secret: long } }, 'secret'],
    ]
    for (const [method, path, body, field] of attempts) {
      const answer = await client.ask(method, path, { token: admin, body })
      expect([answer.status, answer.json?.error.message], path).toEqual([400, refusedFor(field)])
    }
    expect((await client.admin('GET', '/users?name=long')).json.users).toEqual([])
  })
})

describe('a proxy that is not trusted', () => {
  test('is logged once, and strangers behind it lock no user out', async () => {
    stopClock()
    const by = (user: string, password: string, claimed: string) =>
      client.ask('POST', '/identity/v3/auth/tokens', {
        headers: { 'x-forwarded-for': `1.2.3.4, ${claimed}` },
        body: {
          auth: {
            identity: {
              methods: ['password'],
              password: { user: { name: user, domain: { id: 'default' }, password } },
            },
          },
        },
      })
    const guesses = Array.from({ length: 5 }, () => by('admin', 'wrong', '10.6.6.6'))
    expect(new Set((await Promise.all(guesses)).map(one => one.status))).toEqual(new Set([401]))
    expect((await by('admin', client.adminPassword, '10.6.6.6')).status).toBe(429)
    expect((await by('admin', client.adminPassword, '10.1.0.1')).status).toBe(201)
    for (const claimed of ['10.1.0.1', '10.1.0.2'])
      await client.ask('GET', '/v1/whoami', { headers: { 'x-forwarded-for': claimed } })
    const lines = client.berth.logLines.filter(line => line.includes('a proxy is not trusted'))
    expect(lines).toHaveLength(1)
  })
})
