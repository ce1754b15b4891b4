import { type Authenticator, headerText } from '../../http/authenticator.ts'
import type { LocalTokens } from '../local-tokens.ts'
import type { Tokens } from './tokens.ts'

/** Tokens of this server: the admin token, tokens for machines, tokens of users. */
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

/** Whether it can be a token of this server at all; otherwise the store is not asked. */
export const isToken = (text: string): boolean => /^[\x21-\x7e]{16,255}$/.test(text)
