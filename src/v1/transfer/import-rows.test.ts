/** Import of all tables that are not Placement's, between whole servers. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IdentityClient } from '../../identity/api/identity-client.fixture.ts'
import { compilePolicy, isKnownOperation } from '../../identity/policy/compile-policy.ts'
import { rowTables } from '../../transfer/exported-tables.ts'
import { requireImportRight, writeOperationsOf } from './transfer-rights.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }
const SERVICE = 'a-service-that-makes-exports'

let source: IdentityClient
let target: IdentityClient
let text: string

beforeAll(async () => {
  source = await IdentityClient.start({ demo: true })
  target = await IdentityClient.start()
  await source.addUser('ana', 'member', 'lab')
  const image = { id: 'i', properties: { hw_disk_bus: 'virtio' } }
  const asks = [
    { flavor: 'm1.small', image },
    { groups: { '': { resources: { VCPU: 1 } }, _A: { resources: { MEMORY_MB: 1 } } }, group_policy: 'none' },
  ]
  for (const body of asks) {
    const { status, text } = await source.ask('POST', '/v1/schedule', { token: source.adminToken, body })
    if (status !== 200) throw new Error(text)
  }
  for (const client of [source, target]) {
    const body = { name: 'svc', roles: ['service'], token_sha256: hash('sha256', SERVICE, 'hex') }
    await client.ask('POST', '/v1/tokens', { token: client.adminToken, body })
  }
  text = await exportOf(source)
})
afterAll(async () => {
  await source.end()
  await target.end()
})

const exportOf = async (client: IdentityClient, token = client.adminToken) =>
  (await client.ask('GET', '/v1/export', { token })).text

const importInto = (client: IdentityClient, body: string, token = client.adminToken) =>
  client.ask('POST', '/v1/import', { token, body, headers: NDJSON })

const linesIn = (all: string) =>
  all
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

/** The lines that must be equal on both servers. Each server made its admin and its roles at its first start. */
function cloudIn(all: string): unknown[] {
  return linesIn(all)
    .slice(1)
    .map(line => {
      if ('end' in line) return { end: { ...line.end, not_exported: null } }
      if (!['users', 'projects', 'roles'].includes(line.table)) return line
      const { created_at: _, uuid, ...row } = line.row
      return { ...line, row: line.table === 'roles' ? row : { uuid, ...row } }
    })
}

describe('a whole cloud', () => {
  test('exports, imports into a new server and exports as the same lines; verify finds nothing', async () => {
    const { status, json } = await importInto(target, text)
    expect([status, json.detail]).toEqual([200, undefined])
    expect(cloudIn(await exportOf(target))).toEqual(cloudIn(text))
    for (const table of [
      'flavors',
      'host_aggregate_hosts',
      'server_requests',
      'shares',
      'share_pools',
      'users',
    ])
      expect(json.rows[table]?.created, table).toBeGreaterThan(0)
    const verify = await target.ask('POST', '/v1/verify', { token: target.adminToken })
    expect(verify.json).toMatchObject({ differences_total: 0, problems_total: 0 })
  })

  test('taken in again, nothing changes', async () => {
    const before = linesIn(await exportOf(target))[0]
    const { json } = await importInto(target, text)
    for (const counts of Object.values(json.rows)) expect(counts).toMatchObject({ created: 0, updated: 0 })
    expect(linesIn(await exportOf(target))[0]).toEqual(before)
    expect(json.notes).toEqual([])
  })

  test('has no secrets: a user who was imported cannot sign in until there is a password', async () => {
    const { end } = linesIn(text).at(-1)
    expect(end.not_exported).toMatchObject({ passwords: 2, static_tokens: 1, application_credentials: 0 })
    expect(text).not.toMatch(/scrypt|password_hash|token_hash|secret_hash/)
    const ana = { user: 'ana', password: 'ana'.repeat(3) }
    expect((await target.signIn(ana)).status).toBe(401)
    const { id } = (await target.admin('GET', '/users?name=ana')).json.users[0]
    await target.admin('PATCH', `/users/${id}`, { user: { password: ana.password } })
    // Another import keeps the existing password.
    expect((await importInto(target, text)).status).toBe(200)
    const token = await target.tokenOf(ana)
    const answered = async () => (await target.ask('GET', '/v1/whoami', { token })).status
    expect(await answered()).toBe(200)
    // An import that disables the user revokes its tokens for good.
    const line = linesIn(text).find(({ table, row }) => table === 'users' && row.name === 'ana')
    for (const is_enabled of [0, 1])
      await importInto(target, JSON.stringify({ ...line, row: { ...line.row, is_enabled } }))
    expect(await answered()).toBe(401)
  })
})

