import { ApiError } from '../../http/api.ts'
import { nearestName } from '../../kernel/nearest-name.ts'
import { emptyRecord } from '../../kernel/records.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { unreadHints } from '../../scheduling/hosts/registry.ts'
import type { HintedUuids } from '../../scheduling/pools/hints.ts'
import { POOL_FILTERS, POOL_WEIGHERS } from '../../scheduling/pools/registry.ts'
import { HINT_KINDS, type HintKind } from '../../world/shares.ts'
import { badField, isObject } from '../bodies.ts'
import type { Features } from '../versions.ts'
import { HINT_KEYS, hintOfKey } from './hints.ts'

interface Hints extends HintedUuids {
  readonly onlyHost: string | null
}

/** Hints as lists, as the seed of this service prints them, or as texts with commas, as clients send them. */
export function hintsIn(value: unknown): Hints {
  if (value === undefined || value === null) return { same_host: [], different_host: [], onlyHost: null }
  if (!isObject(value)) throw badField('scheduler_hints', value, 'It must be an object.')
  const { only_host: onlyHost = null } = value
  if (onlyHost !== null && typeof onlyHost !== 'string')
    throw badField('only_host', onlyHost, 'It must be the name of a pool, host@backend#pool.')
  return {
    same_host: namesIn('same_host', value.same_host),
    different_host: namesIn('different_host', value.different_host),
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

/** A warning for every hint that is given and does nothing, because no filter reads it or the version does not have it. */
export function unreadHintTexts(value: unknown, features: Features): string[] {
  if (!isObject(value)) return []
  const given = Object.keys(value)
  const texts = [
    ...unreadHints(given, READERS).map(unreadText),
    ...SINCE.filter(([hint, feature]) => Object.hasOwn(value, hint) && !features[feature]).map(
      ([hint, , version]) => `The scheduler hint ${hint} was not read: it needs API version ${version}.`,
    ),
  ]
  const more = texts.length - UNREAD_TEXTS_MAX
  return more <= 0 ? texts : [...texts.slice(0, UNREAD_TEXTS_MAX), `And ${more} more hints were not read.`]
}

function unreadText(hint: string): string {
  const near = nearestName(hint, READ_HINTS)
  const name = hint.length <= NAME_LENGTH_MAX ? hint : `${hint.slice(0, NAME_LENGTH_MAX)}...`
  const remedy = near === null ? `Known hints: ${READ_HINTS.join(', ')}.` : `Did you mean ${near}?`
  return `No filter or weigher of this server reads the scheduler hint ${name}. ${remedy}`
}

/** Trimmed, each once, in the order given. Nothing is skipped: what is no uuid is an error. */
function namesIn(field: string, value: unknown): string[] {
  if (value === undefined || value === null) return []
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : null
  if (parts === null)
    throw badField(field, value, 'It must be a list of ids of shares, or a text with commas.')
  const names = parts.map((part: unknown) => {
    const uuid = typeof part === 'string' ? normalizeUuid(part.trim()) : null
    if (uuid === null) throw badField(field, part, 'It must be the id of a share.')
    return uuid
  })
  return [...new Set(names)]
}

interface SplitMetadata {
  readonly metadata: Record<string, string>
  readonly hints: Partial<Record<HintKind, readonly string[]>>
}

/** Keys of hints are for admins alone; what they write there are ids. */
export function splitMetadata(all: Readonly<Record<string, string>>, isAdmin: boolean): SplitMetadata {
  const metadata: Record<string, string> = emptyRecord()
  const hints: Partial<Record<HintKind, readonly string[]>> = {}
  for (const [key, value] of Object.entries(all)) {
    const hint = hintOfKey(key)
    if (hint === undefined) metadata[key] = value
    else {
      requireAdmin(key, isAdmin)
      hints[hint] = namesIn(key, value)
    }
  }
  return { metadata, hints }
}

export function requireAdmin(key: string, isAdmin: boolean): void {
  if (!isAdmin && HINT_KINDS.some(kind => HINT_KEYS[kind] === key))
    throw new ApiError(403, `The metadata ${key} is a scheduler hint, which only an admin can change.`)
}
