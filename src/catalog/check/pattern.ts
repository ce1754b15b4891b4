/** Whether a text matches a pattern; null where that cannot be said. */
export type Matcher = (pattern: string, text: string) => boolean | null

/** Takes as long as it takes, which with some patterns is forever. */
export const matches: Matcher = (pattern, text) => expressionOf(pattern)?.test(text) ?? null

/** Patterns are written for Python; null for one that is no expression here. */
export function expressionOf(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return null
  }
}
