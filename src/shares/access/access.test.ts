import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FARM, ShareClient } from '../share-client.fixture.ts'
import { ACCESS_RULES_MAX } from './access-rules.ts'

let client: ShareClient
let share: string

beforeAll(async () => {
  const [alpha, ...others] = FARM.backends
  const failing = { ...alpha, name: 'failing', fail: { access: 'the NFS server is away' } }
  const types = [...FARM.share_types, { name: 'on-failing', extra_specs: { share_backend_name: 'failing' } }]
  const backends = [alpha, ...others, failing]
  client = await ShareClient.start({ ...FARM, share_types: types, backends })
  share = (await client.placed({ share_type: 'on-alpha' }, 'alice:blue')).id
})
afterAll(() => client.berth.end())

const act = (id: string, body: object, { minor = 87, token = 'alice:blue' } = {}) =>
  client.ask('POST', `/shares/${id}/action`, { body, minor, token })
const allow = (to: string, more: object = {}, asked = {}) =>
  act(share, { allow_access: { access_type: 'ip', access_to: to, access_level: 'rw', ...more } }, asked)
const rulesOf = async (id = share, query = '') =>
  (await client.ask('GET', `/share-access-rules?share_id=${id}${query}`, { token: 'alice:blue', minor: 87 }))
    .json.access_list

async function settledRules(id = share) {
  for (let tries = 0; tries < 500; tries++) {
    const rules = await rulesOf(id)
    // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
    if (rules.every(({ state }: any) => state === 'active' || state === 'error')) return rules
    await sleep(20)
  }
  throw new Error('access rules stay on their way')
}

const SHOWN = ['access_level', 'access_to', 'access_type', 'id', 'share_id', 'state']

describe('allow_access', () => {
  test.each([
    [6, SHOWN, 'new'],
    [20, SHOWN, 'new'],
    [21, [...SHOWN, 'access_key'], 'new'],
    [28, [...SHOWN, 'access_key'], 'queued_to_apply'],
    [33, [...SHOWN, 'access_key', 'created_at', 'updated_at'], 'queued_to_apply'],
    [45, [...SHOWN, 'access_key', 'created_at', 'updated_at', 'metadata'], 'queued_to_apply'],
  ])('of 2.%i shows %j, in the state %s', async (minor, fields, state) => {
    const name = minor < 7 ? 'os-allow_access' : 'allow_access'
    const rule = { access_type: 'ip', access_to: `10.1.0.${minor}`, access_level: 'ro' }
    const { status, json } = await act(share, { [name]: rule }, { minor })
    expect(status).toBe(200)
    expect(Object.keys(json.access).sort()).toEqual([...fields].sort())
    expect(json.access).toMatchObject({ ...rule, share_id: share, state })
  })

  test('becomes active, and the share says active again', async () => {
    const { json } = await allow('10.2.0.0/16', { metadata: { who: 'lab' } })
    expect(json.access).toMatchObject({ metadata: { who: 'lab' }, updated_at: null, access_key: null })
    const rules = await settledRules()
    expect(rules).toContainEqual({ ...withoutShare(json.access), state: 'active' })
    expect(await client.show(share)).toMatchObject({ access_rules_status: 'active' })
  })

  test.each([
    ['10.0.0.300', 37, "Octet 300 (> 255) not permitted in '10.0.0.300'"],
    ['fd00::1', 37, "Expected 4 octets in 'fd00::1'"],
    ['10.0.0.1/24', 38, '10.0.0.1/24 has host bits set'],
    ['fd00::1/64', 38, 'fd00::1/64 has host bits set'],
    ['*', 38, "'*' does not appear to be an IPv4 or IPv6 network"],
  ])('of %s in 2.%i is 400: %s', async (to, minor, message) => {
    const { status, json } = await allow(to, {}, { minor })
    expect([status, json.badRequest.message]).toEqual([400, message])
  })

  test.each([
    ['user', 'bob', /Must be 4-255 characters/],
    ['user', 'ab/cd', /exclude special characters/],
    ['user', '....', /solely of periods or spaces/],
    ['cert', '  ', /Must be 1-64 chars long/],
    ['cert', 'c'.repeat(65), /Must be 1-64 chars long/],
    ['cephx', 'al.ice', /may not contain periods/],
    ['mac', 'x', /Only 'ip', 'user', 'cert' or 'cephx' access types are supported/],
  ])('of %s %s is 400', async (access_type, access_to, message) => {
    const { status, json } = await allow(access_to, { access_type })
    expect(status).toBe(400)
    expect(json.badRequest.message).toMatch(message)
  })

  test.each([
    [{ access_level: 'xx' }, 'Invalid access rule: Invalid share access level: xx.'],
    [{ access_type: undefined }, /field\/attribute access_type/],
    [{ metadata: { a: '' } }, /A value must not be empty/],
    [{ lock_deletion: true }, /There are no resource locks here/],
  ])('with %j is 400', async (more, message) => {
    const { status, json } = await allow('10.3.0.1', more)
    expect(status).toBe(400)
    expect(json.badRequest.message).toMatch(message)
  })

  test.each([
    ['user', 'bobb'],
    ['cert', 'client.example.com'],
    ['cephx', 'alice'],
  ])('takes %s %s', async (access_type, access_to) => {
    expect((await allow(access_to, { access_type })).status).toBe(200)
  })

  test('of a client that is in already is 400, however it is written', async () => {
    await allow('10.4.0.0/24')
    for (const to of ['10.4.0.0/24', '10.4.0.0/255.255.255.0', '10.4.0.0/0.0.0.255']) {
      const { status, json } = await allow(to)
      expect([status, json.badRequest.message]).toEqual([400, `Share access ip:${to} exists.`])
    }
  })

  test('of another project is 404, of a public share 403, and of a reader 403', async () => {
    const open = (await client.placed({ is_public: true })).id
    const rule = { allow_access: { access_type: 'ip', access_to: '10.5.0.1', access_level: 'rw' } }
    expect((await act(share, rule, { token: 'bob:red' })).status).toBe(404)
    expect((await act(open, rule, { token: 'bob:red' })).status).toBe(403)
    expect((await act(share, rule, { token: 'carl:blue:reader' })).status).toBe(403)
  })

  test('is 400 while the share is being worked on, and in error before 2.74', async () => {
    const { id } = await client.placed({}, 'alice:blue')
    const rule = (to: string) => ({ allow_access: { access_type: 'ip', access_to: to } })
    const reset = (status: string) => act(id, { reset_status: { status } }, { token: 'admin:ops' })
    for (const status of ['migrating', 'extending']) {
      await reset(status)
      const { status: code, json } = await act(id, rule('10.6.0.1'))
      expect([code, json.badRequest.message]).toEqual([
        400,
        expect.stringMatching(/New access rules cannot be applied while .* has the status/),
      ])
    }
    await reset('error')
    expect((await act(id, rule('10.6.0.1'), { minor: 73 })).status).toBe(400)
    expect((await act(id, rule('10.6.0.1'), { minor: 74 })).status).toBe(200)
  })

  test('is 413 beyond the limit', async () => {
    const { id } = await client.placed({}, 'alice:blue')
    const allowNth = (nth: number) =>
      act(id, { allow_access: { access_type: 'ip', access_to: `10.${nth >> 8}.${nth & 255}.1` } })
    // A hundred at a time share their commits.
    for (let nth = 0; nth < ACCESS_RULES_MAX; nth += 100)
      await Promise.all(Array.from({ length: 100 }, (_, more) => allowNth(nth + more)))
    const { status } = await act(id, { allow_access: { access_type: 'ip', access_to: '11.0.0.1' } })
    expect(status).toBe(413)
  }, 60_000)
})

