import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkWorld } from '../../server/check-world.ts'
import { mirroredTables } from '../../world/tables.ts'
import { World } from '../../world/world.ts'
import { STATIC_TOKENS_MAX } from './credentials.ts'
import { ROLES } from './roles.ts'
import { type IdentityRules, identityRules } from './rules.ts'

type Kind = keyof IdentityRules
type Command = { readonly kind: Kind } & Record<string, unknown>

const id = fc.constantFrom('a', 'b', 'c')
const role = fc.constantFrom(...ROLES.map(name => `r-${name}`), 'r-none')

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    kind: fc.constant('identity:create-user' as const),
    uuid: id,
    fields: fc.record({
      name: id,
      password_hash: fc.constant(null),
      is_enabled: fc.constantFrom(0, 1),
      default_project: fc.constant(null),
      description: fc.constant(null),
      email: fc.constant(null),
    }),
  }),
  fc.record({
    kind: fc.constant('identity:update-user' as const),
    user: id,
    fields: fc.record({ name: id, is_enabled: fc.constantFrom(0, 1) }, { requiredKeys: [] }),
  }),
  fc.record({ kind: fc.constant('identity:delete-user' as const), user: id }),
  fc.record({ kind: fc.constant('identity:revoke-user-tokens' as const), user: id }),
  fc.record({
    kind: fc.constant('identity:create-project' as const),
    uuid: id,
    fields: fc.record({ name: id, description: fc.constant(''), is_enabled: fc.constant(1) }),
  }),
  fc.record({
    kind: fc.constant('identity:update-project' as const),
    project: id,
    fields: fc.record({ name: id }),
  }),
  fc.record({ kind: fc.constant('identity:delete-project' as const), project: id }),
  fc.record({
    kind: fc.constantFrom('identity:grant', 'identity:revoke-grant'),
    user: id,
    project: id,
    role,
  }),
  fc.record({
    kind: fc.constant('identity:create-credential' as const),
    uuid: id,
    user: id,
    project: id,
    roles: fc.option(fc.subarray(['admin', 'reader'])),
    fields: fc.record({
      name: id,
      description: fc.constant(null),
      secret_hash: fc.constant('h'),
      is_unrestricted: fc.constant(0),
      expires_at: fc.constant(null),
    }),
  }),
  fc.record({ kind: fc.constant('identity:delete-credential' as const), user: id, credential: id }),
  fc.record({ kind: fc.constant('identity:delete-role' as const), role }),
  fc.record({ kind: fc.constant('identity:revoke-token' as const), auditId: id, expiresAt: fc.nat(20) }),
) as fc.Arbitrary<Command>

const rowsOf = (world: World) =>
  JSON.stringify(
    mirroredTables.map(({ name }) => [...world.rows(name)].map(row => JSON.stringify(row)).sort()),
  )

function bootstrapped(): World {
  const world = new World()
  const roles = ROLES.map(name => ({ uuid: `r-${name}`, name }))
  const decision = identityRules['identity:bootstrap'](world, { passwordHash: 'h', roles }, 0)
  if (decision.ok) world.apply(decision.change)
  return world
}

test('after any commands every row refers to an existing one, and every change can be undone', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), commands => {
      const world = bootstrapped()
      commands.forEach((one, at) => {
        // A credential's uuid comes from us and is never there twice.
        if (one.kind === 'identity:create-credential' && world.identity.credentials.find(String(one.uuid)))
          return
        const rule = identityRules[one.kind] as (
          world: World,
          command: unknown,
          nowMs: number,
        ) => ReturnType<IdentityRules[Kind]>
        const before = rowsOf(world)
        const decision = rule(world, one, at)
        expect(rowsOf(world)).toBe(before)
        if (!decision.ok) return
        world.apply(decision.change)
        expect(checkWorld(world)).toEqual({ items: [], count: 0 })
        const after = rowsOf(world)
        world.undo(decision.change)
        expect(rowsOf(world)).toBe(before)
        world.apply(decision.change)
        expect(rowsOf(world)).toBe(after)
      })
    }),
  )
})

test('a store that has roles is not given users again, so what was deleted stays deleted', () => {
  const world = bootstrapped()
  const gone = identityRules['identity:delete-user'](world, { user: 'admin' })
  if (gone.ok) world.apply(gone.change)
  const again = identityRules['identity:bootstrap'](world, { passwordHash: 'h', roles: [] }, 1)
  expect(again).toMatchObject({ ok: true, answer: false, change: { ops: [] } })
})

test('an application credential can never be given more than its user has', () => {
  const world = bootstrapped()
  const fields = { name: 'n', description: null, secret_hash: 'h', is_unrestricted: 0, expires_at: null }
  const make = (roles: string[] | null) =>
    identityRules['identity:create-credential'](
      world,
      { uuid: 'c', user: 'admin', project: 'admin', roles, fields },
      1,
    )
  expect(make(['reader', 'admin']).ok).toBe(true)
  expect(make(['service'])).toEqual({ ok: false, refusal: { kind: 'roles-not-held', roles: ['service'] } })
  expect(make([])).toEqual({ ok: false, refusal: { kind: 'roles-not-held', roles: [] } })
  const all = make(null)
  expect(all.ok && all.answer.roles).toBe('["admin"]')
})

test('static tokens have a limit', () => {
  const world = new World()
  const make = (nth: number) => {
    const fields = {
      uuid: `t${nth}`,
      name: `n${nth}`,
      token_hash: `h${nth}`,
      project: null,
      expires_at: null,
    }
    const command = { roles: [], fields: { ...fields, created_by: 'admin' }, keepsUsers: false }
    return identityRules['identity:create-static-token'](world, command, 0)
  }
  for (let nth = 0; nth < STATIC_TOKENS_MAX; nth++) {
    const decision = make(nth)
    if (decision.ok) world.apply(decision.change)
  }
  expect(world.identity.staticTokens.size).toBe(10_000)
  expect(make(STATIC_TOKENS_MAX)).toMatchObject({ ok: false, refusal: { kind: 'too-many', limit: 10_000 } })
})
