import { type Authenticator, headerText } from '../../http/authenticator.ts'
import type { LocalTokens } from '../local-tokens.ts'
import type { Keystone } from './keystone.ts'

/** The admin token and those for machines are ours; about all others Keystone is asked. */
export function keystoneAuthenticator(local: LocalTokens, keystone: Keystone): Authenticator {
  return {
    challenge: `Keystone uri="${keystone.publicUrl}"`,
    authenticate(headers) {
      const token = headerText(headers, 'x-auth-token')
      if (token === undefined || !/^[\x21-\x7e]{1,8192}$/.test(token)) return null
      return local.find(token)?.credentials ?? keystone.verdict(token)
    },
  }
}
