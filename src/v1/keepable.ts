import { Problem } from './problem.ts'

/** Nobody nests JSON so deep by hand. */
const DEPTH_MAX = 100

/**
 * Turns away bodies that could not be kept as they are: with numbers that have no end, characters that no database keeps, or
 * nested so deep that they cannot be written down again.
 */
export function requireKeepable(body: unknown): void {
  const waiting: [value: unknown, depth: number][] = [[body, 0]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, depth] = next
    if (typeof value === 'number' && !Number.isFinite(value))
      throw refused('a number has no end: at most 1.7976931348623157e308 can be kept')
    if (typeof value === 'string') requireText(value)
    else if (typeof value === 'object' && value !== null) {
      if (depth === DEPTH_MAX) throw refused(`it is nested more than ${DEPTH_MAX} deep`)
      if (Array.isArray(value)) for (const one of value) waiting.push([one, depth + 1])
      else
        for (const [key, one] of Object.entries(value)) {
          requireText(key)
          waiting.push([one, depth + 1])
        }
    }
  }
}

function requireText(text: string): void {
  if (!text.isWellFormed() || text.includes('\0'))
    throw refused(
      `${JSON.stringify(text)} has a character that no text may have (U+0000 or half a surrogate pair)`,
    )
}

const refused = (why: string): Problem => new Problem(400, 'request.invalid', `The body: ${why}.`)
