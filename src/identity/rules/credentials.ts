import { insert, type RowOp, remove } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { CredentialRow, StaticTokenRow, UserRow } from '../../world/identity.ts'
import type { World } from '../../world/world.ts'
import type { IdentityRefusal } from './refusals.ts'
import { addImplied } from './roles.ts'

interface CredentialFields {
  readonly name: string
  readonly description: string | null
  readonly secret_hash: string
  readonly is_unrestricted: number
  readonly expires_at: number | null
}

/** Keystone has `[application_credential] user_limit` for this, unlimited by default. */
export const CREDENTIALS_PER_USER_MAX = 100
export const STATIC_TOKENS_MAX = 10_000

/** `roles` are some of the user's roles in the project; null is all of them. */
export function createCredential(
  world: World,
  command: {
    readonly uuid: string
    readonly user: string
    readonly project: string
    readonly roles: readonly string[] | null
    readonly fields: CredentialFields
  },
  nowMs: number,
): Decision<CredentialRow, IdentityRefusal> {
  const { uuid, user, project, fields } = command
  const { identity } = world
  const theUser = identity.users.find(user)
  if (theUser === undefined) return refuse({ kind: 'identity-missing', what: 'user', id: user })
  const theProject = identity.projects.find(project)
  if (theProject === undefined) return refuse({ kind: 'identity-missing', what: 'project', id: project })
  if (identity.findCredentialByName(theUser.id, fields.name) !== undefined)
    return refuse({ kind: 'identity-exists', what: 'application credential', name: fields.name })
  const owned = identity.credentials.all().filter(one => one.user_id === theUser.id).length
  if (owned >= CREDENTIALS_PER_USER_MAX)
    return refuse({ kind: 'too-many', what: 'application credential', limit: CREDENTIALS_PER_USER_MAX })
  const given = identity.listRoles(theUser.id, theProject.id).map(({ name }) => name)
  const held = addImplied(given)
  const roles = command.roles ?? given
  const missing = roles.filter(role => !held.includes(role))
  if (missing.length > 0 || roles.length === 0) return refuse({ kind: 'roles-not-held', roles: missing })
  const row: CredentialRow = {
    id: identity.credentials.nextId(),
    uuid,
    user_id: theUser.id,
    project_id: theProject.id,
    roles: JSON.stringify(roles),
    ...fields,
    created_at: nowMs,
  }
  return accept({ ops: [insert('application_credentials', row)] }, row)
}

export function deleteCredential(
  world: World,
  command: { readonly user: string; readonly credential: string },
): Decision<null, IdentityRefusal> {
  const { user, credential } = command
  const { users, credentials } = world.identity
  const row = credentials.find(credential)
  if (row === undefined || users.row(row.user_id).uuid !== user)
    return refuse({ kind: 'identity-missing', what: 'application credential', id: credential })
  return accept({ ops: [remove('application_credentials', row)] }, null)
}

interface StaticTokenFields {
  readonly uuid: string
  readonly name: string
  readonly token_hash: string
  readonly project: string | null
  readonly expires_at: number | null
  readonly created_by: string
}

/** With built-in users, projects are found by id or name, and projects and roles must exist. */
export function createStaticToken(
  world: World,
  command: {
    readonly roles: readonly string[]
    readonly fields: StaticTokenFields
    readonly keepsUsers: boolean
  },
  nowMs: number,
): Decision<StaticTokenRow, IdentityRefusal> {
  const { roles, fields, keepsUsers } = command
  const { identity } = world
  const found = fields.project === null ? undefined : findProject(identity, fields.project)
  if (keepsUsers && fields.project !== null && found === undefined)
    return refuse({ kind: 'identity-missing', what: 'project', id: fields.project })
  const unknown = keepsUsers ? roles.find(role => identity.findRoleByName(role) === undefined) : undefined
  if (unknown !== undefined) return refuse({ kind: 'identity-missing', what: 'role', id: unknown })
  if (identity.findStaticTokenByName(fields.name) !== undefined)
    return refuse({ kind: 'identity-exists', what: 'static token', name: fields.name })
  const twin = identity.findStaticToken(fields.token_hash)
  if (twin !== undefined) return refuse({ kind: 'static-token-same', name: twin.name })
  if (identity.staticTokens.find(fields.uuid) !== undefined)
    return refuse({ kind: 'identity-exists', what: 'static token', name: fields.uuid })
  if (identity.staticTokens.size >= STATIC_TOKENS_MAX)
    return refuse({ kind: 'too-many', what: 'static token', limit: STATIC_TOKENS_MAX })
  const row: StaticTokenRow = {
    id: identity.staticTokens.nextId(),
    ...fields,
    project: keepsUsers && found !== undefined ? found.uuid : fields.project,
    roles: JSON.stringify(roles),
    created_at: nowMs,
  }
  return accept({ ops: [insert('static_tokens', row)] }, row)
}

const findProject = (identity: World['identity'], text: string) =>
  identity.projects.find(text) ?? identity.findProjectByName(text)

/** By uuid or name. */
export function deleteStaticToken(
  world: World,
  command: { readonly token: string },
): Decision<StaticTokenRow, IdentityRefusal> {
  const { identity } = world
  const row = identity.staticTokens.find(command.token) ?? identity.findStaticTokenByName(command.token)
  if (row === undefined) return refuse({ kind: 'identity-missing', what: 'static token', id: command.token })
  return accept({ ops: [remove('static_tokens', row)] }, row)
}

/**
 * Allows the token of an authenticated user, unless the user was deleted or disabled or got another password meanwhile.
 * The token is put into the same commit.
 */
export function issueToken(
  world: World,
  command: { readonly user: string; readonly seen: Pick<UserRow, 'tokens_since'> },
): Decision<null, IdentityRefusal> {
  const row = world.identity.users.find(command.user)
  const isAsSeen = row !== undefined && row.is_enabled === 1 && row.tokens_since === command.seen.tokens_since
  return isAsSeen ? accept(NO_CHANGE, null) : refuse({ kind: 'sign-in-outdated' })
}

const FORGOTTEN_PER_REVOCATION_MAX = 1_000

/** Also forgets revocations of tokens that have expired. */
export function revokeToken(
  world: World,
  command: { readonly auditId: string; readonly expiresAt: number },
  nowMs: number,
): Decision<null, never> {
  const { identity } = world
  const { auditId, expiresAt } = command
  const ops: RowOp[] = []
  for (const row of identity.listRevoked()) {
    if (ops.length >= FORGOTTEN_PER_REVOCATION_MAX) break
    if (row.expires_at < nowMs && row.audit_id !== auditId) ops.push(remove('revoked_tokens', row))
  }
  if (!identity.isRevoked(auditId))
    ops.push(insert('revoked_tokens', { audit_id: auditId, expires_at: expiresAt }))
  return accept({ ops }, null)
}
