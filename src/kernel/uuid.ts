const HEX32 = /^[0-9a-f]{32}$/

/** The 32 hex digits of anything OpenStack takes for a uuid, or null: braces, `urn:uuid:` and dashes are dropped. */
function hexDigits(text: string): string | null {
  const bare = text
    .replaceAll('urn:', '')
    .replaceAll('uuid:', '')
    .replace(/^[{}]+|[{}]+$/g, '')
    .replaceAll('-', '')
    .toLowerCase()
  return HEX32.test(bare) ? bare : null
}

export function isUuidLike(text: unknown): text is string {
  return typeof text === 'string' && hexDigits(text) !== null
}

/** The dashed lower-case form, or null when the text is no uuid. */
export function normalizeUuid(text: string): string | null {
  const hex = hexDigits(text)
  if (hex === null) return null
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
