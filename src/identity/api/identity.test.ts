import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IdentityClient } from './identity-client.fixture.ts'

let client: IdentityClient
let reader: { id: string; project: string }
beforeAll(async () => {
  client = await IdentityClient.start()
  reader = await client.addUser('ray', 'reader', 'lab')
})
afterAll(() => client.end())

const domain = { id: 'default' }

describe('discovery', () => {
  test('needs no token and tells the version with its address', async () => {
    const all = await client.ask('GET', '/identity')
    expect(all.status).toBe(300)
    const [version] = all.json.versions.values
    expect(version).toMatchObject({ id: 'v3.14', status: 'stable' })
    expect(version.links[0].href).toBe(`${client.berth.server.url}/identity/v3/`)
    expect((await client.ask('GET', '/identity/v3')).json.version).toEqual(version)
    expect((await client.ask('GET', '/identity/v3/')).status).toBe(200)
  })
})

describe('a password', () => {
  test('gives a token for the default project, with roles, catalog and times', async () => {
    const { status, headers, json } = await client.signIn()
    expect(status).toBe(201)
    expect(headers.get('x-subject-token')).toMatch(/^[\w-]{43}$/)
    expect(headers.get('cache-control')).toBe('no-store')
    const { token } = json
    expect(token).toMatchObject({
      methods: ['password'],
      user: { id: 'admin', name: 'admin', domain: { id: 'default', name: 'Default' } },
      project: { id: 'admin', name: 'admin' },
    })
    expect(token.roles.map(({ name }: { name: string }) => name)).toEqual([
      'admin',
      'manager',
      'member',
      'reader',
    ])
    expect(Date.parse(token.expires_at) - Date.parse(token.issued_at)).toBe(3_600_000)
    expect(token.audit_ids).toHaveLength(1)
    const types = token.catalog.map(({ type }: { type: string }) => type)
    expect(types).toEqual(['placement', 'compute', 'image', 'sharev2', 'share', 'identity'])
    expect(token.catalog[0].endpoints.map((one: { url: string }) => one.url)).toEqual(
      Array(3).fill(`${client.berth.server.url}/placement`),
    )
  })

  test('that token opens every service', async () => {
    const token = await client.tokenOf()
    for (const path of [
      '/placement/resource_providers',
      '/compute/v2.1/flavors',
      '/image/v2/metadefs/namespaces',
    ])
      expect((await client.ask('GET', path, { token })).status, path).toBe(200)
    expect((await client.ask('GET', '/v1/fleet', { token })).status).toBe(200)
  })

  test.each<[string, unknown, object]>([
    ['a project by name', { project: { name: 'admin', domain } }, { project: { id: 'admin' } }],
    ['a project by id', { project: { id: 'admin' } }, { project: { name: 'admin' } }],
  ])('is good for %s', async (_, scope, wanted) => {
    expect((await client.signIn({ scope })).json.token).toMatchObject(wanted)
  })

  test('is good for no project at all, without roles and catalog', async () => {
    for (const scope of ['unscoped', { unscoped: {} }]) {
      const { json } = await client.signIn({ scope })
      for (const missing of ['project', 'roles', 'catalog']) expect(json.token[missing]).toBeUndefined()
    }
  })

  test.each<[string, Parameters<IdentityClient['signIn']>[0]]>([
    ['a wrong password', { password: 'wrong' }],
    ['an empty one', { password: '' }],
    ['an unknown user', { user: 'nobody', password: 'x' }],
    ['a project that is none', { scope: { project: { id: 'nowhere' } } }],
    [
      'a project where the user has no role',
      { user: 'ray', password: 'rayrayray', scope: { project: { id: 'admin' } } },
    ],
    ['the whole system', { scope: { system: { all: true } } }],
    ['a domain', { scope: { domain: { id: 'default' } } }],
  ])('%s is 401, with one sentence for all', async (_, given) => {
    const { status, json } = await client.signIn(given)
    expect(status).toBe(401)
    expect(json.error).toEqual({
      code: 401,
      message: 'The request you have made requires authentication.',
      title: 'Unauthorized',
    })
  })

  test.each<[string, unknown]>([
    ['no auth', {}],
    ['no methods', { auth: { identity: {} } }],
    ['a method without its proof', { auth: { identity: { methods: ['password'] } } }],
    [
      'a user without a domain',
      {
        auth: { identity: { methods: ['password'], password: { user: { name: 'a', password: 'sesame' } } } },
      },
    ],
    [
      'a password that is no text',
      {
        auth: {
          identity: { methods: ['password'], password: { user: { id: 'a', password: { sesame: 1 } } } },
        },
      },
    ],
    ['no JSON', '{"auth": "sesame'],
  ])('%s is 400, and no word of the body comes back', async (_, body) => {
    const { status, text } = await client.ask('POST', '/identity/v3/auth/tokens', { body })
    expect(status).toBe(400)
    expect(text).not.toContain('sesame')
  })

  test('a method that is not there is 401, also two at once', async () => {
    for (const methods of [['totp'], ['password', 'totp'], [], ['toString']])
      expect((await client.auth({ methods })).status).toBe(401)
  })
})

