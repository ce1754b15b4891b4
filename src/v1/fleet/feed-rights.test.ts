import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IdentityClient } from '../../identity/api/identity-client.fixture.ts'
import { compilePolicy, isKnownOperation } from '../../identity/policy/compile-policy.ts'
import { mirroredTables } from '../../world/tables.ts'
import { findVisibleTables, operationOfTable } from './feed-rights.ts'

describe('what a caller sees in the feed', () => {
  const caller = (...roles: string[]) => ({ userId: 'u', projectId: 'p', roles, systemScope: false })
  const seenBy = (...roles: string[]) => {
    const sight = findVisibleTables(compilePolicy('secure'), caller(...roles))
    return mirroredTables.map(({ name }) => name).filter(table => sight.shows(table))
  }

  test('every table can be read by an operation that there is', () => {
    for (const { name } of mirroredTables) expect(isKnownOperation(operationOfTable[name]), name).toBe(true)
  })

  test('an admin sees all', () => {
    expect(seenBy('admin', 'manager', 'member', 'reader')).toEqual(mirroredTables.map(({ name }) => name))
  })

  test('a service sees the ledger, hosts and flavors, and nothing that belongs to people or projects', () => {
    expect(seenBy('service')).toEqual([
      'resource_classes',
      'traits',
      'aggregates',
      'resource_providers',
      'inventories',
      'provider_traits',
      'provider_aggregates',
      'consumers',
      'allocations',
      'flavors',
      'flavor_extra_specs',
      'hosts',
      'server_requests',
      'reservations',
      'reservation_slots',
      'shadow_settings',
    ])
  })
})

describe('over HTTP', () => {
  let client: IdentityClient
  const service = 'a-service-that-follows-what-changes'
  beforeAll(async () => {
    client = await IdentityClient.start()
    const body = { name: 'svc', roles: ['service'], token_sha256: hash('sha256', service, 'hex') }
    await client.ask('POST', '/v1/tokens', { token: client.adminToken, body })
  })
  afterAll(() => client.end())

  const follow = (token: string, query = '', signal: AbortSignal | null = null) =>
    fetch(`${client.berth.server.url}/v1/changes${query}`, { headers: { 'x-auth-token': token }, signal })

  const adminUserToken = async (): Promise<string> => {
    const { headers } = await client.auth({ methods: ['token'], token: { id: client.adminToken } })
    return headers.get('x-subject-token') as string
  }

  test('a service learns that there was a revision, and not which user it created', async () => {
    await client.admin('POST', '/users', { user: { name: 'hidden-user', email: 'hidden@example.org' } })
    const all = await (await follow(client.adminToken, '?since=0&follow=false')).text()
    const some = await (await follow(service, '?since=0&follow=false')).text()
    expect(all).toContain('hidden@example.org')
    expect(some).not.toMatch(/hidden|"table":"(users|roles|role_assignments|static_tokens|projects)"/)
    const revisions = (text: string) => [...text.matchAll(/"revision":(\d+)/g)].map(([, found]) => found)
    expect(revisions(some)).toEqual(revisions(all))
  })

  test('a revoked token gets no more events, not even that of its revocation', async () => {
    const token = await adminUserToken()
    const reading = (await follow(token)).text()
    await client.ask('DELETE', '/identity/v3/auth/tokens', {
      token: client.adminToken,
      headers: { 'x-subject-token': token },
    })
    const text = await reading
    expect(text).toMatch(/event: unauthorized\ndata: \{\}\n\n$/)
    expect(text).not.toContain('revoked_tokens')
  })

  test.each([
    ['disabled', { enabled: false }],
    ['given another password', { password: 'other-other' }],
  ])('nor does a user who is %s, or a token that was deleted', async (_, user) => {
    const { id } = await client.addUser(`user-${Object.keys(user)[0]}`, 'admin', 'lab')
    const name = `user-${Object.keys(user)[0]}`
    const token = await client.tokenOf({ user: name, password: name.repeat(3) })
    const reading = (await follow(token)).text()
    await client.admin('PATCH', `/users/${id}`, { user })
    expect(await reading).toMatch(/event: unauthorized\ndata: \{\}\n\n$/)
  })

  test('one user has so many places, and takes none from others', async () => {
    const leaving = new AbortController()
    const mine = await Promise.all(Array.from({ length: 51 }, () => follow(service, '', leaving.signal)))
    expect(mine.filter(one => one.status === 200)).toHaveLength(50)
    const refused = mine.find(one => one.status !== 200)
    expect(refused?.status).toBe(429)
    expect(refused?.headers.get('retry-after')).toBe('5')
    expect(await refused?.json()).toMatchObject({ code: 'changes.too-many-of-user' })
    const other = await follow(client.adminToken, '', leaving.signal)
    expect(other.status).toBe(200)
    leaving.abort()
    await expect.poll(async () => (await follow(service, '?follow=false')).status).toBe(200)
  })
})
