import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../kernel/clock.ts'
import {
  AuthenticationUnavailable,
  type Authenticator,
  headerText,
  RateLimited,
  type Verdict,
} from './authenticator.ts'
import { digestOf } from './builtin/tokens.ts'
import { TokenBuckets } from './token-buckets.ts'

/** Services send as much as the cloud is busy, and admins have work to do. */
const UNLIMITED_ROLES = ['admin', 'service']

/** Lets each token send so many requests a second on average, and twice as many at once. */
export function rateLimited(inner: Authenticator, perSecond: number, clock: Clock): Authenticator {
  const buckets = new TokenBuckets({ burst: perSecond * 2, perSecond }, clock)
  const limit = (verdict: Verdict, headers: IncomingHttpHeaders): Verdict => {
    if (verdict === null || verdict instanceof AuthenticationUnavailable || verdict instanceof RateLimited)
      return verdict
    if (verdict.roles.some(role => UNLIMITED_ROLES.includes(role))) return verdict
    const name = digestOf(headerText(headers, 'x-auth-token') ?? '')
    return buckets.take(name) ? verdict : new RateLimited(Math.max(1, buckets.waitS(name)))
  }
  return {
    ...inner,
    authenticate(headers) {
      const verdict = inner.authenticate(headers)
      return verdict instanceof Promise
        ? verdict.then(known => limit(known, headers))
        : limit(verdict, headers)
    },
  }
}