describe('rights', () => {
  test('every table can be written by operations that there are', () => {
    for (const table of rowTables)
      for (const operation of writeOperationsOf[table])
        expect(isKnownOperation(operation), operation).toBe(true)
  })

  test('a service exports what it may read, and the file names what was left out', async () => {
    const some = await exportOf(source, SERVICE)
    expect(some).not.toMatch(/"ana"|"table":"(users|projects|roles|role_assignments|shares|server_groups)"/)
    const { end } = linesIn(some).at(-1)
    expect(Object.keys(end.rows)).toEqual([
      'flavors',
      'flavor_extra_specs',
      'hosts',
      'server_requests',
      'reservations',
      'reservation_slots',
    ])
    expect(end.left_out).toEqual(rowTables.filter(table => !(table in end.rows)))
    expect(end.not_exported).toEqual({})
  })

  test('a service imports nothing that it could not write elsewhere', async () => {
    const line = linesIn(text).find(one => one.table === 'users')
    const refused = await importInto(target, `\n${JSON.stringify(line)}\n`, SERVICE)
    expect(refused.json).toMatchObject({
      status: 403,
      code: 'import.forbidden',
      line: 2,
      table: 'users',
      operation: 'identity:create_user',
    })
  })
})

describe('a caller to whom something was delegated', () => {
  const admin = { userId: 'u', projectId: 'p', roles: ['admin'], systemScope: false }
  const delegated = (isRestricted: boolean, endsAtMs: number | null) => ({
    ...admin,
    delegation: { by: 'application credential', isRestricted, endsAtMs },
  })

  test.each(['users', 'roles', 'role_assignments'] as const)(
    'imports no %s if it is restricted or ends',
    table => {
      const policy = compilePolicy('secure')
      const code = { code: 'import.forbidden', facts: { line: 3, table } }
      for (const caller of [delegated(true, null), delegated(false, 9)])
        expect(() => requireImportRight(policy, caller, table, 3)).toThrow(expect.objectContaining(code))
      requireImportRight(policy, delegated(false, null), table, 3)
      requireImportRight(policy, delegated(true, 9), 'flavors', 3)
    },
  )
})

