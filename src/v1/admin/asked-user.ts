import type { UserRow } from '../../world/identity.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'

/** The user of this id or name. */
export function findAskedUser({ identity }: World, asked: string): UserRow {
  const row = identity.users.find(asked) ?? identity.findUserByName(asked)
  if (row === undefined)
    throw new Problem(404, 'identity.identity-missing', `user: there is no user ${asked}.`, { user: asked })
  return row
}