describe('a token', () => {
  test('can be shown, asked about and revoked; then it is good for nothing', async () => {
    const token = await client.tokenOf()
    const about = { token, headers: { 'x-subject-token': token } }
    const shown = await client.ask('GET', '/identity/v3/auth/tokens', about)
    expect(shown.json.token).toMatchObject({ user: { name: 'admin' }, methods: ['password'] })
    expect((await client.ask('HEAD', '/identity/v3/auth/tokens', about)).status).toBe(200)
    expect((await client.ask('DELETE', '/identity/v3/auth/tokens', about)).status).toBe(204)
    expect((await client.ask('GET', '/placement/resource_providers', { token })).status).toBe(401)
    expect((await client.ask('GET', '/identity/v3/auth/tokens', about)).status).toBe(401)
    const other = { ...about, token: client.adminToken }
    expect((await client.ask('GET', '/identity/v3/auth/tokens', other)).status).toBe(404)
  })

  test('makes another for another project, which ends with it and no later', async () => {
    const { headers, json } = await client.signIn({ scope: 'unscoped' })
    const first = headers.get('x-subject-token') as string
    const second = await client.auth(
      { methods: ['token'], token: { id: first } },
      { project: { id: 'admin' } },
    )
    expect(second.json.token).toMatchObject({
      methods: ['token', 'password'],
      project: { id: 'admin' },
      expires_at: json.token.expires_at,
      audit_ids: [expect.any(String), json.token.audit_ids[0]],
    })
    const token = second.headers.get('x-subject-token') as string
    expect((await client.ask('GET', '/placement/resource_providers', { token })).status).toBe(200)
    await client.ask('DELETE', '/identity/v3/auth/tokens', {
      token: first,
      headers: { 'x-subject-token': first },
    })
    expect((await client.ask('GET', '/placement/resource_providers', { token })).status).toBe(401)
  })

  test('the admin token makes one too, a wrong one does not', async () => {
    const made = await client.auth({ methods: ['token'], token: { id: client.adminToken } })
    expect(made.json.token).toMatchObject({ user: { id: 'admin' }, project: { id: 'admin' } })
    expect((await client.auth({ methods: ['token'], token: { id: 'x'.repeat(43) } })).status).toBe(401)
  })

  test('of the admin is shown like one of a user', async () => {
    const shown = await client.ask('GET', '/identity/v3/auth/tokens', {
      token: client.adminToken,
      headers: { 'x-subject-token': client.adminToken },
    })
    expect(shown.json.token).toMatchObject({ methods: ['token'], user: { id: 'admin' }, audit_ids: [] })
  })

  test('of others is no business of a reader', async () => {
    const token = await client.tokenOf({ user: 'ray', password: 'rayrayray' })
    const theirs = await client.tokenOf()
    const about = (subject: string) => ({ token, headers: { 'x-subject-token': subject } })
    expect((await client.ask('GET', '/identity/v3/auth/tokens', about(theirs))).status).toBe(403)
    expect((await client.ask('DELETE', '/identity/v3/auth/tokens', about(theirs))).status).toBe(403)
    expect((await client.ask('GET', '/identity/v3/auth/tokens', about(token))).status).toBe(200)
  })

  test('is worth what its user is worth now: roles, the project, the user', async () => {
    const { id, project } = await client.addUser('tmp', 'admin', 'tmp-project')
    const token = await client.tokenOf({ user: 'tmp', password: 'tmptmptmp' })
    const status = async () => (await client.ask('GET', '/placement/resource_providers', { token })).status
    expect(await status()).toBe(200)
    await client.admin('PATCH', `/projects/${project}`, { project: { enabled: false } })
    expect(await status()).toBe(401)
    await client.admin('PATCH', `/projects/${project}`, { project: { enabled: true } })
    expect(await status()).toBe(200)
    const { json } = await client.admin('GET', `/roles?name=admin`)
    await client.admin('DELETE', `/projects/${project}/users/${id}/roles/${json.roles[0].id}`)
    expect(await status()).toBe(401)
    await client.admin('PUT', `/projects/${project}/users/${id}/roles/${json.roles[0].id}`)
    expect(await status()).toBe(200)
    await client.admin('PATCH', `/users/${id}`, { user: { enabled: false } })
    expect(await status()).toBe(401)
    await client.admin('PATCH', `/users/${id}`, { user: { enabled: true } })
    expect(await status()).toBe(401)
    expect((await client.admin('DELETE', `/users/${id}`)).status).toBe(204)
    expect((await client.signIn({ user: 'tmp', password: 'tmptmptmp' })).status).toBe(401)
  })

  test('ends when the password is changed, by the user or by the admin', async () => {
    const { id } = await client.addUser('pia', 'reader', 'lab')
    const token = await client.tokenOf({ user: 'pia', password: 'piapiapia' })
    const change = (original_password: string, password: string) =>
      client.ask('POST', `/identity/v3/users/${id}/password`, {
        token,
        body: { user: { original_password, password } },
      })
    expect((await change('wrong', 'new')).status).toBe(401)
    expect((await change('piapiapia', 'next-password')).status).toBe(204)
    expect((await client.ask('GET', '/identity/v3/auth/projects', { token })).status).toBe(401)
    expect((await client.signIn({ user: 'pia', password: 'piapiapia' })).status).toBe(401)
    expect((await client.signIn({ user: 'pia', password: 'next-password' })).status).toBe(201)
  })
})