describe('a row', () => {
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  const rowOf = (table: string): any => linesIn(text).find(line => line.table === table).row
  const sendRow = async (table: string, change: object, base = rowOf(table)) =>
    (await importInto(target, `${JSON.stringify({ table, row: { ...base, ...change } })}\n`)).json

  test.each<[string, string, object, string]>([
    ['of a table that has secrets', 'static_tokens', {}, 'no rows of a table static_tokens can be imported'],
    ['of no table', 'ponies', {}, 'no rows of a table ponies can be imported'],
    [
      'with a column too many',
      'flavors',
      { password_hash: 'x' },
      'flavors.password_hash: flavors has no such column',
    ],
    ['without a column', 'flavors', { vcpus: undefined }, 'flavors.vcpus: it is missing'],
    ['with a wrong value', 'flavors', { vcpus: 'x' }, 'flavors.vcpus: it must be a whole number'],
    ['with a number below its bounds', 'flavors', { memory_mb: -1 }, 'flavors.memory_mb: -1 is less than'],
    [
      'with a number for a name',
      'flavor_extra_specs',
      { flavor: 1 },
      'flavor_extra_specs.flavor: it must be a text',
    ],
    ['with a status of no share', 'shares', { status: 'fine' }, "shares.status: 'fine' is not one of"],
    ['with a path for an id', 'shares', { uuid: '../../x' }, "shares.uuid: '../../x' is not a 'uuid'"],
    ['with a path for a pool', 'share_pools', { name: '../x' }, 'share_pools.name:'],
    ['with what is not JSON', 'server_requests', { request: '{' }, 'server_requests.request: it is not JSON'],
    ['with other JSON', 'server_requests', { request: '{"flavor":{}}' }, 'server_requests.request: '],
    ['with a driver that there is not', 'share_backends', { driver: 'tape' }, 'share_backends.driver:'],
    ['with the driver of a cloud', 'share_backends', { driver: 'cloud' }, 'share_backends.driver:'],
    [
      'with a root that is no path',
      'share_backends',
      { driver: 'directory' },
      'settings.root must be the absolute path',
    ],
  ])('%s is 400, with line, table and field', async (_, table, change, message) => {
    const base = ['static_tokens', 'ponies'].includes(table) ? {} : rowOf(table)
    const json = await sendRow(table, change, base)
    expect(json).toMatchObject({ status: 400, code: 'import.bad-line', line: 1, table })
    expect(json.detail).toContain(message)
  })

  test('of a back end among the files of Berth itself is refused', async () => {
    const settings = JSON.stringify({ root: join(target.berth.directory, 'shares') })
    const json = await sendRow('share_backends', { driver: 'directory', settings })
    expect(json).toMatchObject({ status: 400, code: 'import.bad-line', line: 1 })
    expect(json.detail).toContain("Berth's own")
  })

  test.each<[string, string, () => object, string, string]>([
    [
      'names what is not there',
      'flavor_extra_specs',
      () => ({ flavor: 'none' }),
      'row-reference-missing',
      'there is no none',
    ],
    ['has a name that another has', 'flavors', () => ({ flavorid: 'new' }), 'row-taken', 'flavors (name)'],
    ['says another size of a share', 'shares', () => ({ size: 77 }), 'row-differs', 'another size'],
    [
      'makes a second default',
      'share_types',
      () => ({ uuid: crypto.randomUUID(), name: 'n', is_default: 1 }),
      'row-misfit',
      'is the default already',
    ],
    [
      'has a share that holds nothing',
      'shares',
      () => ({ uuid: crypto.randomUUID() }),
      'row-misfit',
      'and its consumer holds nothing',
    ],
    [
      'has a pool below another provider',
      'share_pools',
      () => ({ pool: rowOf('hosts').provider }),
      'row-misfit',
      'is not below',
    ],
    [
      'has a back end of another name',
      'share_backends',
      () => ({ backend: rowOf('hosts').provider }),
      'row-misfit',
      'is called',
    ],
  ])('that %s is 409, with its line and why', async (_, table, change, reason, message) => {
    const json = await sendRow(table, change())
    expect(json).toMatchObject({ status: 409, code: 'import.refused', line: 1, table, reason })
    expect(json.detail).toContain(message)
  })

  test('that puts a host into a second zone is 409', async () => {
    const zone = linesIn(text).find(
      ({ table, row }) => table === 'host_aggregate_metadata' && row.key === 'availability_zone',
    ).row
    const { host_aggregate } = zone
    const others = linesIn(text).filter(({ table }) => table === 'host_aggregate_hosts')
    const inside = others.find(({ row }) => row.host_aggregate === host_aggregate).row
    const uuid = crypto.randomUUID()
    const aggregate = { ...rowOf('host_aggregates'), uuid, name: 'second zone' }
    const body = [
      { table: 'host_aggregates', row: aggregate },
      { table: 'host_aggregate_metadata', row: { ...zone, host_aggregate: uuid, value: 'elsewhere' } },
      { table: 'host_aggregate_hosts', row: { ...inside, host_aggregate: uuid, made_member: 0 } },
    ]
    const { json } = await importInto(target, body.map(one => JSON.stringify(one)).join('\n'))
    expect(json).toMatchObject({ status: 409, line: 3, reason: 'row-misfit' })
    expect(json.detail).toContain('would be in several zones')
    const wrong = { ...inside, host_aggregate: uuid, made_member: 1 }
    expect((await sendRow('host_aggregate_hosts', wrong)).detail).toContain('is not in aggregate')
  })

  test('that is there and differs is changed, and keeps its times and what is secret', async () => {
    const flavor = { ...rowOf('flavors'), description: 'another', created_at: 1 }
    expect((await sendRow('flavors', flavor)).rows).toEqual({
      flavors: { created: 0, updated: 1, unchanged: 0 },
    })
    const after = linesIn(await exportOf(target)).find(({ row }) => row?.flavorid === flavor.flavorid).row
    expect(after).toMatchObject({ description: 'another', created_at: rowOf('flavors').created_at })
    expect(after.updated_at).toBeGreaterThan(1)
  })

  test('a file whose rows are not all there is found out', async () => {
    const lines = text.trimEnd().split('\n')
    const cut = lines
      .filter(line => !line.startsWith('{"table":"share_quotas"'))
      .filter((_, at) => at !== lines.length - 2)
    const { json } = await importInto(target, cut.join('\n'))
    expect(json).toMatchObject({ status: 400, code: 'import.bad-line' })
    expect(json.detail).toMatch(/there should be \d+ \w+, but \d+ came/)
  })

  test('of metadata that a share has too much of is 409', async () => {
    const { uuid } = rowOf('shares')
    const rows = Array.from({ length: 129 }, (_, nth) => ({ share: uuid, key: `many-${nth}`, value: '' }))
    const body = rows.map(row => JSON.stringify({ table: 'share_metadata', row })).join('\n')
    const { json } = await importInto(target, body)
    expect(json).toMatchObject({ status: 409, reason: 'row-misfit', table: 'share_metadata' })
    expect(json.detail).toContain('at most 128 keys')
  })

  test('shares on which work was under way are named', async () => {
    const { share_type, ...share } = rowOf('shares')
    const row = {
      ...share,
      share_type,
      uuid: crypto.randomUUID(),
      status: 'creating',
      pool: null,
      target_pool: null,
    }
    const { notes } = await sendRow('shares', {}, row)
    expect(notes.join(' ')).toContain(row.uuid)
  })
})
