import type { Session } from '../../connection/session.ts'
import { byName, flexible, right } from '../../render/table.ts'

/** Users with their roles, and how many tokens and application credentials each has. */
export async function printUserRoles(session: Session): Promise<void> {
  const identity = await session.identity()
  const users = (await identity.users()).toSorted(byName)
  const assignments = Map.groupBy(await identity.assignments(), ({ user }) => user.id)
  const tokens = Map.groupBy(await session.accounts.userTokens(null), ({ user }) => user)
  const credentials = Map.groupBy(await session.accounts.userCredentials(null), ({ user }) => user)
  session.printList(
    users.map(user => ({
      user,
      roles: (assignments.get(user.id) ?? []).map(({ scope, role }) => ({
        project: scope.project.name,
        role: role.name,
      })),
      tokens: tokens.get(user.id)?.length ?? 0,
      credentials: credentials.get(user.id)?.length ?? 0,
    })),
    ['name', 'enabled', flexible('roles'), right('tokens'), right('credentials')],
    one => [
      one.user.name,
      one.user.enabled ? 'yes' : 'no',
      one.roles.map(({ project, role }) => `${role} in ${project}`).join(', ') || '-',
      one.tokens,
      one.credentials,
    ],
    'no user',
  )
}