describe('users, projects and roles', () => {
  test('a reader sees themselves and their project, and no list of others', async () => {
    const token = await client.tokenOf({ user: 'ray', password: 'rayrayray' })
    const get = async (path: string) => (await client.ask('GET', `/identity/v3${path}`, { token })).status
    expect(await get(`/users/${reader.id}`)).toBe(200)
    expect(await get(`/projects/${reader.project}`)).toBe(200)
    expect(await get('/auth/projects')).toBe(200)
    expect(await get('/auth/catalog')).toBe(200)
    for (const path of ['/users', '/users/admin', '/projects', '/projects/admin', '/role_assignments'])
      expect(await get(path), path).toBe(403)
    const make = await client.ask('POST', '/identity/v3/users', { token, body: { user: { name: 'x' } } })
    expect(make.status).toBe(403)
    expect(make.json.error.message).toBe(
      'You are not authorized to perform the requested action: identity:create_user.',
    )
  })

  test('each can be read by itself, and what a user has by the user', async () => {
    const get = async (path: string) => (await client.admin('GET', path)).json
    const [role] = (await get('/roles?name=reader')).roles
    expect((await get(`/roles/${role.id}`)).role).toEqual(role)
    expect((await get('/domains/default')).domain).toEqual((await get('/domains')).domains[0])
    const held = await get(`/projects/${reader.project}/users/${reader.id}/roles`)
    expect(held.roles).toEqual([role])
    const { projects } = await get(`/users/${reader.id}/projects`)
    expect(projects).toEqual([(await get(`/projects/${reader.project}`)).project])
  })

  test('a user is shown with what was said about them, and without what was not', async () => {
    const said = { description: 'Counts boxes.', email: 'uma@example.org', default_project_id: 'admin' }
    const full = await client.admin('POST', '/users', { user: { name: 'uma', ...said } })
    expect(full.json.user).toMatchObject(said)
    const bare = await client.admin('POST', '/users', { user: { name: 'una' } })
    for (const field of Object.keys(said)) expect(bare.json.user).not.toHaveProperty(field)
  })

  test('a password and its hash are in no answer', async () => {
    const { json } = await client.admin('GET', '/users')
    expect(JSON.stringify(json)).not.toMatch(/scrypt|password_hash/)
  })

  test('what is missing, taken or malformed says so in the words of Keystone', async () => {
    expect((await client.admin('GET', '/users/nobody')).json.error).toEqual({
      code: 404,
      message: 'Could not find user: nobody.',
      title: 'Not Found',
    })
    expect((await client.admin('POST', '/users', { user: { name: 'admin' } })).status).toBe(409)
    expect((await client.admin('POST', '/users', { user: {} })).status).toBe(400)
    expect((await client.admin('POST', '/projects', { project: { name: 'admin' } })).status).toBe(409)
    expect(
      (await client.admin('POST', '/projects', { project: { name: 'x', domain_id: 'other' } })).status,
    ).toBe(400)
    expect((await client.admin('DELETE', '/projects/nowhere')).status).toBe(404)
    expect((await client.admin('PUT', '/projects/admin/users/nobody/roles/x')).status).toBe(404)
    expect((await client.admin('GET', '/domains/other')).status).toBe(404)
    expect((await client.admin('GET', '/nothing')).json.error.code).toBe(404)
  })

  test('roles can be created for a custom policy, and not deleted while they are assigned', async () => {
    const made = await client.admin('POST', '/roles', { role: { name: 'Mover' } })
    expect(made.json.role.name).toBe('mover')
    const path = `/projects/admin/users/admin/roles/${made.json.role.id}`
    expect((await client.admin('PUT', path)).status).toBe(204)
    expect((await client.admin('HEAD', path)).status).toBe(204)
    expect((await client.admin('DELETE', `/roles/${made.json.role.id}`)).status).toBe(409)
    const { json } = await client.admin('GET', '/role_assignments?user.id=admin&include_names')
    expect(json.role_assignments.map((one: { role: { name: string } }) => one.role.name)).toContain('mover')
    expect((await client.admin('DELETE', path)).status).toBe(204)
    expect((await client.admin('DELETE', path)).status).toBe(404)
    expect((await client.admin('DELETE', `/roles/${made.json.role.id}`)).status).toBe(204)
  })
})

