import type { IncomingHttpHeaders } from 'node:http'
import type { Credentials } from './api.ts'

/** Who asks cannot be found out just now: the identity service does not answer. Worth trying again. */
export class AuthenticationUnavailable {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** The token is good, and its user sends more requests than one may. */
export class RateLimited {
  readonly waitS: number

  constructor(waitS: number) {
    this.waitS = waitS
  }
}

/** Null: the request brought no token, or none that is worth anything. */
export type AuthenticationResult = Credentials | null | AuthenticationUnavailable | RateLimited

export interface Authenticator {
  authenticate(headers: IncomingHttpHeaders): AuthenticationResult | Promise<AuthenticationResult>
  /** Looks again at a caller who is being answered. That is no request of theirs, so no rate limit counts it. */
  again?(headers: IncomingHttpHeaders): AuthenticationResult | Promise<AuthenticationResult>
  /** The WWW-Authenticate header of a 401, where there is one. */
  readonly challenge?: string
}

/** The one value of a header, or undefined. Node joins repeated ones, so a list does not happen here. */
export function headerText(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
