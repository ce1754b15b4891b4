import { stripEnds } from './strip.ts'

/** The form of nearly all uuids. */
const USUAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** OpenStack accepts any number of dashes and braces; no client sends this many. */
const CHARACTERS_MAX = 255
const HEX32 = /^[0-9a-f]{32}$/

/**
 * The 32 hex digits of anything that OpenStack accepts as a uuid, without braces, `urn:uuid:` and dashes;
 * otherwise null.
 */
function hexDigits(text: string): string | null {
  if (text.length > CHARACTERS_MAX) return null
  const unmarked = text.replaceAll('urn:', '').replaceAll('uuid:', '')
  const bare = stripEnds(unmarked, '{}').replaceAll('-', '').toLowerCase()
  return HEX32.test(bare) ? bare : null
}

export function isUuidLike(text: unknown): text is string {
  return typeof text === 'string' && (USUAL.test(text) || hexDigits(text) !== null)
}

/** The dashed lower-case form; null if the text is not a uuid. */
export function normalizeUuid(text: string): string | null {
  if (USUAL.test(text)) return text
  const hex = hexDigits(text)
  if (hex === null) return null
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/**
 * A uuid that starts with its time (version 7), made from a random one. Rows with such keys are stored next
 * to each other, so a commit does not write a database page for each.
 */
export function makeTimedUuid(nowMs: number, random: string): string {
  const time = Math.floor(nowMs).toString(16).padStart(12, '0').slice(-12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}