describe('an application credential', () => {
  const make = async (token: string, user: string, fields: object) =>
    client.ask('POST', `/identity/v3/users/${user}/application_credentials`, {
      token,
      body: { application_credential: fields },
    })
  const use = (id: string, secret: string, scope?: unknown) =>
    client.auth({ methods: ['application_credential'], application_credential: { id, secret } }, scope)

  test('signs in as its user with the roles it was given, and is shown its secret once', async () => {
    const token = await client.tokenOf()
    const { status, json } = await make(token, 'admin', { name: 'ci', roles: [{ name: 'reader' }] })
    expect(status).toBe(201)
    const { id, secret } = json.application_credential
    const signed = await use(id, secret)
    expect(signed.json.token).toMatchObject({
      methods: ['application_credential'],
      roles: [{ name: 'reader' }],
      project: { id: 'admin' },
      application_credential: { id, name: 'ci', restricted: true },
    })
    const theirs = signed.headers.get('x-subject-token') as string
    expect((await client.ask('GET', '/placement/resource_providers', { token: theirs })).status).toBe(403)
    expect(
      (
        await client.ask('GET', '/placement/usages?project_id=admin', {
          token: theirs,
          headers: { 'openstack-api-version': 'placement 1.39' },
        })
      ).status,
    ).toBe(200)
    const list = await client.ask('GET', '/identity/v3/users/admin/application_credentials', { token })
    expect(list.json.application_credentials[0].secret).toBeUndefined()
    const alone = await client.ask('GET', `/identity/v3/users/admin/application_credentials/${id}`, { token })
    expect(list.json.application_credentials).toContainEqual(alone.json.application_credential)
    expect((await make(theirs, 'admin', { name: 'more' })).status).toBe(403)
    const wider = await client.auth(
      { methods: ['token'], token: { id: theirs } },
      { project: { id: reader.project } },
    )
    expect(wider.status).toBe(401)
    expect(
      (await client.ask('DELETE', `/identity/v3/users/admin/application_credentials/${id}`, { token }))
        .status,
    ).toBe(204)
    expect((await client.ask('GET', '/identity/v3/auth/catalog', { token: theirs })).status).toBe(401)
    expect((await use(id, secret)).status).toBe(401)
  })

  test('by name and user, with a secret of one’s own; a wrong one is 401', async () => {
    const token = await client.tokenOf()
    await make(token, 'admin', { name: 'named', secret: 'of-my-own' })
    const named = (secret: string) =>
      client.auth({
        methods: ['application_credential'],
        application_credential: { name: 'named', user: { name: 'admin', domain }, secret },
      })
    expect((await named('of-my-own')).status).toBe(201)
    expect((await named('of-yours')).status).toBe(401)
  })

  test('is made by oneself only, for roles that one has, that are not past', async () => {
    const token = await client.tokenOf({ user: 'ray', password: 'rayrayray' })
    expect((await make(token, 'admin', { name: 'x' })).status).toBe(403)
    expect((await make(client.adminToken, reader.id, { name: 'x' })).status).toBe(403)
    expect((await make(token, reader.id, { name: 'x', roles: [{ name: 'admin' }] })).status).toBe(400)
    expect((await make(token, reader.id, { name: 'x', roles: [{ name: 'pony' }] })).status).toBe(404)
    expect((await make(token, reader.id, { name: 'x', expires_at: '2001-01-01T00:00:00' })).status).toBe(400)
    expect((await make(token, reader.id, { name: 'x', expires_at: 'soon' })).status).toBe(400)
    const unscoped = await client.tokenOf({ user: 'ray', password: 'rayrayray', scope: 'unscoped' })
    expect((await make(unscoped, reader.id, { name: 'x' })).status).toBe(400)
    expect(
      (await make(token, reader.id, { name: 'x', expires_at: '2999-01-01T00:00:00.000000' })).status,
    ).toBe(201)
    expect((await make(token, reader.id, { name: 'x' })).status).toBe(409)
  })
})

test('there are no groups; admins may list all, every user their own', async () => {
  const [admin, ray] = [await client.tokenOf(), await client.tokenOf({ user: 'ray', password: 'rayrayray' })]
  const groups = async (path: string, token: string) => {
    const { status, json } = await client.ask('GET', `/identity/v3${path}`, { token })
    return status === 200 ? json.groups : status
  }
  expect(await groups('/groups', admin)).toEqual([])
  expect(await groups('/groups', ray)).toBe(403)
  expect(await groups(`/users/${reader.id}/groups`, ray)).toEqual([])
  expect(await groups('/users/admin/groups', ray)).toBe(403)
  expect(await groups('/users/nobody/groups', admin)).toBe(404)
})
