import { ApiError, type Credentials } from '../http/api.ts'

/** Why a delegated caller may not manage what lets somebody in; null if it may. */
export function restrictionOf({ delegation }: Credentials): string | null {
  return delegation?.isRestricted === true ? `the ${delegation.by} is restricted` : null
}

/** Refuses what a restricted application credential may not do, as Keystone does. */
export function requireUnrestricted(credentials: Credentials, what: string): void {
  const why = restrictionOf(credentials)
  if (why !== null) throw new ApiError(403, `This token cannot ${what}: ${why}.`)
}

/** Refuses to make what would have no end by a caller that ends: a user, a password, a role. */
export function requireLasting(credentials: Credentials, what: string): void {
  requireUnrestricted(credentials, what)
  const { delegation } = credentials
  if (delegation !== undefined && delegation.endsAtMs !== null)
    throw new ApiError(403, `This token cannot ${what}: the ${delegation.by} expires, and they would not.`)
}

/** The end of what a caller makes: no later than its own. */
export function noLater(wantedMs: number | null, { delegation }: Credentials): number | null {
  const endMs = delegation?.endsAtMs ?? null
  return wantedMs === null || endMs === null ? (wantedMs ?? endMs) : Math.min(wantedMs, endMs)
}
