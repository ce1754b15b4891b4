import { assert } from '../../kernel/assert.ts'

export type Negotiated =
  | { readonly kind: 'agreed'; readonly minor: number }
  /** Well formed, but unsupported. */
  | { readonly kind: 'not-acceptable'; readonly asked: string }
  | { readonly kind: 'malformed'; readonly asked: string }

/** All versions of a service have the same major number. */
export interface VersionRange {
  readonly major: number
  readonly minorMin: number
  readonly minorMax: number
}

export function parseRange(min: string, max: string): VersionRange {
  const lowest = parseVersion(min)
  const highest = parseVersion(max)
  assert(
    lowest !== null && highest !== null && lowest.major === highest.major,
    () => `versions ${min} to ${max}`,
  )
  assert(lowest.minor <= highest.minor, () => `versions ${min} to ${max}`)
  return { major: lowest.major, minorMin: lowest.minor, minorMax: highest.minor }
}

/**
 * `serviceType` is lower case. No header, or none for this service, means the oldest version. `older` is the service's
 * own header of earlier releases; it counts if the other says nothing.
 */
export function negotiate(
  header: string | undefined,
  serviceType: string,
  range: VersionRange,
  older?: string,
): Negotiated {
  const asked = (header === undefined ? null : findVersion(header, serviceType)) ?? older?.trim() ?? null
  if (asked === null) return { kind: 'agreed', minor: range.minorMin }
  if (asked === 'latest') return { kind: 'agreed', minor: range.minorMax }
  const version = parseVersion(asked)
  if (version === null) return { kind: 'malformed', asked }
  const { major, minor } = version
  if (major !== range.major || minor < range.minorMin || minor > range.minorMax)
    return { kind: 'not-acceptable', asked }
  return { kind: 'agreed', minor }
}

/** The header may list several services, `placement 1.5, compute 2.1`; the last entry for ours counts. */
function findVersion(header: string, serviceType: string): string | null {
  let end = header.length
  while (end >= 0) {
    const comma = end === 0 ? -1 : header.lastIndexOf(',', end - 1)
    const entry = header.slice(comma + 1, end).trim()
    const blank = entry.search(BLANK)
    if (blank > 0 && entry.slice(0, blank).toLowerCase() === serviceType) return entry.slice(blank).trim()
    end = comma
  }
  return null
}

const BLANK = /\s/
// Python's int() allows blanks, a sign and underscores between digits.
const WHOLE_NUMBER = /^\s*[+-]?\d+(?:_\d+)*\s*$/

function parseVersion(text: string): { major: number; minor: number } | null {
  const dot = text.indexOf('.')
  if (dot < 0) return null
  const major = parseWholeNumber(text.slice(0, dot))
  const minor = parseWholeNumber(text.slice(dot + 1))
  return major === null || minor === null ? null : { major, minor }
}

function parseWholeNumber(text: string): number | null {
  if (!WHOLE_NUMBER.test(text)) return null
  return Number(text.replaceAll('_', '')) || 0
}
