import { insert, type RowOp } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'

/** Id and name of the user and of the project in a new store; the admin token stands for both. */
export const ADMIN = 'admin'

/**
 * Once per store: creates the roles and an admin with its own project. Skips a store that has any of them, so that
 * deleted ones do not come back. Answers whether it did so.
 */
export function bootstrap(
  world: World,
  command: { readonly passwordHash: string; readonly roles: readonly { uuid: string; name: string }[] },
  nowMs: number,
): Decision<boolean, never> {
  const { users, projects, roles } = world.identity
  // One kind may be left where all of another were deleted.
  if (users.size + projects.size + roles.size > 0) return accept(NO_CHANGE, false)
  const ops: RowOp[] = [
    insert('users', {
      id: 1,
      uuid: ADMIN,
      name: ADMIN,
      password_hash: command.passwordHash,
      is_enabled: 1,
      default_project: ADMIN,
      description: null,
      email: null,
      tokens_since: 0,
      created_at: nowMs,
    }),
    insert('projects', {
      id: 1,
      uuid: ADMIN,
      name: ADMIN,
      is_enabled: 1,
      created_at: nowMs,
      description: 'The project of the admin, created at the first start.',
    }),
  ]
  command.roles.forEach(({ uuid, name }, at) => {
    const id = at + 1
    ops.push(insert('roles', { id, uuid, name, created_at: nowMs }))
    if (name === ADMIN) ops.push(insert('role_assignments', { user_id: 1, project_id: 1, role_id: id }))
  })
  return accept({ ops }, true)
}
