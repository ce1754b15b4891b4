import type {
  Accounts,
  OperationRoles,
  PolicyInForce,
  UserCredentials,
  UserTokens,
} from '../../../src/wire/accounts.ts'
import type { AuditPage, StaticToken } from '../../../src/wire/admin.ts'
import type { Project, Role, RoleAssignment, User } from '../../../src/wire/openstack-identity.ts'
import type { ProjectList } from '../../../src/wire/projects.ts'
import { ask, askJson, pathOf, queryOf } from './http.ts'

const ROOT = '/identity/v3'

/** What is read of a long list. */
const ROWS_MAX = 10_000
const AT_ONCE = 1_000
const PROJECTS_AT_ONCE = 200

/** `isCut`: there are more. */
async function readPages<Entry>(
  page: (after: string | undefined) => Promise<readonly [entries: readonly Entry[], next: unknown]>,
) {
  const all: Entry[] = []
  for (let after: string | undefined; ; ) {
    const [entries, next] = await page(after)
    all.push(...entries)
    if (next === null || all.length >= ROWS_MAX) return { entries: all, isCut: next !== null }
    after = String(next)
  }
}

const once = () => ({ 'idempotency-key': crypto.randomUUID() })

export const readAccounts = (): Promise<Accounts> => askJson('/v1/accounts')

export const readPolicy = (): Promise<PolicyInForce> => askJson('/v1/policy')

export const readOperationRoles = (operation: string): Promise<OperationRoles> =>
  askJson(pathOf`/v1/policy/${operation}`)

/** Those that are valid now: of one user, or of all. */
export const readUserTokens = (user?: string) =>
  readPages(async after => {
    const query = queryOf({ user, after, limit: AT_ONCE })
    const { tokens, next } = await askJson<UserTokens>(`/v1/user-tokens${query}`)
    return [tokens, next]
  })

export const revokeUserToken = (id: string): Promise<unknown> =>
  askJson(pathOf`/v1/user-tokens/${id}`, { method: 'DELETE', headers: once() })

export const revokeUserTokens = (user: string): Promise<unknown> =>
  askJson('/v1/user-tokens/revoke', { method: 'POST', body: { user }, headers: once() })

export const readStaticTokens = async (): Promise<readonly StaticToken[]> =>
  (await askJson<{ tokens: StaticToken[] }>('/v1/tokens')).tokens

export const createStaticToken = (body: {
  readonly name: string
  readonly token_sha256: string
  readonly roles: readonly string[]
  readonly project?: string
  readonly expires_in_s?: number
}): Promise<StaticToken> => askJson('/v1/tokens', { method: 'POST', body, headers: once() })

export const revokeStaticToken = (id: string): Promise<unknown> =>
  askJson(pathOf`/v1/tokens/${id}`, { method: 'DELETE', headers: once() })

/** Of one user, or of all. */
export const readCredentials = (user?: string) =>
  readPages(async after => {
    const query = queryOf({ user, after, limit: AT_ONCE })
    const { credentials, next } = await askJson<UserCredentials>(`/v1/user-credentials${query}`)
    return [credentials, next]
  })

export const deleteCredential = (user: string, id: string): Promise<unknown> =>
  askJson(ROOT + pathOf`/users/${user}/application_credentials/${id}`, { method: 'DELETE' })

/** With what each uses and may use. */
export const readProjects = () =>
  readPages(async after => {
    const query = queryOf({ after, limit: PROJECTS_AT_ONCE })
    const { projects, next } = await askJson<ProjectList>(`/v1/projects${query}`)
    return [projects, next]
  })

export const readStoredProjects = async (): Promise<readonly Project[]> =>
  (await askJson<{ projects: Project[] }>(`${ROOT}/projects`)).projects

export const createProject = async (project: {
  readonly name: string
  readonly description: string
}): Promise<Project> =>
  (await askJson<{ project: Project }>(`${ROOT}/projects`, { method: 'POST', body: { project } })).project

export const updateProject = (id: string, project: Partial<Omit<Project, 'id'>>): Promise<unknown> =>
  askJson(ROOT + pathOf`/projects/${id}`, { method: 'PATCH', body: { project } })

export const deleteProject = (id: string): Promise<unknown> =>
  ask(ROOT + pathOf`/projects/${id}`, { method: 'DELETE' })

export const readUsers = async (): Promise<readonly User[]> =>
  (await askJson<{ users: User[] }>(`${ROOT}/users`)).users

export const createUser = async (user: Partial<User> & { readonly password: string }): Promise<User> =>
  (await askJson<{ user: User }>(`${ROOT}/users`, { method: 'POST', body: { user } })).user

export const updateUser = (
  id: string,
  user: Partial<Omit<User, 'id'>> & { readonly password?: string },
): Promise<unknown> => askJson(ROOT + pathOf`/users/${id}`, { method: 'PATCH', body: { user } })

export const deleteUser = (id: string): Promise<unknown> =>
  ask(ROOT + pathOf`/users/${id}`, { method: 'DELETE' })

export const readRoles = async (): Promise<readonly Role[]> =>
  (await askJson<{ roles: Role[] }>(`${ROOT}/roles`)).roles

/** Who has which role in which project, without what is implied. */
export const readAssignments = async (): Promise<readonly RoleAssignment[]> =>
  (await askJson<{ role_assignments: RoleAssignment[] }>(`${ROOT}/role_assignments?include_names=true`))
    .role_assignments

export const grantRole = (
  method: 'PUT' | 'DELETE',
  { user, project, role }: { readonly user: string; readonly project: string; readonly role: string },
): Promise<unknown> => ask(ROOT + pathOf`/projects/${project}/users/${user}/roles/${role}`, { method })

export const readAudit = (asked: Readonly<Record<string, string | number | undefined>>): Promise<AuditPage> =>
  askJson(`/v1/audit${queryOf(asked)}`)
