import { expect, test } from 'vitest'
import { World } from '../../world/world.ts'
import { createUser, revokeUserTokens, updateUser } from './users.ts'

test('a clock that was set back makes no revoked token valid again', () => {
  const world = new World()
  const fields = {
    name: 'ray',
    password_hash: null,
    is_enabled: 1,
    default_project: null,
    description: null,
    email: null,
  }
  const steps = [
    () => createUser(world, { uuid: 'u', fields }, 1_000),
    () => revokeUserTokens(world, { user: 'u' }, 5_000),
    () => revokeUserTokens(world, { user: 'u' }, 4_000),
    () => updateUser(world, { user: 'u', fields: { is_enabled: 0 } }, 3_000),
  ]
  const since = steps.map(step => {
    const decided = step()
    if (!decided.ok) throw new Error('refused')
    world.apply(decided.change)
    return decided.answer.tokens_since
  })
  expect(since).toEqual([0, 5_000, 5_000, 5_000])
})
