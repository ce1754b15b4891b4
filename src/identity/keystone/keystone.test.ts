import { afterEach, beforeEach, expect, test } from 'vitest'
import { AuthenticationUnavailable } from '../../http/authenticator.ts'
import { authority, serverCertificate, serverKey } from '../../store/postgres/certificates.fixture.ts'
import { World } from '../../world/world.ts'
import { LocalTokens } from '../local-tokens.ts'
import { keystoneAuthenticator, type ServiceTokenRule } from './authenticator.ts'
import { FakeKeystone } from './fake-keystone.fixture.ts'
import { Keystone, type KeystoneSettings } from './keystone.ts'

let fake: FakeKeystone
let aheadMs: number
beforeEach(async () => {
  fake = await FakeKeystone.start()
  aheadMs = 0
  fake.tokens.set('good', { user: 'u', project: 'p', roles: ['Member', 'reader'] })
})
afterEach(() => fake.end())

const clock = { nowMs: () => Date.now() + aheadMs }

function keystone(more: Partial<KeystoneSettings> = {}): Keystone {
  return new Keystone({
    url: fake.url,
    username: 'berth',
    password: 'sesame',
    project: 'service',
    userDomain: { id: null, name: 'Default' },
    projectDomain: { id: null, name: 'Default' },
    publicUrl: null,
    trust: { authorities: null, isBlind: false },
    cacheMs: 10_000,
    timeoutMs: 2_000,
    clock,
    ...more,
  })
}

const STRICT: ServiceTokenRule = { roles: ['service'], isRoleRequired: true }

test('a token is who Keystone says it is', async () => {
  const asked = keystone()
  expect(await asked.authenticate('good')).toEqual({
    userId: 'u',
    projectId: 'p',
    roles: ['member', 'reader'],
    systemScope: false,
    names: { user: 'Name of u', project: 'Name of p' },
  })
  fake.tokens.set('system', { user: 'a', project: null, roles: ['admin'], system: true })
  expect(await asked.authenticate('system')).toMatchObject({ projectId: null, systemScope: true })
  fake.tokens.set('domain', { user: 'd', project: null, roles: ['admin'], domain: true })
  expect(await asked.authenticate('domain')).toMatchObject({ projectId: null, roles: [] })
  expect(await asked.authenticate('unknown')).toBeNull()
  expect(fake.signedIn).toBe(1)
})

test('the address may have the version or not', async () => {
  expect(await keystone({ url: `${fake.url}/v3` }).authenticate('good')).not.toBeNull()
})

test('is asked once for a while about a token, also when many ask at once', async () => {
  const asked = keystone()
  await Promise.all(Array.from({ length: 20 }, () => asked.authenticate('good')))
  expect(fake.asked).toBe(1)
  expect(asked.authenticate('good')).toMatchObject({ userId: 'u' })
  aheadMs = 10_001
  await asked.authenticate('good')
  expect(fake.asked).toBe(2)
})

test('a token that was revoked is refused once what was known is too old', async () => {
  const asked = keystone()
  await asked.authenticate('good')
  fake.tokens.delete('good')
  aheadMs = 10_001
  expect(await asked.authenticate('good')).toBeNull()
  const anew = keystone({ cacheMs: 0 })
  fake.tokens.set('good', { user: 'u', project: 'p', roles: [] })
  expect(await anew.authenticate('good')).not.toBeNull()
  fake.tokens.delete('good')
  expect(await anew.authenticate('good')).toBeNull()
})

test('a token is refused after it expires, even if it is cached', async () => {
  fake.tokens.set('short', { user: 'u', project: 'p', roles: [], expiresInMs: 5_000 })
  const asked = keystone({ cacheMs: 3_600_000 })
  expect(await asked.authenticate('short')).not.toBeNull()
  aheadMs = 5_001
  fake.tokens.delete('short')
  expect(await asked.authenticate('short')).toBeNull()
})

