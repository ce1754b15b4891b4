import { ApiError } from '../../http/api.ts'
import { nearestName } from '../../kernel/nearest-name.ts'
import { emptyRecord } from '../../kernel/records.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { findUnreadHints } from '../../scheduling/hosts/registry.ts'
import type { HintedUuids } from '../../scheduling/pools/hints.ts'
import { POOL_FILTERS, POOL_WEIGHERS } from '../../scheduling/pools/registry.ts'
import { HINT_KINDS, type HintKind } from '../../world/shares.ts'
import { isObject, makeFieldError } from '../bodies.ts'
import type { Features } from '../versions.ts'
import { findHintKind, HINT_KEYS } from './hints.ts'

interface Hints extends HintedUuids {
  readonly onlyHost: string | null
}

/** Hints as lists, or as comma-separated texts, as clients send them. */
export function parseHints(value: unknown): Hints {
  if (value === undefined || value === null) return { same_host: [], different_host: [], onlyHost: null }
  if (!isObject(value)) throw makeFieldError('scheduler_hints', value, 'It must be an object.')
  const { only_host: onlyHost = null } = value
  if (onlyHost !== null && typeof onlyHost !== 'string')
    throw makeFieldError('only_host', onlyHost, 'It must be the name of a pool, host@backend#pool.')
  return {
    same_host: parseUuids('same_host', value.same_host),
    different_host: parseUuids('different_host', value.different_host),
    onlyHost,
  }
}

const READERS = [...POOL_FILTERS, ...POOL_WEIGHERS]
export const READ_HINTS = READERS.flatMap(({ reads }) => reads.hints ?? [])
const SINCE: readonly (readonly [hint: string, feature: keyof Features, version: string])[] = [
  ['same_host', 'hints', '2.65'],
  ['different_host', 'hints', '2.65'],
  ['only_host', 'onlyHostHint', '2.67'],
]
const UNREAD_TEXTS_MAX = 10
const NAME_LENGTH_MAX = 100

/** A warning for every hint without effect, because no filter reads it or the version lacks it. */
export function listHintWarnings(value: unknown, features: Features): string[] {
  if (!isObject(value)) return []
  const given = Object.keys(value)
  const texts = [
    ...findUnreadHints(given, READERS).map(renderHintWarning),
    ...SINCE.filter(([hint, feature]) => Object.hasOwn(value, hint) && !features[feature]).map(
      ([hint, , version]) => `The scheduler hint ${hint} was ignored: it needs API version ${version}.`,
    ),
  ]
  const more = texts.length - UNREAD_TEXTS_MAX
  return more <= 0 ? texts : [...texts.slice(0, UNREAD_TEXTS_MAX), `${more} more hints were ignored.`]
}

function renderHintWarning(hint: string): string {
  const near = nearestName(hint, READ_HINTS)
  const name = hint.length <= NAME_LENGTH_MAX ? hint : `${hint.slice(0, NAME_LENGTH_MAX)}...`
  const remedy = near === null ? `Known hints: ${READ_HINTS.join(', ')}.` : `Did you mean ${near}?`
  return `No filter or weigher of this server reads the scheduler hint ${name}. ${remedy}`
}

/** Trimmed, each once, in order. Nothing is skipped: an invalid uuid is an error. */
function parseUuids(field: string, value: unknown): string[] {
  if (value === undefined || value === null) return []
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : null
  if (parts === null)
    throw makeFieldError(field, value, 'It must be a list of ids of shares, or a text with commas.')
  const names = parts.map((part: unknown) => {
    const uuid = typeof part === 'string' ? normalizeUuid(part.trim()) : null
    if (uuid === null) throw makeFieldError(field, part, 'It must be the id of a share.')
    return uuid
  })
  return [...new Set(names)]
}

interface SplitMetadata {
  readonly metadata: Record<string, string>
  readonly hints: Partial<Record<HintKind, readonly string[]>>
}

/** Only admins may write keys of hints; their values are ids. `creating` has the features of a request for a new share. */
export function splitMetadata(
  all: Readonly<Record<string, string>>,
  isAdmin: boolean,
  creating: Features | null = null,
): SplitMetadata {
  const metadata: Record<string, string> = emptyRecord()
  const hints: Partial<Record<HintKind, readonly string[]>> = {}
  for (const [key, value] of Object.entries(all)) {
    const hint = findHintKind(key)
    if (hint === undefined) metadata[key] = value
    else {
      requireAdmin(key, isAdmin, creating)
      hints[hint] = parseUuids(key, value)
    }
  }
  return { metadata, hints }
}

/** Dashboards speak older versions and show the text of a 400, but not that of a 403. */
export function requireAdmin(key: string, isAdmin: boolean, creating: Features | null = null): void {
  const kind = HINT_KINDS.find(one => HINT_KEYS[one] === key)
  if (isAdmin || kind === undefined) return
  const remedy =
    creating !== null
      ? `Take it out of the metadata, and name the shares in the scheduler hint ${kind} (API version 2.65).`
      : 'Ask an admin, or create a new share with the hint.'
  throw new ApiError(
    creating === null || creating.hints ? 403 : 400,
    `The metadata ${key} is a scheduler hint, which only an admin can change. ${remedy}`,
  )
}
