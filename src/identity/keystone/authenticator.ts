import type { Credentials } from '../../http/api.ts'
import {
  type AuthenticationResult,
  AuthenticationUnavailable,
  type Authenticator,
  headerText,
  RateLimited,
} from '../../http/authenticator.ts'
import type { LocalTokens } from '../local-tokens.ts'
import type { Keystone } from './keystone.ts'

/** The rules for a token in X-Service-Token, as in `[keystone_authtoken]` of OpenStack. */
export interface ServiceTokenRule {
  /** With any of these roles it is a service token, and the user's token may have expired. */
  readonly roles: readonly string[]
  /** Refuse a request with a service token that has none of the roles. */
  readonly isRoleRequired: boolean
}

/** Checks the admin token and tokens for machines here, all others with Keystone. */
export function keystoneAuthenticator(
  local: LocalTokens,
  keystone: Keystone,
  rule: ServiceTokenRule,
): Authenticator {
  const serviceRoles = new Set(rule.roles.map(role => role.toLowerCase()))
  const find = (token: string, mayBeExpired: boolean) =>
    isToken(token) ? (local.find(token)?.credentials ?? keystone.authenticate(token, mayBeExpired)) : null

  /**
   * A service that continues the work of a user sends its own token with that of the user, which may have expired meanwhile. An
   * invalid service token makes the request invalid, even if the user's token is valid.
   */
  async function findInCompany(token: string, serviceToken: string): Promise<AuthenticationResult> {
    const service = await find(serviceToken, false)
    if (!isKnown(service)) return service
    const isService = service.roles.some(role => serviceRoles.has(role))
    if (!isService && rule.isRoleRequired) return null
    return find(token, isService)
  }

  return {
    challenge: `Keystone uri="${keystone.publicUrl}"`,
    authenticate(headers) {
      const token = headerText(headers, 'x-auth-token')
      if (token === undefined) return null
      const serviceToken = headerText(headers, 'x-service-token')
      return serviceToken === undefined || serviceToken === ''
        ? find(token, false)
        : findInCompany(token, serviceToken)
    },
  }
}

const isToken = (text: string): boolean => /^[\x21-\x7e]{1,8192}$/.test(text)

const isKnown = (result: AuthenticationResult): result is Credentials =>
  result !== null && !(result instanceof AuthenticationUnavailable) && !(result instanceof RateLimited)
