import { stripEnds } from './strip.ts'

/** How nearly all are written. */
const USUAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** OpenStack takes any number of dashes and braces; no client sends that many. */
const CHARACTERS_MAX = 255
const HEX32 = /^[0-9a-f]{32}$/

/** The 32 hex digits of anything OpenStack takes for a uuid, or null: braces, `urn:uuid:` and dashes are dropped. */
function hexDigits(text: string): string | null {
  if (text.length > CHARACTERS_MAX) return null
  const unmarked = text.replaceAll('urn:', '').replaceAll('uuid:', '')
  const bare = stripEnds(unmarked, '{}').replaceAll('-', '').toLowerCase()
  return HEX32.test(bare) ? bare : null
}

export function isUuidLike(text: unknown): text is string {
  return typeof text === 'string' && (USUAL.test(text) || hexDigits(text) !== null)
}

/** The dashed lower-case form, or null when the text is no uuid. */
export function normalizeUuid(text: string): string | null {
  if (USUAL.test(text)) return text
  const hex = hexDigits(text)
  if (hex === null) return null
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/**
 * A uuid that begins with its time (version 7), made from one that is random: rows that are kept by such keys stand where
 * they were added last, and a commit does not have to write a page of the database for each.
 */
export function makeTimedUuid(nowMs: number, random: string): string {
  const time = Math.floor(nowMs).toString(16).padStart(12, '0').slice(-12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}
