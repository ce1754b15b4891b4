/** The commands about users, tokens, the policy and the audit log, against a real server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IdentityClient } from '../../../identity/api/identity-client.fixture.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { run } from '../run.fixture.ts'

let client: IdentityClient
let directory: string
beforeAll(async () => {
  client = await IdentityClient.start()
  directory = await mkdtemp(join(tmpdir(), 'berth-identity-'))
})
afterAll(async () => {
  await client.end()
  await rm(directory, { recursive: true })
})

const env = () => ({
  BERTH_DATA_DIR: client.berth.directory,
  BERTH_PORT: new URL(client.berth.server.url).port,
})
const at = (...args: string[]) => run(args, { env: env() })
const as = (token: string, ...args: string[]) =>
  run([...args, '--url', client.berth.server.url, '--token', token])

describe('user, project, role', () => {
  test('are made, listed, changed and deleted', async () => {
    expect((await at('project', 'create', 'lab', '--description', 'trying')).out).toContain('trying')
    const made = await at('user', 'create', 'ray', '--project', 'lab', '--role', 'member')
    const password = /password +(\S+) \(not shown again\)/.exec(made.out)?.[1] as string
    expect((await client.signIn({ user: 'ray', password })).json.token.roles).toMatchObject([
      { name: 'member' },
      { name: 'reader' },
    ])
    expect((await at('user', 'list')).out).toMatch(/ray +yes +lab/)
    expect((await at('role', 'list')).out).toMatch(/member +ray +lab/)
    expect((await at('role', 'add', 'reader', '--user', 'ray', '--project', 'admin')).out).toBe(
      'ray is now reader in admin\n',
    )
    expect((await at('role', 'remove', 'reader', '--user', 'ray', '--project', 'admin')).out).toBe(
      'ray is no longer reader in admin\n',
    )
    const renewed = await at('user', 'set', 'ray', '--new-password', '--json')
    expect((await client.signIn({ user: 'ray', password })).status).toBe(401)
    expect((await client.signIn({ user: 'ray', password: renewed.json.password })).status).toBe(201)
    const file = join(directory, 'password')
    await writeFile(file, 'from a file\n')
    expect((await at('user', 'set', 'ray', '--password-file', file)).out).not.toContain('password')
    expect((await client.signIn({ user: 'ray', password: 'from a file' })).status).toBe(201)
    expect((await at('user', 'set', 'ray', '--disable', '--name', 'roy')).out).toMatch(/enabled +no/)
    expect((await at('project', 'set', 'lab', '--disable', '--json')).json).toMatchObject({ enabled: false })
    expect((await at('project', 'list')).out).toMatch(/lab +no +trying/)
    expect((await at('user', 'delete', 'roy')).out).toMatch(/^deleted roy /)
    expect((await at('project', 'delete', 'lab')).out).toMatch(/^deleted lab /)
    expect((await at('role', 'create', 'mover')).out).toMatch(/^created mover /)
    expect((await at('role', 'delete', 'mover')).out).toMatch(/^deleted mover /)
  })

  test.each<[number, string[]]>([
    [exitCodes.missing, ['user', 'set', 'nobody', '--disable']],
    [exitCodes.missing, ['role', 'add', 'pony', '--user', 'admin', '--project', 'admin']],
    [exitCodes.missing, ['project', 'delete', 'nowhere']],
    [exitCodes.conflict, ['user', 'create', 'admin']],
    [exitCodes.conflict, ['project', 'create', 'admin']],
    [exitCodes.conflict, ['role', 'delete', 'admin']],
    [exitCodes.usage, ['user', 'create', 'x', '--role', 'member']],
    [exitCodes.usage, ['user', 'set', 'admin']],
    [exitCodes.usage, ['user', 'set', 'admin', '--enable', '--disable']],
    [exitCodes.usage, ['user', 'set', 'admin', '--new-password', '--password-file', 'x']],
    [exitCodes.usage, ['project', 'set', 'admin']],
    [exitCodes.usage, ['token', 'create', 'x']],
    [exitCodes.usage, ['token', 'create', 'x', '--role', 'reader', '--expires', 'soon']],
    [exitCodes.missing, ['token', 'revoke', 'nothing']],
    [exitCodes.missing, ['token', 'revoke', '1-nothing']],
    [exitCodes.missing, ['token', 'revoke', '--user', 'nobody']],
    [exitCodes.usage, ['token', 'revoke']],
    [exitCodes.usage, ['token', 'revoke', 'x', '--user', 'admin']],
    [exitCodes.missing, ['token', 'list', '--user', 'nobody']],
    [exitCodes.missing, ['user', 'show', 'nobody']],
    [exitCodes.missing, ['project', 'show', 'nowhere']],
    [exitCodes.missing, ['credential', 'revoke', 'nothing']],
    [exitCodes.missing, ['credential', 'list', '--user', 'nobody']],
    [exitCodes.missing, ['token', 'create', 'x', '--role', 'raeder']],
    [exitCodes.missing, ['token', 'create', 'x', '--role', 'reader', '--project', 'nope']],
    [exitCodes.usage, ['audit', '--limit', '0']],
  ])('ends with %s: %j', async (exitCode, args) => {
    expect(await at(...args)).toMatchObject({ exitCode, out: '' })
  })
})

describe('token', () => {
  test('is shown once, works, is listed without itself, and works no more once revoked', async () => {
    const made = await at(
      'token',
      'create',
      'ci',
      '--role',
      'reader',
      '--project',
      'admin',
      '--expires',
      '90d',
    )
    const token = made.out.trim()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(made.err).toBe('berth: the token is not shown again\n')
    expect((await as(token, 'catalog', 'list')).exitCode).toBe(0)
    expect((await as(token, 'provider', 'list')).exitCode).toBe(exitCodes.forbidden)
    const listed = await at('token', 'list')
    expect(listed.out).toMatch(/ci +reader +admin/)
    expect(listed.out).not.toContain(token)
    expect((await at('token', 'create', 'ci', '--role', 'reader')).exitCode).toBe(exitCodes.conflict)
    const [row] = (await at('token', 'list', '--json')).json
    const projects = (await at('project', 'list', '--json')).json as { id: string; name: string }[]
    expect(projects.find(({ id }) => id === row.project)?.name).toBe('admin')
    expect((await at('token', 'revoke', 'ci')).out).toMatch(/^revoked ci /)
    expect((await as(token, 'catalog', 'list')).exitCode).toBe(exitCodes.forbidden)
    expect((await at('token', 'list')).err).toBe('berth: no token\n')
  })
})

describe('tokens and application credentials of users', () => {
  const signIn = async () =>
    (await client.signIn({ scope: { project: { name: 'admin', domain: { id: 'default' } } } })).headers.get(
      'x-subject-token',
    ) as string
  const isGood = async (token: string) => (await as(token, 'catalog', 'list')).exitCode === 0

  test('tokens are listed by user, and one or all are revoked', async () => {
    const token = await signIn()
    const listed = await at('token', 'list', '--users')
    expect(listed.out).toMatch(/^USER +PROJECT.*\nadmin +admin +admin,manager/)
    expect(listed.out).not.toContain(token)
    const [newest] = (await at('token', 'list', '--user', 'admin', '--json')).json
    expect((await at('token', 'revoke', newest.id)).out).toBe(`revoked ${newest.id}\n`)
    expect(await isGood(token)).toBe(false)
    const next = await signIn()
    expect((await at('token', 'revoke', '--user', 'admin')).out).toMatch(/^revoked all tokens of admin /)
    expect(await isGood(next)).toBe(false)
    expect((await at('token', 'list', '--users')).err).toBe('berth: no token is valid\n')
  })

  test('application credentials are listed and revoked; whose, if two have the name', async () => {
    const { id } = await client.addUser('kim', 'member', 'shop')
    const token = await client.tokenOf({
      user: 'kim',
      password: 'kimkimkim',
      scope: { project: { name: 'shop', domain: { id: 'default' } } },
    })
    const admin = await client.admin('GET', '/users?name=admin')
    for (const [user, by] of [
      [id, token],
      [admin.json.users[0].id, await signIn()],
    ] as const)
      await client.ask('POST', `/identity/v3/users/${user}/application_credentials`, {
        token: by,
        body: { application_credential: { name: 'ci' } },
      })
    expect((await at('credential', 'list', '--user', 'kim')).out).toMatch(/ci +kim +shop +member.* yes /)
    const shown = await at('user', 'show', 'kim')
    expect(shown.out).toMatch(/Roles: *\n.*\nmember +shop\n/)
    expect(shown.out).toMatch(/Tokens: *\n.*\nshop /)
    expect(shown.out).toMatch(/Application credentials: *\n.*\nci +kim/)
    expect(shown.out).toContain('identity:create-credential')
    expect((await at('credential', 'revoke', 'ci')).err).toContain('give --user, one of ')
    expect((await at('credential', 'revoke', 'ci', '--user', 'kim')).out).toMatch(/^revoked ci of kim /)
    expect((await at('credential', 'list', '--user', 'kim')).err).toBe('berth: no application credential\n')
  })

  test('users are listed with roles, and how many tokens and credentials each has', async () => {
    const { out } = await at('user', 'list', '--roles')
    expect(out).toMatch(/admin +yes +admin in admin +\d+ +\d+/)
    const { json } = await at('user', 'list', '--roles', '--json')
    const credentials = (await at('credential', 'list', '--user', 'admin', '--json')).json
    expect(json.find((one: { user: { name: string } }) => one.user.name === 'admin')).toMatchObject({
      roles: [{ project: 'admin', role: 'admin' }],
      credentials: credentials.length,
    })
  })

  test('a project is shown with members and usage, and all projects with theirs', async () => {
    const shown = await at('project', 'show', 'shop')
    expect(shown.out).toMatch(/name +shop\n/)
    expect(shown.out).toMatch(/gigabytes +0 +1000\n/)
    expect(shown.out).toMatch(/kim +member\n/)
    expect(shown.out).toContain('Servers: none')
    expect((await at('project', 'list', '--usage')).out).toMatch(/shop +0 +0 +0 +0 +0 of 50 +0 of 1000/)
  })
})

describe('clouds-yaml', () => {
  test('has the admin with the password, or another user without', async () => {
    const { out } = await at('clouds-yaml')
    expect(out).toContain(`auth_url: "${client.berth.server.url}/identity"`)
    expect(out).toContain(`password: "${client.adminPassword}"`)
    const other = await at('clouds-yaml', '--cloud', 'mine', '--user', 'ray', '--project', 'lab')
    expect(other.out).toContain('"mine":')
    expect(other.out).not.toContain('password:')
  })

  test('has an application credential that works', async () => {
    const { out } = await at('clouds-yaml', '--credential', 'night', '--role', 'reader')
    const of = (key: string) => new RegExp(`${key}: "(.*)"`).exec(out)?.[1]
    expect(out).toContain('auth_type: v3applicationcredential')
    const signed = await client.auth({
      methods: ['application_credential'],
      application_credential: {
        id: of('application_credential_id'),
        secret: of('application_credential_secret'),
      },
    })
    expect(signed.json.token.roles).toMatchObject([{ name: 'reader' }])
    expect((await at('clouds-yaml', '--credential', 'night')).exitCode).toBe(exitCodes.conflict)
  })

  test('says what is missing where there is no password, or users are not kept here', async () => {
    expect((await run(['clouds-yaml'], { env: { BERTH_DATA_DIR: directory } })).exitCode).toBe(
      exitCodes.missing,
    )
    expect((await run(['clouds-yaml'], { env: { BERTH_AUTH: 'noauth2' } })).exitCode).toBe(
      exitCodes.configuration,
    )
  })
})

describe('audit', () => {
  test('prints who changed what, and says that there is more', async () => {
    await at('resource-class', 'create', 'CUSTOM_A')
    await at('resource-class', 'create', 'CUSTOM_B')
    const { out, err } = await at('audit', '--limit', '1')
    expect(out).toMatch(
      /admin +admin +placement:ensure-class +\d+ +req-\S+ +PUT \/placement\/resource_classes\/CUSTOM_B/,
    )
    expect(err).toContain('there are older entries')
    expect((await at('audit', '--user', 'nobody')).err).toBe('berth: nothing was changed\n')
    expect((await at('audit', '--json')).json[1]).toMatchObject({
      path: '/placement/resource_classes/CUSTOM_A',
    })
  })
})

describe('policy', () => {
  test('lists every operation with its rule, also from a file', async () => {
    const file = join(directory, 'policy.yaml')
    await writeFile(file, '"placement:usages": "role:boss"\n"os_compute_api:servers:create": "@"\n')
    const { out, err } = await run(['policy', 'list', '--policy-file', file])
    expect(out).toMatch(/placement:usages +file +role:boss/)
    expect(out).toMatch(/os_compute_api:flavors +default +@/)
    expect(err).toContain('line 2 of')
    expect((await run(['policy', 'list', '--json'])).json[0]).toMatchObject({
      operation: 'berth:attention',
    })
  })

  test('answers whether a user may', async () => {
    const check = (...args: string[]) => run(['policy', 'check', ...args])
    expect(await check('placement:traits:list', '--role', 'admin')).toMatchObject({ exitCode: 0 })
    expect((await check('placement:traits:list', '--role', 'reader')).exitCode).toBe(exitCodes.forbidden)
    const other = ['--role', 'reader', '--target-project', 'q']
    expect((await check('placement:usages', ...other)).exitCode).toBe(exitCodes.forbidden)
    expect((await check('get_metadef_tags', ...other, '--visibility', 'public')).exitCode).toBe(0)
    expect((await check('placement:pony')).exitCode).toBe(exitCodes.missing)
  })

  test('of the running server says which roles permit what, and anyone may ask for one operation', async () => {
    const { out } = await at('policy', 'roles', '--search', 'audit log')
    expect(out).toMatch(/berth:audit +admin +Read the audit log +default/)
    const readers = (await at('policy', 'roles', '--role', 'Reader', '--json')).json
    const names = readers.map(({ operation }: { operation: string }) => operation)
    expect(names).toContain('berth:project')
    expect(names).not.toContain('berth:audit')
    await client.addUser('roa', 'reader', 'cellar')
    const token = await client.tokenOf({
      user: 'roa',
      password: 'roaroaroa',
      scope: { project: { name: 'cellar', domain: { id: 'default' } } },
    })
    expect((await as(token, 'policy', 'roles')).exitCode).toBe(exitCodes.forbidden)
    expect((await as(token, 'policy', 'roles', 'berth:fleet')).out).toMatch(/roles +\S*admin/)
    expect((await as(token, 'policy', 'roles', 'berth:pony')).exitCode).toBe(exitCodes.missing)
  })

  test('a file that cannot be used is one line with its line, here and at the start of a server', async () => {
    const file = join(directory, 'bad.yaml')
    await writeFile(file, '\n"placement:usages": "role:"\n')
    const listed = await run(['policy', 'list', '--policy-file', file])
    expect(listed).toMatchObject({ exitCode: exitCodes.configuration, out: '' })
    expect(listed.err).toContain(`the policy file ${file}, line 2:`)
    const served = await run([
      'serve',
      '--port',
      '0',
      '--policy-file',
      file,
      '--data-dir',
      join(directory, 'd'),
    ])
    expect(served).toMatchObject({ exitCode: exitCodes.configuration })
    expect((await run(['policy', 'list', '--policy-file', '/nowhere'])).err).toContain('does not exist')
  })
})

test('accounts says where users are, and how many', async () => {
  const { out } = await at('accounts')
  expect(out).toMatch(/auth +token/)
  expect(out).toMatch(/users +[1-9]/)
  expect((await at('accounts', '--json')).json).toMatchObject({ auth: 'token', keystone: null })
})

describe('projects and users go by name', () => {
  test('where something belongs to them', async () => {
    await at('project', 'create', 'shop')
    const [consumer, provider] = ['0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c', 'names-1']
    await at('provider', 'create', provider)
    await at('inventory', 'set', provider, 'VCPU:4')
    const owner = ['--project', 'shop', '--user', 'admin']
    const set = await at('allocation', 'set', consumer, `${provider}:VCPU:2`, ...owner, '--json')
    expect(set.json.project_id).toMatch(/^[0-9a-f]{32}$/)
    expect((await at('usage', 'show', ...owner)).out).toContain('VCPU')
    expect(await at('usage', 'show', '--project', 'shoop')).toMatchObject({
      exitCode: exitCodes.missing,
      err: 'berth: there is no project shoop\n',
    })
  })
})

test('share types and quotas are given to projects that exist', async () => {
  const project = (await at('project', 'create', 'sharers', '--json')).json.id
  const ask = async (method: string, path: string, body: object) => {
    const answer = await client.ask(method, `/share/v2${path}`, { token: client.adminToken, body })
    return [answer.status, answer.json]
  }
  const extra_specs = { driver_handles_share_servers: 'False' }
  const share_type = { name: 'own', extra_specs, 'os-share-type-access:is_public': false }
  const [, made] = await ask('POST', '/types', { share_type })
  const give = async (to: string) =>
    (await ask('POST', `/types/${made.share_type.id}/action`, { addProjectAccess: { project: to } }))[0]
  expect([await give('sharres'), await give(project)]).toEqual([400, 202])
  const limit = async (of: string) =>
    (await ask('PUT', `/os-quota-sets/${of}`, { quota_set: { shares: 7 } }))[0]
  expect([await limit('sharres'), await limit(project)]).toEqual([400, 200])
})

test('a flavor is given to projects that exist', async () => {
  const project = (await at('project', 'create', 'guests', '--json')).json.id
  const { id } = (
    await at('flavor', 'create', 'own', '--ram', '1', '--vcpus', '1', '--disk', '1', '--private', '--json')
  ).json
  const give = async (tenant: string) =>
    (
      await client.ask('POST', `/compute/v2.1/flavors/${id}/action`, {
        token: client.adminToken,
        body: { addTenantAccess: { tenant } },
      })
    ).status
  expect([await give('guets'), await give(project)]).toEqual([400, 200])
})
