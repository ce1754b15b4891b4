import type { IncomingHttpHeaders } from 'node:http'
import type { Credentials } from '../http/api.ts'
import { type Authenticator, headerText } from '../http/authenticator.ts'
import { decodePercent } from '../http/request/percent-decoding.ts'

interface Noauth2Options {
  /** Roles of a user other than `admin` if the token names none: none in Placement. */
  readonly plainRoles: readonly string[]
  /** The catalog requires all three parts, except for `admin`. */
  readonly needsAllParts?: boolean
}

const ADMIN_ROLES = ['admin', 'member', 'reader']

/**
 * Trusts the caller's own statement: for tests, and for machines that no one else can reach. The token is
 * `USER`, `USER:PROJECT` or `USER:PROJECT:ROLE,ROLE`, percent-encoded where necessary.
 */
export function noauth2(options: Noauth2Options): Authenticator {
  return { authenticate: headers => readCredentials(headers, options) }
}

function readCredentials(headers: IncomingHttpHeaders, options: Noauth2Options): Credentials | null {
  const token = decodePercent(headerText(headers, 'x-auth-token') ?? '')
  if (token === null) return null
  const [user, project, tokenRoles] = splitToken(token)
  if (user === '') return null
  if (options.needsAllParts === true && !isWhole(user, tokenRoles)) return null
  const systemScope = (headerText(headers, 'openstack-system-scope') ?? '') !== ''
  const sentRoles = headerText(headers, 'x-roles') ?? tokenRoles
  return {
    userId: user,
    projectId: headerText(headers, 'x-project-id') || (systemScope ? null : chooseProject(user, project)),
    roles: sentRoles === undefined ? chooseRoles(user, options) : parseRoles(sentRoles),
    systemScope,
  }
}

function isWhole(user: string, roles: string | undefined): boolean {
  return roles === undefined ? user === 'admin' : !roles.includes(':')
}

function splitToken(token: string): [user: string, project: string | undefined, roles: string | undefined] {
  const first = token.indexOf(':')
  if (first < 0) return [token, undefined, undefined]
  const second = token.indexOf(':', first + 1)
  if (second < 0) return [token.slice(0, first), token.slice(first + 1), undefined]
  return [token.slice(0, first), token.slice(first + 1, second), token.slice(second + 1)]
}

function chooseProject(user: string, project: string | undefined): string | null {
  return project?.toLowerCase() === 'none' ? null : project || user
}

function chooseRoles(user: string, options: Noauth2Options): readonly string[] {
  return user === 'admin' ? ADMIN_ROLES : options.plainRoles
}

function parseRoles(roles: string): string[] {
  return roles
    .split(',')
    .map(role => role.trim().toLowerCase())
    .filter(role => role !== '')
}
