import type { IncomingHttpHeaders } from 'node:http'
import type { Credentials } from '../http/api.ts'
import { type Authenticator, headerText } from '../http/authenticator.ts'
import { percentDecode } from '../http/request/percent-decoding.ts'

interface Noauth2Options {
  /** What a user other than `admin` may be without saying so: nothing in Placement. */
  readonly plainRoles: readonly string[]
  /** The catalog wants tokens with all three parts, or `admin`, who has roles by name. */
  readonly needsAllParts?: boolean
}

const ADMIN_ROLES = ['admin', 'member', 'reader']

/**
 * Believes whatever the request says about itself: for tests, and for machines that nobody else can reach.
 * The token is `USER`, `USER:PROJECT` or `USER:PROJECT:ROLE,ROLE`, percent-encoded where need be.
 */
export function noauth2(options: Noauth2Options): Authenticator {
  return { authenticate: headers => believe(headers, options) }
}

function believe(headers: IncomingHttpHeaders, options: Noauth2Options): Credentials | null {
  const token = percentDecode(headerText(headers, 'x-auth-token') ?? '')
  if (token === null) return null
  const [user, project, tokenRoles] = partsOf(token)
  if (user === '') return null
  if (options.needsAllParts === true && !isWhole(user, tokenRoles)) return null
  const systemScope = (headerText(headers, 'openstack-system-scope') ?? '') !== ''
  const sentRoles = headerText(headers, 'x-roles') ?? tokenRoles
  return {
    userId: user,
    projectId: headerText(headers, 'x-project-id') || (systemScope ? null : projectOf(user, project)),
    roles: sentRoles === undefined ? rolesOf(user, options) : parseRoles(sentRoles),
    systemScope,
  }
}

function isWhole(user: string, roles: string | undefined): boolean {
  return roles === undefined ? user === 'admin' : !roles.includes(':')
}

function partsOf(token: string): [user: string, project: string | undefined, roles: string | undefined] {
  const first = token.indexOf(':')
  if (first < 0) return [token, undefined, undefined]
  const second = token.indexOf(':', first + 1)
  if (second < 0) return [token.slice(0, first), token.slice(first + 1), undefined]
  return [token.slice(0, first), token.slice(first + 1, second), token.slice(second + 1)]
}

function projectOf(user: string, project: string | undefined): string | null {
  return project?.toLowerCase() === 'none' ? null : project || user
}

function rolesOf(user: string, options: Noauth2Options): readonly string[] {
  return user === 'admin' ? ADMIN_ROLES : options.plainRoles
}

function parseRoles(roles: string): string[] {
  return roles
    .split(',')
    .map(role => role.trim().toLowerCase())
    .filter(role => role !== '')
}
