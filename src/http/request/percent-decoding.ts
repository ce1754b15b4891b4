const LONE_PERCENT = /%(?![0-9a-fA-F]{2})/g

/**
 * Text with its `%XX` read as UTF-8. A percent sign that starts no escape stands for itself, as it does for
 * every Python server. Null when the bytes spell no UTF-8.
 */
export function percentDecode(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // Fall through: a lone percent sign can still be saved, wrong UTF-8 cannot.
  }
  try {
    return decodeURIComponent(text.replace(LONE_PERCENT, '%25'))
  } catch {
    return null
  }
}
