import { type Authenticator, headerText } from '../../http/authenticator.ts'
import type { LocalTokens } from '../local-tokens.ts'
import type { Tokens } from './tokens.ts'

/** Tokens that this server gave: the admin token, those for machines, and those of users who signed in. */
export function builtinAuthenticator(local: LocalTokens, tokens: Tokens): Authenticator {
  return {
    authenticate(headers) {
      const token = headerText(headers, 'x-auth-token')
      if (token === undefined || !isToken(token)) return null
      const known = local.find(token)
      if (known !== null) return known.credentials
      const found = tokens.find(token)
      return found instanceof Promise
        ? found.then(meaning => meaning?.credentials ?? null)
        : (found?.credentials ?? null)
    },
  }
}

/** Anything else cannot be one of ours; it is not worth a look at the store. */
export const isToken = (text: string): boolean => /^[\x21-\x7e]{16,255}$/.test(text)
