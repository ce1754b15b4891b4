import type { RoleAssignment, User } from '../../../src/wire/openstack-identity.ts'

interface Owned {
  readonly user: string
}

export interface ListedUser {
  readonly user: User
  /** What the user may do where: a project with the roles in it. */
  readonly projects: readonly { readonly id: string; readonly name: string; readonly roles: string }[]
  /** Null: not known, or not allowed to be seen. */
  readonly tokens: number | null
  readonly credentials: number | null
}

/** Users with what belongs to them. */
export function listUsers(
  users: readonly User[],
  assignments: readonly RoleAssignment[],
  tokens: readonly Owned[] | null,
  credentials: readonly Owned[] | null,
): ListedUser[] {
  const byUser = Map.groupBy(assignments, ({ user }) => user.id)
  const tokensOf = countByUser(tokens)
  const credentialsOf = countByUser(credentials)
  return users.map(user => ({
    user,
    projects: groupRoles(byUser.get(user.id) ?? []),
    tokens: tokensOf?.get(user.id) ?? (tokensOf === null ? null : 0),
    credentials: credentialsOf?.get(user.id) ?? (credentialsOf === null ? null : 0),
  }))
}

/** The projects by name, each with its roles. */
function groupRoles(assignments: readonly RoleAssignment[]): ListedUser['projects'] {
  return [...Map.groupBy(assignments, ({ scope }) => scope.project.id)]
    .map(([id, all]) => ({
      id,
      name: all[0]?.scope.project.name ?? id,
      roles: all
        .map(({ role }) => role.name)
        .sort()
        .join(', '),
    }))
    .sort((one, other) => one.name.localeCompare(other.name))
}

function countByUser(owned: readonly Owned[] | null): ReadonlyMap<string, number> | null {
  if (owned === null) return null
  const counts = new Map<string, number>()
  for (const { user } of owned) counts.set(user, (counts.get(user) ?? 0) + 1)
  return counts
}

export const rolesText = ({ projects }: ListedUser): string =>
  projects.map(({ name, roles }) => `${name}: ${roles}`).join('; ')

/** Where a search looks; in lower case. */
export const searchedText = (listed: ListedUser): string => {
  const { id, name, email, description } = listed.user
  return [id, name, email ?? '', description ?? '', rolesText(listed)].join('\n').toLowerCase()
}
