import { IndexedRows, KeyedRows, OwnedRows } from './indexed-rows.ts'
import type { Row } from './tables.ts'

export type UserRow = Row<'users'>
export type ProjectRow = Row<'projects'>
export type RoleRow = Row<'roles'>
export type AssignmentRow = Row<'role_assignments'>
export type CredentialRow = Row<'application_credentials'>
export type StaticTokenRow = Row<'static_tokens'>
type RevokedRow = Row<'revoked_tokens'>

/** Users, projects, roles, role assignments and credentials. */
export class Identity {
  /** The index of the unique name. */
  static readonly BY_NAME = 1
  static readonly BY_HASH = 2

  readonly users = new IndexedRows<UserRow>([row => row.uuid, row => row.name])
  readonly projects = new IndexedRows<ProjectRow>([row => row.uuid, row => row.name])
  readonly roles = new IndexedRows<RoleRow>([row => row.uuid, row => row.name])
  /** By the numbers of project and role. */
  readonly assignments = new OwnedRows<AssignmentRow, string>(row => row.user_id, assignmentKey)
  readonly credentials = new IndexedRows<CredentialRow>([
    row => row.uuid,
    row => credentialName(row.user_id, row.name),
  ])
  readonly staticTokens = new IndexedRows<StaticTokenRow>([
    row => row.uuid,
    row => row.name,
    row => row.token_hash,
  ])
  readonly #revoked = new KeyedRows<RevokedRow, string>(row => row.audit_id)

  readonly mirrors = {
    users: this.users,
    projects: this.projects,
    roles: this.roles,
    role_assignments: this.assignments,
    application_credentials: this.credentials,
    static_tokens: this.staticTokens,
    revoked_tokens: this.#revoked,
  }

  findUserByName(name: string): UserRow | undefined {
    return this.users.find(name, Identity.BY_NAME)
  }

  findProjectByName(name: string): ProjectRow | undefined {
    return this.projects.find(name, Identity.BY_NAME)
  }

  findRoleByName(name: string): RoleRow | undefined {
    return this.roles.find(name, Identity.BY_NAME)
  }

  findCredentialByName(userId: number, name: string): CredentialRow | undefined {
    return this.credentials.find(credentialName(userId, name), Identity.BY_NAME)
  }

  findStaticTokenByName(name: string): StaticTokenRow | undefined {
    return this.staticTokens.find(name, Identity.BY_NAME)
  }

  findStaticToken(hash: string): StaticTokenRow | undefined {
    return this.staticTokens.find(hash, Identity.BY_HASH)
  }

  findAssignment(row: AssignmentRow): AssignmentRow | undefined {
    return this.assignments.find(row.user_id, assignmentKey(row))
  }

  /** The roles granted to a user in a project, without implied ones. */
  listRoles(userId: number, projectId: number): RoleRow[] {
    return this.assignments
      .list(userId)
      .filter(row => row.project_id === projectId)
      .map(row => this.roles.row(row.role_id))
  }

  /** The projects in which a user has a role, the oldest first. */
  listProjects(userId: number): ProjectRow[] {
    const ids = new Set(this.assignments.list(userId).map(row => row.project_id))
    return [...ids].sort((a, b) => a - b).map(id => this.projects.row(id))
  }

  isRevoked(auditId: string): boolean {
    return this.#revoked.get(auditId) !== undefined
  }

  listRevoked(): Iterable<RevokedRow> {
    return this.#revoked.rows()
  }
}

const assignmentKey = (row: AssignmentRow): string => `${row.project_id} ${row.role_id}`

const credentialName = (userId: number, name: string): string => `${userId} ${name}`
