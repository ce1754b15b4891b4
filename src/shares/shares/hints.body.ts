import { ApiError } from '../../http/api.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { HINT_KINDS, type HintKind } from '../../world/shares.ts'
import { badField, isObject } from '../bodies.ts'
import { HINT_KEYS, hintOfKey, type NamedShares } from './hints.ts'

export interface Hints extends NamedShares {
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

/** Trimmed, each once, in the order given. Nothing is skipped: what is no uuid is an error. */
export function namesIn(field: string, value: unknown): string[] {
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

export interface SplitMetadata {
  readonly metadata: Record<string, string>
  readonly hints: Partial<Record<HintKind, readonly string[]>>
}

/** Keys of hints are for admins alone; what they write there are ids. */
export function splitMetadata(all: Readonly<Record<string, string>>, isAdmin: boolean): SplitMetadata {
  const metadata: Record<string, string> = {}
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
