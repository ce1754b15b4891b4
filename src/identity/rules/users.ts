import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { UserRow } from '../../world/identity.ts'
import type { World } from '../../world/world.ts'
import type { IdentityRefusal } from './refusals.ts'

export interface UserFields {
  readonly name: string
  readonly password_hash: string | null
  readonly is_enabled: number
  readonly default_project: string | null
  readonly description: string | null
  readonly email: string | null
}

export function createUser(
  world: World,
  command: { readonly uuid: string; readonly fields: UserFields },
  nowMs: number,
): Decision<UserRow, IdentityRefusal> {
  const { users } = world.identity
  const { uuid, fields } = command
  if (world.identity.findUserByName(fields.name) !== undefined)
    return refuse({ kind: 'identity-exists', what: 'user', name: fields.name })
  if (users.find(uuid) !== undefined) return refuse({ kind: 'identity-exists', what: 'user', name: uuid })
  const row: UserRow = { id: users.nextId(), uuid, ...fields, tokens_since: 0, created_at: nowMs }
  return accept({ ops: [insert('users', row)] }, row)
}

/** A new password, or disabling the user, revokes all tokens that the user has. */
export function updateUser(
  world: World,
  command: { readonly user: string; readonly fields: Partial<UserFields> },
  nowMs: number,
): Decision<UserRow, IdentityRefusal> {
  const { user, fields } = command
  const before = world.identity.users.find(user)
  if (before === undefined) return refuse({ kind: 'identity-missing', what: 'user', id: user })
  const namesake = fields.name === undefined ? undefined : world.identity.findUserByName(fields.name)
  if (namesake !== undefined && namesake.id !== before.id)
    return refuse({ kind: 'identity-exists', what: 'user', name: namesake.name })
  const endsTokens = fields.password_hash !== undefined || fields.is_enabled === 0
  const after = { ...before, ...fields, ...(endsTokens ? { tokens_since: laterOf(before, nowMs) } : {}) }
  return accept({ ops: [update('users', before, after)] }, after)
}

/** A clock that was set back makes no revoked token valid again. */
const laterOf = ({ tokens_since }: UserRow, nowMs: number): number => Math.max(tokens_since, nowMs)

/** Tokens that are issued later are valid. */
export function revokeUserTokens(
  world: World,
  command: { readonly user: string },
  nowMs: number,
): Decision<UserRow, IdentityRefusal> {
  const before = world.identity.users.find(command.user)
  if (before === undefined) return refuse({ kind: 'identity-missing', what: 'user', id: command.user })
  const after = { ...before, tokens_since: laterOf(before, nowMs) }
  return accept({ ops: [update('users', before, after)] }, after)
}

/** Also deletes all roles and application credentials of the user. */
export function deleteUser(
  world: World,
  command: { readonly user: string },
): Decision<null, IdentityRefusal> {
  const { user } = command
  const { users, assignments, credentials } = world.identity
  const row = users.find(user)
  if (row === undefined) return refuse({ kind: 'identity-missing', what: 'user', id: user })
  const ops: RowOp[] = []
  for (const one of credentials.all())
    if (one.user_id === row.id) ops.push(remove('application_credentials', one))
  for (const one of assignments.list(row.id)) ops.push(remove('role_assignments', one))
  return accept({ ops: [...ops, remove('users', row)] }, null)
}
