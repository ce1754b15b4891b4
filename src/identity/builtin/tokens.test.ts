import { beforeEach, expect, test } from 'vitest'
import { MemoryStore } from '../../store/memory-store.fixture.ts'
import { Sequencer } from '../../store/sequencer/sequencer.ts'
import type { UserRow } from '../../world/identity.ts'
import { World } from '../../world/world.ts'
import { LocalTokens } from '../local-tokens.ts'
import { ROLES } from '../rules/roles.ts'
import { identityRules } from '../rules/rules.ts'
import { digestOf, Tokens } from './tokens.ts'

let nowMs: number
let world: World
let store: MemoryStore
let sequencer: Sequencer<typeof identityRules>
let tokens: Tokens
const clock = { nowMs: () => nowMs }
const HOUR_MS = 3_600_000

beforeEach(async () => {
  nowMs = 1_000_000
  world = new World()
  store = new MemoryStore()
  let batches = 0
  sequencer = new Sequencer({
    world,
    store,
    clock,
    rules: identityRules,
    head: await store.head(),
    newBatchId: () => `b${batches++}`,
  })
  tokens = new Tokens({ world, sequencer, store, clock, lifetimeMs: HOUR_MS })
  const roles = ROLES.map(name => ({ uuid: `r-${name}`, name }))
  await sequencer.submit({ kind: 'identity:bootstrap', passwordHash: 'h', roles })
})

const admin = (): UserRow => world.identity.users.find('admin') as UserRow
const issue = async (more: object = {}) => {
  const wanted = { user: admin(), project: 'admin', credential: null, methods: ['password'], parents: [] }
  const issued = await tokens.issue({ ...wanted, ...more })
  if (issued === null) throw new Error('no token')
  return issued
}

test('only the hash of a token is stored', async () => {
  const { token, row } = await issue()
  expect(await store.plainRow('tokens', [digestOf(token)], nowMs)).toEqual(row)
  expect(JSON.stringify(row)).not.toContain(token)
})

test('the name of the caller is known too', async () => {
  const { token } = await issue()
  expect((await tokens.find(token))?.credentials.names).toEqual({ user: 'admin', project: 'admin' })
})

test('a token is good until the moment it expires', async () => {
  const { token } = await issue()
  nowMs += HOUR_MS - 1
  expect(await tokens.find(token)).not.toBeNull()
  nowMs += 1
  expect(await tokens.find(token)).toBeNull()
  const others = new Tokens({ world, sequencer, store, clock, lifetimeMs: HOUR_MS })
  expect(await others.find(token)).toBeNull()
})

test('it ends no later than what it was made from', async () => {
  expect((await issue({ expiresAtMax: nowMs + 5 })).row.expires_at).toBe(nowMs + 5)
})

test('one that was seen before is answered at once, and revoked ones are not', async () => {
  const { token, row } = await issue()
  expect(tokens.find(token)).not.toBeInstanceOf(Promise)
  await tokens.revoke(row)
  expect(tokens.find(token)).toBeNull()
})

test('rows of tokens that expired are dropped, so many with each later write', async () => {
  const kept = async () => (await store.plainRows('tokens', { limit: 100 }, nowMs)).length
  for (let at = 0; at < 5; at++) await issue()
  await issue({ expiresAtMax: nowMs + 5 })
  expect(await kept()).toBe(6)
  nowMs += 6
  expect(await kept()).toBe(5)
  nowMs += HOUR_MS
  expect(await kept()).toBe(0)
})

test('revocations are forgotten once the tokens would have expired', async () => {
  for (let at = 0; at < 3; at++) await tokens.revoke((await issue()).row)
  expect([...world.identity.listRevoked()]).toHaveLength(3)
  nowMs += 2 * HOUR_MS
  await tokens.revoke((await issue()).row)
  expect([...world.identity.listRevoked()]).toHaveLength(1)
})

test('no token is given to a user who was disabled, changed or deleted while signing in', async () => {
  const seen = admin()
  const wanted = { user: seen, project: null, credential: null, methods: ['password'], parents: [] }
  await sequencer.submit({ kind: 'identity:update-user', user: 'admin', fields: { password_hash: 'other' } })
  expect(await tokens.issue(wanted)).toBeNull()
  await sequencer.submit({ kind: 'identity:update-user', user: 'admin', fields: { is_enabled: 0 } })
  expect(await tokens.issue({ ...wanted, user: admin() })).toBeNull()
  await sequencer.submit({ kind: 'identity:delete-user', user: 'admin' })
  expect(await tokens.issue(wanted)).toBeNull()
})

test('the admin token and static tokens are known by their hash alone', async () => {
  const local = new LocalTokens({ world, clock, adminToken: 'sesame-sesame-sesame' })
  expect(local.find('sesame-sesame-sesame')?.credentials.roles).toContain('admin')
  expect(local.find('sesame')).toBeNull()
  await sequencer.submit({
    kind: 'identity:create-static-token',
    keepsUsers: false,
    roles: ['member'],
    fields: {
      uuid: 't',
      name: 'ci',
      token_hash: digestOf('machine'),
      project: 'p',
      created_by: 'admin',
      expires_at: nowMs + 10,
    },
  })
  expect(local.find('machine')?.credentials).toEqual({
    userId: 't',
    projectId: 'p',
    roles: ['member', 'reader'],
    systemScope: false,
    names: { user: 'ci', project: null },
    delegation: { by: 'static token ci', isRestricted: false, endsAtMs: nowMs + 10 },
  })
  nowMs += 10
  expect(local.find('machine')).toBeNull()
  expect(new LocalTokens({ world, clock, adminToken: null }).find('')).toBeNull()
})
