import { ApiError, type Credentials } from '../http/api.ts'

/** Why a delegated caller may not manage credentials; null if it may. */
export function findRestriction({ delegation }: Credentials): string | null {
  return delegation?.isRestricted === true ? `the ${delegation.by} is restricted` : null
}

/** As in Keystone, a restricted application credential may not do this. */
export function requireUnrestricted(credentials: Credentials, what: string): void {
  const why = findRestriction(credentials)
  if (why !== null) throw new ApiError(403, `This token cannot ${what}: ${why}.`)
}

/** A delegated caller that expires may not create what does not: a user, a password, a role. */
export function requireLasting(credentials: Credentials, what: string): void {
  requireUnrestricted(credentials, what)
  const { delegation } = credentials
  if (delegation !== undefined && delegation.endsAtMs !== null)
    throw new ApiError(
      403,
      `This token cannot ${what}: the ${delegation.by} expires, but what it creates would not.`,
    )
}

/** What a caller creates expires no later than the caller. */
export function limitEnd(wantedMs: number | null, { delegation }: Credentials): number | null {
  const endMs = delegation?.endsAtMs ?? null
  return wantedMs === null || endMs === null ? (wantedMs ?? endMs) : Math.min(wantedMs, endMs)
}
