import {
  type AuthenticationResult,
  AuthenticationUnavailable,
  type Authenticator,
  RateLimited,
} from '../http/authenticator.ts'
import type { Clock } from '../kernel/clock.ts'
import { TokenBuckets } from './token-buckets.ts'

/** Services send as much as the cloud is busy, and admins have work to do. */
const UNLIMITED_ROLES = ['admin', 'service']

/** Lets each user, whatever the token, send so many requests a second on average, and twice as many at once. */
export function rateLimited(inner: Authenticator, perSecond: number, clock: Clock): Authenticator {
  const buckets = new TokenBuckets({ burst: perSecond * 2, perSecond }, clock)
  const limit = (verdict: AuthenticationResult): AuthenticationResult => {
    if (verdict === null || verdict instanceof AuthenticationUnavailable || verdict instanceof RateLimited)
      return verdict
    if (verdict.roles.some(role => UNLIMITED_ROLES.includes(role))) return verdict
    const { userId } = verdict
    return buckets.take(userId) ? verdict : new RateLimited(Math.max(1, buckets.waitS(userId)))
  }
  return {
    ...inner,
    authenticate(headers) {
      const verdict = inner.authenticate(headers)
      return verdict instanceof Promise ? verdict.then(limit) : limit(verdict)
    },
    again: headers => inner.authenticate(headers),
  }
}
