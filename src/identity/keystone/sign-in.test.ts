import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { identityErrorSchema } from '../api/errors.ts'
import { FakeKeystone } from './fake-keystone.fixture.ts'

let fake: FakeKeystone
let berth: Berth
beforeAll(async () => {
  fake = await FakeKeystone.start()
  fake.people.set('ann', { password: 'right', projects: { shop: ['member'], lab: ['admin'] } })
  berth = await Berth.start({
    auth: 'keystone',
    rbac: 'secure',
    keystone_url: fake.url,
    keystone_username: 'berth',
    keystone_password: 'sesame',
  })
})
afterAll(async () => {
  await berth.end()
  await fake.end()
})

const TOKENS = '/identity/v3/auth/tokens'

async function post(body: unknown): Promise<Response> {
  return fetch(`${berth.server.url}${TOKENS}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

const byPassword = (password: string, more = {}, name = 'ann') => ({
  auth: {
    identity: { methods: ['password'], password: { user: { name, domain: { name: 'Default' }, password } } },
    ...more,
  },
})

const inProject = (name: string) => ({ scope: { project: { name, domain: { name: 'Default' } } } })

test('a name and a password become a token of Keystone, which is good here', async () => {
  const answer = await post(byPassword('right', inProject('lab')))
  expect(answer.status).toBe(201)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const token = answer.headers.get('x-subject-token') as string
  const who = await fetch(`${berth.server.url}/v1/whoami`, { headers: { 'x-auth-token': token } })
  expect(await who.json()).toMatchObject({
    user_id: 'ann',
    user_name: 'Name of ann',
    roles: ['admin'],
    project_id: 'lab',
    project_name: 'Name of lab',
  })
})

test('without a project the projects can be listed, and one be chosen with the token', async () => {
  const unscoped = (await post(byPassword('right'))).headers.get('x-subject-token') as string
  const list = await fetch(`${berth.server.url}/identity/v3/auth/projects`, {
    headers: { 'x-auth-token': unscoped },
  })
  expect(await list.json()).toMatchObject({ projects: [{ name: 'shop' }, { name: 'lab' }] })
  const chosen = await post({
    auth: {
      identity: { methods: ['token'], token: { id: unscoped } },
      scope: { project: { id: 'shop' } },
    },
  })
  expect(chosen.headers.get('x-subject-token')).toBe('ann-shop')
})

test('a user with a default project can still get an unscoped token', async () => {
  fake.people.set('eve', { password: 'right', projects: { den: ['member'] }, home: 'den' })
  const tokenOf = async (more: object) =>
    (await post(byPassword('right', more, 'eve'))).headers.get('x-subject-token')
  expect(await tokenOf({})).toBe('eve-den')
  expect(await tokenOf({ scope: 'unscoped' })).toBe('eve-unscoped')
})

test('tokens of this server are never sent to Keystone', async () => {
  const own = (await readFile(join(berth.directory, 'admin-token'), 'utf8')).trim()
  const list = await fetch(`${berth.server.url}/identity/v3/auth/projects`, {
    headers: { 'x-auth-token': own },
  })
  expect([list.status, await list.json()]).toMatchObject([200, { projects: [] }])
  const chosen = await post({
    auth: { identity: { methods: ['token'], token: { id: own } }, scope: { project: { id: 'shop' } } },
  })
  expect(chosen.status).toBe(401)
  expect(fake.seen.size).toBeGreaterThan(0)
  expect([...fake.seen]).not.toContain(own)
})

test('a wrong password is refused, sent only to Keystone, and throttled', async () => {
  const statuses: number[] = []
  for (let attempt = 0; attempt < 7; attempt++)
    statuses.push((await post(byPassword('wrong', {}, 'bob'))).status)
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  expect((await post(byPassword('right'))).status).toBe(201)
})

test.each<[string, unknown]>([
  ['another method', { auth: { identity: { methods: ['totp'], totp: {} } } }],
  ['two methods', { auth: { identity: { methods: ['password', 'totp'], password: { user: {} } } } }],
  ['another scope', byPassword('right', { scope: { system: { all: true } } })],
  ['another word for a scope', byPassword('right', { scope: 'system' })],
  ['something beside it', { ...byPassword('right'), more: 1 }],
])('%s is not passed on', async (_, body) => {
  const before = fake.signedIn
  const answer = await post(body)
  expect(answer.status).toBe(400)
  expect(await answer.text()).not.toContain('right')
  expect(fake.signedIn).toBe(before)
})

test('the description of the API has what is passed on, and no more', async () => {
  const own = (await readFile(join(berth.directory, 'admin-token'), 'utf8')).trim()
  const answer = await fetch(`${berth.server.url}/v1/openapi/identity.json`, {
    headers: { 'x-auth-token': own },
  })
  const { paths, components } = (await answer.json()) as Record<string, Record<string, object>>
  expect(Object.keys(paths ?? {})).toEqual(['/v3/auth/tokens', '/v3/auth/projects'])
  expect(components?.schemas).toHaveProperty('Error', identityErrorSchema)
})

test('nothing else of Keystone is here', async () => {
  const answer = await fetch(`${berth.server.url}/identity/v3/users`, {
    headers: { 'x-auth-token': 'ann-lab' },
  })
  expect(answer.status).toBe(404)
})

test('while Keystone is away the answer is 503, which counts as no failed attempt', async () => {
  fake.broken = 500
  try {
    for (let attempt = 0; attempt < 7; attempt++) {
      const answer = await post(byPassword('right'))
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    }
  } finally {
    fake.broken = null
  }
  expect((await post(byPassword('right'))).status).toBe(201)
})