test.each<[string, (fake: FakeKeystone) => void]>([
  ['answers 500', one => Object.assign(one, { broken: 500 })],
  ['answers 403', one => Object.assign(one, { broken: 403 })],
  ['answers 200 with something else', one => Object.assign(one, { broken: 200 })],
  ['never answers', one => Object.assign(one, { silent: true })],
  ['does not take our password', one => Object.assign(one, { password: 'another' })],
])('one that %s lets nobody in, and says that it is not known who asks', async (_, spoil) => {
  spoil(fake)
  expect(await keystone({ timeoutMs: 300 }).authenticate('good')).toBeInstanceOf(AuthenticationUnavailable)
})

test('a redirect is not followed: neither the password nor a token goes to another host', async () => {
  const other = await FakeKeystone.start()
  fake.redirectsTo = other.url
  expect(await keystone().authenticate('good')).toBeInstanceOf(AuthenticationUnavailable)
  expect(other.seen.size).toBe(0)
  await other.end()
})

test.each(['application_credential', 'OS-TRUST:trust', 'OS-OAUTH1'] as const)(
  'a token that Keystone issued for %s is restricted: it creates no static tokens',
  async delegatedBy => {
    fake.tokens.set('lent', { user: 'u', project: 'p', roles: ['admin'], delegatedBy })
    expect(await keystone().authenticate('lent')).toMatchObject({ delegation: { isRestricted: true } })
  },
)

test('while Keystone is down no new token is accepted; cached ones stay valid for their time', async () => {
  const asked = keystone()
  await asked.authenticate('good')
  await fake.end()
  expect(asked.authenticate('good')).toMatchObject({ userId: 'u' })
  aheadMs = 10_001
  const verdict = await asked.authenticate('good')
  expect(verdict).toBeInstanceOf(AuthenticationUnavailable)
  expect(JSON.stringify(verdict)).not.toMatch(/sesame|good/)
  fake = await FakeKeystone.start()
})

test('when our own token is good no more a new one is fetched', async () => {
  const asked = keystone({ cacheMs: 0 })
  await asked.authenticate('good')
  fake.forgetful = true
  expect(await asked.authenticate('good')).toMatchObject({ userId: 'u' })
  expect(fake.signedIn).toBe(2)
})

test('more questions than it can take at once are turned away', async () => {
  fake.silent = true
  const asked = keystone({ timeoutMs: 300 })
  const verdicts = Array.from({ length: 70 }, (_, at) => asked.authenticate(`token-${at}`))
  expect(verdicts.filter(one => one instanceof AuthenticationUnavailable)).toHaveLength(6)
  await Promise.all(verdicts)
})

test('the admin token is ours, and a 401 says where to sign in', async () => {
  const local = new LocalTokens({ world: new World(), clock, adminToken: 'the-admin-token-of-us' })
  const authenticator = keystoneAuthenticator(local, keystone(), STRICT)
  const as = (token: string) => authenticator.authenticate({ 'x-auth-token': token })
  expect(as('the-admin-token-of-us')).toMatchObject({ userId: 'admin' })
  expect(await as('good')).toMatchObject({ userId: 'u' })
  expect(authenticator.authenticate({ 'x-roles': 'admin' })).toBeNull()
  expect(as('with blank')).toBeNull()
  expect(authenticator.challenge).toBe(`Keystone uri="${fake.url}"`)
})

test('callers are sent to the public address where there is one', () => {
  const local = new LocalTokens({ world: new World(), clock, adminToken: null })
  const asked = keystone({ publicUrl: 'https://keystone.example.org:5000' })
  expect(keystoneAuthenticator(local, asked, STRICT).challenge).toBe(
    'Keystone uri="https://keystone.example.org:5000"',
  )
})

test('domains go by name, or by id where one is given', async () => {
  await keystone().authenticate('good')
  expect(fake.domains).toEqual([{ name: 'Default' }, { name: 'Default' }])
  await keystone({
    userDomain: { id: 'default', name: 'x' },
    projectDomain: { id: 'abc', name: 'y' },
  }).authenticate('good')
  expect(fake.domains).toEqual([{ id: 'default' }, { id: 'abc' }])
})