const withoutShare = ({ share_id: _, ...rest }: Record<string, unknown>) => rest

describe('deny_access', () => {
  test('removes the rule', async () => {
    const { json } = await allow('10.7.0.1')
    const rule = json.access.id
    expect((await act(share, { deny_access: { access_id: rule } })).status).toBe(202)
    expect((await settledRules()).map(({ id }: { id: string }) => id)).not.toContain(rule)
    expect((await act(share, { deny_access: { access_id: rule } })).status).toBe(404)
  })

  test('of a rule of another share is 404', async () => {
    const { json } = await allow('10.7.0.2')
    const { id } = await client.placed({}, 'alice:blue')
    expect((await act(id, { deny_access: { access_id: json.access.id } })).status).toBe(404)
    expect((await act(id, { deny_access: {} })).status).toBe(400)
  })
})

describe('rules that the back end cannot apply', () => {
  test('are in error, with a message to the owner, and go when they are denied and it can again', async () => {
    const { id } = await client.placed({ share_type: 'on-failing' }, 'alice:blue')
    const rule = { allow_access: { access_type: 'ip', access_to: '10.8.0.1' } }
    const { json } = await act(id, rule)
    expect(await settledRules(id)).toMatchObject([{ id: json.access.id, state: 'error' }])
    expect(await client.show(id)).toMatchObject({ access_rules_status: 'error' })
    const messages = await client.messagesAbout(id, 'alice:blue')
    expect(messages.map(one => [one.action_id, one.user_message])).toEqual([
      ['010', 'Access to the share could not be changed: the NFS server is away'],
    ])
    const more = { allow_access: { access_type: 'ip', access_to: '10.8.0.2' } }
    const refused = await act(id, more, { minor: 27 })
    expect([refused.status, refused.json.badRequest.message]).toEqual([
      400,
      expect.stringMatching(/access_rules_status set to error/),
    ])
    expect((await act(id, more, { minor: 28 })).status).toBe(200)
  })
})

