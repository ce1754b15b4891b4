import {
  type AuthenticationResult,
  AuthenticationUnavailable,
  type Authenticator,
  RateLimited,
} from '../http/authenticator.ts'
import type { Clock } from '../kernel/clock.ts'
import { TokenBuckets } from './token-buckets.ts'

/** Services follow the load of the cloud, and admins must be able to act. */
const UNLIMITED_ROLES = ['admin', 'service']

/** Limits the requests per second of each user, over all tokens, with bursts of twice as many. */
export function limitRate(inner: Authenticator, perSecond: number, clock: Clock): Authenticator {
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
