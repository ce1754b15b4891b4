let textSecond = Number.NaN
let textOfSecond = ''

/** Cached: most answers of one second changed in that same second. */
export function renderDate(ms: number): string {
  const second = Math.floor(ms / 1_000)
  if (second !== textSecond) {
    textSecond = second
    textOfSecond = new Date(ms).toUTCString()
  }
  return textOfSecond
}
