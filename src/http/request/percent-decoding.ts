const LONE_PERCENT = /%(?![0-9a-fA-F]{2})/g

/**
 * Decodes `%XX` as UTF-8. As in Python servers, a percent sign that starts no escape stays. Null if the bytes are not
 * UTF-8.
 */
export function decodePercent(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // Fall through: a lone percent sign is allowed, invalid UTF-8 is not.
  }
  try {
    return decodeURIComponent(text.replace(LONE_PERCENT, '%25'))
  } catch {
    return null
  }
}