test('its certificate is checked against the given authorities, unless that is switched off', async () => {
  const secure = await FakeKeystone.start({ cert: serverCertificate, key: serverKey })
  secure.tokens.set('good', { user: 'u', project: 'p', roles: [] })
  const asked = (trust: KeystoneSettings['trust']) =>
    keystone({ url: secure.url, trust }).authenticate('good')
  expect(await asked({ authorities: authority, isBlind: false })).toMatchObject({ userId: 'u' })
  expect(await asked({ authorities: null, isBlind: true })).toMatchObject({ userId: 'u' })
  const refused = await asked({ authorities: null, isBlind: false })
  expect(refused).toBeInstanceOf(AuthenticationUnavailable)
  expect((refused as AuthenticationUnavailable).reason).toMatch(/cannot be reached: .*certificate/)
  await secure.end()
})

test('a connection that it closed is opened again', async () => {
  const asked = keystone({ cacheMs: 0 })
  await asked.authenticate('good')
  fake.hangUp()
  expect(await asked.authenticate('good')).toMatchObject({ userId: 'u' })
})

function withService(rule: ServiceTokenRule, more: Partial<KeystoneSettings> = {}) {
  fake.tokens.set('expired', { user: 'u', project: 'p', roles: ['member'], expiresInMs: -1_000 })
  fake.tokens.set('service', { user: 'nova', project: 'service', roles: ['Service'] })
  const local = new LocalTokens({ world: new World(), clock, adminToken: 'the-admin-token-of-us' })
  const authenticator = keystoneAuthenticator(local, keystone(more), rule)
  return async (token: string, serviceToken?: string) =>
    authenticator.authenticate({
      'x-auth-token': token,
      ...(serviceToken === undefined ? {} : { 'x-service-token': serviceToken }),
    })
}

test('a token that has expired is good in the company of a service token, and only there', async () => {
  const as = withService(STRICT)
  expect(await as('expired')).toBeNull()
  expect(await as('expired', 'service')).toMatchObject({ userId: 'u', roles: ['member'] })
  // What was just learned is for services only.
  expect(await as('expired')).toBeNull()
  expect(await as('expired', 'the-admin-token-of-us')).toMatchObject({ userId: 'u' })
  expect(await as('expired', 'good')).toBeNull()
  expect(await as('expired', 'expired')).toBeNull()
  expect(await as('unknown', 'service')).toBeNull()
  expect(await as('good', 'service')).toMatchObject({ userId: 'u' })
})

test('what is known of a token that has expired is kept as long as of others', async () => {
  const as = withService(STRICT)
  await as('expired', 'service')
  const { asked } = fake
  await as('expired', 'service')
  expect(fake.asked).toBe(asked)
  fake.tokens.delete('expired')
  aheadMs = 10_001
  expect(await as('expired', 'service')).toBeNull()
})

test('a service token that is worth nothing spoils the request', async () => {
  const as = withService(STRICT)
  expect(await as('good', 'unknown')).toBeNull()
  expect(await as('good', 'with blank')).toBeNull()
  fake.tokens.set('late', { user: 'nova', project: 'service', roles: ['service'], expiresInMs: -1_000 })
  expect(await as('good', 'late')).toBeNull()
  expect(await as('good', '')).toMatchObject({ userId: 'u' })
})

test('a service token without the role is refused, or ignored where roles are not required', async () => {
  expect(await withService(STRICT)('good', 'good')).toBeNull()
  const lax = withService({ roles: ['service'], isRoleRequired: false })
  expect(await lax('good', 'good')).toMatchObject({ userId: 'u' })
  expect(await lax('expired', 'good')).toBeNull()
  expect(
    await withService({ roles: ['glue', 'MEMBER'], isRoleRequired: true })('expired', 'good'),
  ).toMatchObject({
    userId: 'u',
  })
})

test('no request is accepted while a service token cannot be checked', async () => {
  const as = withService(STRICT, { cacheMs: 0 })
  fake.broken = 500
  expect(await as('the-admin-token-of-us', 'service')).toBeInstanceOf(AuthenticationUnavailable)
})
