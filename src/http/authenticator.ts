import type { IncomingHttpHeaders } from 'node:http'
import type { Credentials } from './api.ts'

/** The identity service does not answer. Retrying may help. */
export class AuthenticationUnavailable {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** The token is valid, but its user exceeds the rate limit. */
export class RateLimited {
  readonly waitS: number

  constructor(waitS: number) {
    this.waitS = waitS
  }
}

/** Null: no token, or an invalid one. */
export type AuthenticationResult = Credentials | null | AuthenticationUnavailable | RateLimited

export interface Authenticator {
  authenticate(headers: IncomingHttpHeaders): AuthenticationResult | Promise<AuthenticationResult>
  /** Authenticates the caller of a running answer again. Does not count towards the rate limit. */
  again?(headers: IncomingHttpHeaders): AuthenticationResult | Promise<AuthenticationResult>
  /** The WWW-Authenticate header of a 401, if any. */
  readonly challenge?: string
}

/** Node joins repeated headers, so a list does not occur here. */
export function headerText(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