describe('share-access-rules', () => {
  test('is 404 before 2.45, where access_list is, and the other way round', async () => {
    const list = (minor: number) => act(share, { access_list: null }, { minor })
    const rules = (minor: number) =>
      client.ask('GET', `/share-access-rules?share_id=${share}`, { minor, token: 'alice:blue' })
    expect([(await list(44)).status, (await list(45)).status]).toEqual([200, 404])
    expect([(await rules(44)).status, (await rules(45)).status]).toEqual([404, 200])
    const old = (await list(44)).json.access_list
    expect(old.map(({ id }: { id: string }) => id)).toEqual(
      (await rulesOf()).map(({ id }: { id: string }) => id),
    )
    expect((await act(share, { 'os-access_list': null }, { minor: 6 })).status).toBe(200)
  })

  test('needs a share that the caller sees', async () => {
    const list = (query: string, token: string) =>
      client.ask('GET', `/share-access-rules${query}`, { minor: 45, token })
    const none = await list('', 'alice:blue')
    expect([none.status, none.json.badRequest.message]).toEqual([
      400,
      "The field 'share_id' has to be specified.",
    ])
    const foreign = await list(`?share_id=${share}`, 'bob:red')
    expect([foreign.status, foreign.json.badRequest.message]).toEqual([400, `Share ${share} not found.`])
  })

  test('filters by type, client, level and metadata', async () => {
    await allow('10.9.0.1', { access_level: 'ro', metadata: { room: '9' } })
    for (const query of ['&access_type=ip&access_to=10.9.0.1', "&metadata={'room': '9'}"])
      expect(await rulesOf(share, query)).toMatchObject([{ access_to: '10.9.0.1' }])
    const levels = (await rulesOf(share, '&access_level=ro')).map(
      (one: { access_level: string }) => one.access_level,
    )
    expect(new Set(levels)).toEqual(new Set(['ro']))
    const wrong = await client.ask('GET', `/share-access-rules?share_id=${share}&access_level=xx`, {
      minor: 82,
      token: 'alice:blue',
    })
    expect(wrong.json.badRequest.message).toBe('Invalid or unsupported share access level: xx.')
  })

  test('metadata can be set and deleted key by key', async () => {
    const { id } = (await allow('10.9.0.2', { metadata: { a: '1' } })).json.access
    const path = `/share-access-rules/${id}`
    const ask = (method: string, more: string, body?: unknown, token = 'alice:blue') =>
      client.ask(method, `${path}${more}`, { minor: 45, token, body })
    const put = await ask('PUT', '/metadata', { metadata: { b: '2' } })
    expect([put.status, put.json]).toEqual([200, { metadata: { b: '2' } }])
    expect((await ask('GET', '')).json.access).toMatchObject({
      share_id: share,
      metadata: { a: '1', b: '2' },
      updated_at: null,
    })
    expect((await ask('DELETE', '/metadata/a')).status).toBe(200)
    const again = await ask('DELETE', '/metadata/a')
    expect([again.status, again.json.itemNotFound.message]).toEqual([
      404,
      'Share access rule metadata does not exist.',
    ])
    for (const metadata of [{ '': 'x' }, { a: '' }, { a: 'x'.repeat(1024) }, { a: 1 }, []])
      expect((await ask('PUT', '/metadata', { metadata })).status).toBe(400)
    expect((await ask('GET', '', undefined, 'bob:red')).status).toBe(404)
    expect((await ask('PUT', '/metadata', { metadata: { b: '3' } }, 'bob:red')).status).toBe(404)
  })
})

describe('access rules of a share', () => {
  test('go with it, and stay in the bin', async () => {
    const { id } = await client.placed({}, 'alice:blue')
    await act(id, { allow_access: { access_type: 'ip', access_to: '10.10.0.1' } })
    const [rule] = await settledRules(id)
    await act(id, { soft_delete: null })
    expect(await rulesOf(id)).toEqual([rule])
    const inBin = await act(id, { deny_access: { access_id: rule.id } })
    expect([inBin.status, inBin.json.forbidden.message]).toEqual([
      403,
      `Cannot deny access for share '${id}' since it has been soft deleted.`,
    ])
    await act(id, { restore: null })
    await client.remove(id)
    const gone = await client.ask('GET', `/share-access-rules/${rule.id}`, { minor: 45 })
    expect(gone.status).toBe(404)
    await client.verify()
  })

  test('move with it', async () => {
    const { id } = await client.placed({ share_type: 'default' }, 'alice:blue')
    await act(id, { allow_access: { access_type: 'ip', access_to: '10.11.0.1' } })
    const before = await settledRules(id)
    const target = (await client.show(id)).host === 'farm@beta#b1' ? 'farm@gamma#c1' : 'farm@beta#b1'
    expect((await client.migrate(id, target)).status).toBe(202)
    await client.settled(id)
    await act(id, { migration_complete: null }, { token: 'admin:ops' })
    expect(await client.settled(id)).toMatchObject({ host: target, task_state: 'migration_success' })
    expect(await settledRules(id)).toEqual(before)
    await client.verify()
  })
})
